"""The project's shell: locks, licence, the unit and the image. What only a build would show is read from the text."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PIN = re.compile(r"([a-z0-9._-]+)==([^ \\;]+)(?: ; [^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")


def canonical(requirement: str) -> str:
    """The normal form of a project's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]).lower()


def pins(lock: str) -> dict[str, str]:
    return {name: version for name, version, _ in PIN.findall((ROOT / lock).read_text())}


# -- locks ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_pins_and_hashes_and_nothing_else(lock: str) -> None:
    rest = PIN.sub("", (ROOT / lock).read_text())
    assert [line for line in rest.splitlines() if line and not line.startswith("#")] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address_and_no_path(lock: str) -> None:
    assert re.findall(r"//|index|@ |file:|(?<![\w.])/\w", (ROOT / lock).read_text()) == []


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        (LOCKS[0], PROJECT["dependencies"]),
        (LOCKS[1], [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]),
    ],
)
def test_a_lock_has_every_dependency_at_an_allowed_version(lock: str, wanted: list[str]) -> None:
    found = pins(lock)
    for requirement in wanted:
        assert canonical(requirement) in found, f"{requirement}: run make lock"
        least = requirement.partition(">=")[2]
        assert parts(found[canonical(requirement)]) >= parts(least), f"{requirement}: run make lock"


def parts(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def test_the_two_locks_agree() -> None:
    run, dev = (pins(lock) for lock in LOCKS)
    assert {name: dev[name] for name in run if name in dev} == {name: run[name] for name in run if name in dev}
    assert run.keys() - dev.keys() <= {"setuptools"}  # it only builds


@pytest.mark.parametrize("lock", LOCKS)
def test_nothing_unwanted_is_pulled_in(lock: str) -> None:
    assert pins(lock).keys() & {"aiohttp", "requests", "uv"} == set()


def test_the_licence_is_the_one_declared() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert PROJECT["license"] == "MIT" and text.startswith("MIT License") and "The Jarvis authors" in text


def test_the_console_script_is_jarvis() -> None:
    assert PROJECT["scripts"] == {"jarvis": "bot.cli:main"}


# -- the unit -------------------------------------------------------------------------------------------------------
UNIT = ROOT / "deploy" / "jarvis.service"


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#", ";"))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(UNIT)
    return parser


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("Service", "User", "jarvis"),
        ("Service", "Restart", "on-failure"),
        ("Service", "RestartPreventExitStatus", "2 3 5"),
        ("Service", "KillMode", "mixed"),
        ("Service", "TimeoutStopSec", "15"),
        ("Service", "EnvironmentFile", "/etc/jarvis.env"),
        ("Service", "StateDirectory", "jarvis"),
        ("Install", "WantedBy", "multi-user.target"),
    ],
)
def test_the_unit_says(section: str, key: str, value: str) -> None:
    assert unit()[section][key] == value


def test_the_unit_stops_later_than_the_bot_needs_and_keeps_what_an_agent_needs() -> None:
    service = unit()["Service"]
    assert int(service["TimeoutStopSec"]) > 10
    breaks_the_job = {"ProtectHome", "PrivateTmp", "MemoryDenyWriteExecute", "RestrictNamespaces", "PrivateNetwork"}
    assert breaks_the_job & set(service) == set()
    assert "TOKEN" not in " ".join(service.values()) and "KEY" not in " ".join(service.values())


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing")
    # the program isn't installed where the unit looks for it: any program that is there will do
    copy = tmp_path / "jarvis.service"
    copy.write_text(re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text()))
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, timeout=60)
    assert [line for line in done.stderr.splitlines() if "jarvis.service" in line] == []


# -- the image ------------------------------------------------------------------------------------------------------
def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    plain = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in plain.splitlines() if line.strip())]


KNOWN = {
    *("FROM", "RUN", "COPY", "WORKDIR", "USER", "ENV", "ARG", "LABEL", "EXPOSE", "VOLUME"),
    *("HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT", "CMD"),
}


def test_the_image_is_built_of_known_instructions_from_a_pinned_base() -> None:
    words = [word for word, _ in instructions()]
    assert set(words) <= KNOWN
    assert words[0] == "FROM" and words.count("FROM") == 1
    assert re.fullmatch(r"python:3\.\d+-slim(@sha256:[0-9a-f]{64})?", instructions()[0][1])


def test_the_image_does_not_run_as_root() -> None:
    users = [(place, rest) for place, (word, rest) in enumerate(instructions()) if word == "USER"]
    assert users and users[-1][1] not in ("root", "0")
    assert not [rest for word, rest in instructions()[users[-1][0] :] if word == "RUN"]


def test_the_image_installs_from_the_lock_before_it_copies_the_program() -> None:
    steps = [f"{word} {rest}" for word, rest in instructions()]
    place = {key: next(i for i, s in enumerate(steps) if s.startswith(key)) for key in ("COPY req", "COPY agent")}
    install = next(i for i, s in enumerate(steps) if "--require-hashes -r requirements.lock" in s)
    assert place["COPY req"] < install < place["COPY agent"]


def test_what_the_image_copies_is_there() -> None:
    for word, rest in instructions():
        if word == "COPY":
            assert not [source for source in rest.split()[:-1] if not (ROOT / source).exists()]


def test_the_image_holds_no_secret() -> None:
    text = " ".join(rest for word, rest in instructions() if word in ("ENV", "ARG", "LABEL", "RUN", "COPY"))
    assert not re.search(r"TOKEN|API_KEY|SECRET|PASSWORD|\.env\b|config\.toml|COPY \. ", text)
    ignored = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text().split()
    assert {".git", "config.toml", "*.env"} <= set(ignored)


# -- make -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("run", "/jarvis run"),
        ("demo", "/jarvis demo"),
        ("test", "-m pytest"),
        ("check", "/ruff check"),
        ("check", "/mypy"),
        ("check", "tests/test_floors.py"),
    ],
)
def test_make_targets(target: str, command: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is missing")
    done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert command in done.stdout, done.stderr


def test_ci_runs_what_the_laptop_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "set -euo pipefail" in script
    assert re.search(r"^make check$", script, re.MULTILINE) and re.search(r"^make test\b", script, re.MULTILINE)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100
