"""Every command of the README does what the README says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.fakes.lab import Lab

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]
EXPORTS = [line for line in COMMANDS if line.startswith("export ")]


def run(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    """As a stranger would, from the checkout, with an empty home and nothing set."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return subprocess.run(
        shlex.split(command), cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("command", "shows"),
    [
        ("make run", ["JARVIS_TELEGRAM__TOKEN", "scan.sh", "unresolved", "answered"]),
        ("make demo", ["you ", "the defences are on", "all well", "answered"]),
        (".venv/bin/jarvis settings", ["[telegram]", "turns", "default"]),
        (".venv/bin/jarvis list", ["write_file", "budget", "telegram"]),
        (".venv/bin/jarvis version", ["jarvis 0."]),
        (".venv/bin/jarvis --help", ["run", "chat", "demo", "settings", "backtest", "doctor"]),
        ("make -n test", ["pytest"]),  # this very suite: only that the target stands
    ],
)
def test_a_command_of_the_readme(tmp_path: Path, command: str, shows: list[str]) -> None:
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stderr
    for word in shows:
        assert word in done.stdout + done.stderr


def test_the_doctor_of_a_fresh_machine_says_what_is_missing(tmp_path: Path) -> None:
    done = run(".venv/bin/jarvis doctor", tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "JARVIS_TELEGRAM__TOKEN" in done.stdout + done.stderr


def test_no_command_is_left_out() -> None:
    tested = {"make run", "make demo", "make test"}
    tested |= {f".venv/bin/jarvis {command}" for command in ("settings", "list", "version", "doctor")}
    assert set(COMMANDS) - set(EXPORTS) <= {*tested, ".venv/bin/jarvis --help"}


@pytest.mark.e2e
async def test_the_settings_of_the_readme_are_all_that_a_bot_needs(lab: Lab) -> None:
    named = {line.split()[1].split("=")[0] for line in EXPORTS}
    places = {"JARVIS_HOME", "JARVIS_TELEGRAM__API_URL", "JARVIS_RUN__WORKSPACE", "PATH", "HOME", "LANG"}  # of the test
    lab.bot.env = {name: value for name, value in lab.bot.env.items() if name in named | places}
    await lab.start()
    lab.telegram.people.say("/status")
    await lab.wait_text("Nothing is running")


def test_help_is_instant_and_loads_nothing_heavy() -> None:
    code = (
        "import sys, contextlib, io\n"
        "from bot.cli import cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    cli(['--help'])\n"
        "heavy = {'telegram', 'openai', 'httpx', 'httpx2', 'pydantic', 'sqlite3', 'asyncio', 'agent'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([str(ROOT / ".venv/bin/python"), "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
