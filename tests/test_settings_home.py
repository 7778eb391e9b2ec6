"""The home is ours alone, and our secrets are gone from the environment once they are read."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent.errors import ConfigError
from agent.settings import prepare_home

TOKEN, KEY = "1000:TEST-token-value", "sk-test-key-value"


@pytest.mark.parametrize("mode", [None, 0o700, 0o755, 0o777, 0o500])
def test_the_home_is_made_and_taken_from_everybody_else(tmp_path: Path, mode: int | None) -> None:
    home = tmp_path / "a" / "home"
    if mode is not None:
        home.mkdir(parents=True)
        home.chmod(mode)
    prepare_home(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    (tmp_path / "home").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="symbolic link"):
        prepare_home(tmp_path / "home")
    assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) == 0o755


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(ConfigError, match="not a folder"):
        prepare_home(tmp_path / "home")


def test_a_home_that_belongs_to_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setattr("agent.settings.home.os.geteuid", lambda: (tmp_path / "home").stat().st_uid + 1)
    with pytest.raises(ConfigError, match="another user"):
        prepare_home(tmp_path / "home")


CHILD = """
import subprocess, sys
from agent.settings import load, scrub_environment, secrets
loaded = load()
if sys.argv[1] == "scrub":
    scrub_environment(secrets(loaded.settings))
assert loaded.settings.telegram.token.get_secret_value().endswith("value")
print(subprocess.run(["env"], capture_output=True, text=True).stdout.replace("\\n", " "), flush=True)
sys.stdin.read()
"""


def environments(tmp_path: Path, argument: str) -> tuple[bytes, bytes]:
    """What a process shows in /proc, and what its own children inherit, after it has read its settings."""
    variables = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "CANARY": "stays",
        "JARVIS_TELEGRAM__TOKEN": TOKEN,
        "OPENAI_API_KEY": KEY,
        "WRAPPED": f"url=https://example.invalid/bot{TOKEN}/",
    }
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, argument],
        env=variables,
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout and child.stdin
        inherited = child.stdout.readline()
        shown = Path(f"/proc/{child.pid}/environ").read_bytes()
        child.stdin.close()
    return shown, inherited


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_secrets_leave_the_environment_that_others_can_read(tmp_path: Path) -> None:
    shown, inherited = environments(tmp_path, "scrub")
    assert b"CANARY=stays" in shown and b"CANARY=stays" in inherited
    for secret in (TOKEN, KEY):
        assert secret.encode() not in shown
        assert secret.encode() not in inherited


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_without_that_they_would_be_there(tmp_path: Path) -> None:
    shown, inherited = environments(tmp_path, "leave")
    assert TOKEN.encode() in shown and KEY.encode() in inherited
