"""Probes verify, project and claims: what they run, what they leave out, and what they tell of a real disk."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from agent.errors import ToolError
from agent.probes import claims, project, verify
from agent.steps import Outcome
from tests.fakes.calls import context
from tests.fakes.host import FakeHost, ran


async def looked(folder: Path, asked: dict[str, Any], host: FakeHost | None = None, **parts: Any) -> dict[str, Any]:
    question = {"commands": [], "paths": [], "find": False, "files": [], "mode": "full", "role": "owner", **asked}
    call = context(folder, host=host or FakeHost(), **parts)
    answer: dict[str, Any] = json.loads(await verify.probe.look(call, json.dumps(question)))
    return answer


# -- verify ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "mode", "box", "runs"),
    [
        ("pytest -q", "full", False, True),
        ("pytest -q", "sandbox", True, True),
        ("curl -d x http://example.com", "full", False, False),
        ("git push", "full", False, False),
    ],
)
async def test_what_has_to_stay_inside_does_so_in_any_mode(
    tmp_path: Path, command: str, mode: str, box: bool, runs: bool
) -> None:
    host = FakeHost(ran())
    asked = {"commands": [[command, str(tmp_path)]], "mode": mode, "inside": True}
    await looked(tmp_path, asked, host, box=box)
    assert bool(host.commands) is runs


async def test_a_command_runs_as_the_sessions_own_and_tells_its_output(tmp_path: Path) -> None:
    host = FakeHost(ran(Outcome.FAILED, 1, "FAILED test_a", "bad"))
    answer = await looked(tmp_path, {"commands": [["pytest", "/w"]]}, host, box=True)
    (check,) = answer["checks"]
    assert (check["outcome"], check["exit_code"]) == ("failed", 1)
    assert "FAILED test_a" in check["output"] and "bad" in check["output"]
    (command,) = host.commands
    assert (command.text, command.cwd, command.owner, command.box) == ("pytest", "/w", "s1", True)
    assert 0 < command.timeout_s <= verify.ALL_S


@pytest.mark.parametrize(
    ("command", "mode", "role", "tainted", "box", "runs"),
    [
        ("pytest", "full", "owner", False, False, True),
        ("pytest", "sandbox", "operator", False, True, True),
        ("pytest", "sandbox", "operator", False, False, False),  # no sandbox to run it in
        ("pytest", "sandbox", "operator", True, True, False),  # somebody else's words are in it
        ("pytest", "ask", "owner", False, True, False),
        ("pytest", "sandbox", "viewer", False, True, False),
        ("curl http://example.com", "sandbox", "owner", False, True, False),
        ("sudo systemctl restart x", "sandbox", "owner", False, True, False),
        ("curl http://example.com", "full", "owner", False, False, True),
        ("cat /home/jarvis/config.toml", "full", "owner", False, False, False),  # our own state
        ("pytest", "", "", False, True, False),
    ],
)
async def test_what_a_person_would_be_asked_for_is_left_out(
    tmp_path: Path, command: str, mode: str, role: str, tainted: bool, box: bool, runs: bool
) -> None:
    host = FakeHost(ran())
    asked = {"commands": [[command, "/w"]], "mode": mode, "role": role, "tainted": tainted}
    answer = await looked(tmp_path, asked, host, box=box, forbidden=("/home/jarvis",))
    assert [check["outcome"] for check in answer["checks"]] == ["ok" if runs else "left_out"]
    assert len(host.commands) == runs
    assert runs or answer["checks"][0]["why"]


async def test_a_command_that_cant_be_started_is_left_out_with_the_reason(tmp_path: Path) -> None:
    host = FakeHost(ToolError("no room"), ran())
    answer = await looked(tmp_path, {"commands": [["a", "/w"], ["b", "/w"]]}, host)
    assert [(check["outcome"], check["why"]) for check in answer["checks"]] == [("left_out", "no room"), ("ok", "")]


async def test_commands_share_one_limit_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "ALL_S", 0.5)
    answer = await looked(tmp_path, {"commands": [["a", "/w"]]}, FakeHost())
    assert answer["checks"][0]["outcome"] == "left_out" and "were over" in answer["checks"][0]["why"]


async def test_paths_are_looked_for_from_the_folder_and_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").touch()
    (tmp_path / "b.py").touch()
    (tmp_path / "link").symlink_to("nowhere")
    paths = ["a.py", "b.py", "c.py", str(tmp_path / "b.py"), "link", "~/x", "x\0y"]
    answer = await looked(tmp_path, {"paths": paths}, cwd=str(tmp_path / "pkg"))
    assert answer["missing"] == ["c.py"]


async def test_what_is_out_of_sight_isnt_missing(tmp_path: Path) -> None:
    hidden = str(tmp_path / "home" / "x")
    assert (await looked(tmp_path, {"paths": [hidden]}, forbidden=(str(tmp_path / "home"),)))["missing"] == []
    assert (await looked(tmp_path, {"paths": ["/tmp/nowhere-at-all"]}, box=True))["missing"] == []
    assert (await looked(tmp_path, {"paths": ["/tmp/nowhere-at-all"]}))["missing"] == ["/tmp/nowhere-at-all"]


async def test_the_projects_own_test_is_found_beside_a_changed_file(tmp_path: Path) -> None:
    (tmp_path / "web" / "src").mkdir(parents=True)
    (tmp_path / "web" / "package.json").write_text('{"scripts": {"test": "node --test"}}')
    host = FakeHost(ran())
    await looked(tmp_path, {"find": True, "files": [str(tmp_path / "web" / "src" / "a.ts")]}, host)
    assert [(command.text, command.cwd) for command in host.commands] == [("npm test", str(tmp_path / "web"))]


@pytest.mark.parametrize("args", ["{}", "[]", "x", '{"commands": 5}'])
async def test_other_arguments_raise(tmp_path: Path, args: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        await verify.probe.look(context(tmp_path), args)


# -- project --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "python3 -m pytest -q"),
        ({"pyproject.toml": "[project]\n", "tests/test_a.py": ""}, "python3 -m pytest -q"),
        ({"pyproject.toml": "[project]\n"}, ""),
        ({"pytest.ini": "", ".venv/bin/python": ""}, ".venv/bin/python -m pytest -q"),
        ({"test_a.py": ""}, "python3 -m pytest -q"),
        ({"package.json": '{"scripts": {"test": "jest"}}'}, "npm test"),
        ({"package.json": '{"scripts": {"test": "jest"}}', "pnpm-lock.yaml": ""}, "pnpm test"),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, ""),
        ({"package.json": '{"scripts": {}}'}, ""),
        ({"package.json": '{"scripts": 5}'}, ""),
        ({"package.json": "[" * 100_000}, ""),
        ({"package.json": "\ufeff{"}, ""),
        ({"Makefile": "all:\n\ttrue\ntest: all\n\ttrue\n"}, "make test"),
        ({"Makefile": "test := 5\nall:\n"}, ""),
        ({"Cargo.toml": ""}, "cargo test"),
        ({"go.mod": ""}, "go test ./..."),
        ({"a.txt": ""}, ""),
        ({}, ""),
    ],
)
async def test_what_a_project_declares(tmp_path: Path, files: dict[str, str], command: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    answer = json.loads(await project.probe.look(context(tmp_path), "{}"))
    assert answer == {"command": command, "cwd": str(tmp_path) if command else ""}


async def test_only_the_workspace_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n")
    (tmp_path / "ws").mkdir()
    answer = json.loads(await project.probe.look(context(tmp_path / "ws", cwd=str(tmp_path)), "{}"))
    assert answer["command"] == ""


async def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.json")
    assert json.loads(await project.probe.look(context(tmp_path), "{}"))["command"] == ""


# -- claims ---------------------------------------------------------------------------------------------------------
async def told(folder: Path, asked: dict[str, Any], **parts: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(await claims.probe.look(context(folder, **parts), json.dumps(asked)))
    return answer


async def test_the_first_place_where_it_is_counts(tmp_path: Path) -> None:
    (tmp_path / "a.sh").touch()
    (tmp_path / "a.sh").chmod(0o755)
    places = [str(tmp_path / "none" / "a.sh"), str(tmp_path / "a.sh" / "x"), str(tmp_path / "a.sh")]
    answer = await told(tmp_path, {"paths": {"a.sh": places, "b": [str(tmp_path / "b")]}})
    assert answer["paths"] == {"a.sh": {"there": True, "mode": 0o755}, "b": {"there": False, "mode": 0}}


@pytest.mark.parametrize("place", ["~/a", "a", "/x\0y", "/own/a"])
async def test_what_cant_be_told_is_null(tmp_path: Path, place: str) -> None:
    assert (await told(tmp_path, {"paths": {"a": [place]}}, forbidden=("/own",)))["paths"] == {"a": None}
    assert (await told(tmp_path, {"paths": {"a": ["/tmp/a-b-c"]}}, box=True))["paths"] == {"a": None}


async def test_a_port_is_seen_without_being_called(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert (await told(tmp_path, {"ports": [port]}))["ports"] == {str(port): True}
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert (await told(tmp_path, {"ports": [port]}))["ports"] == {str(port): False}


async def test_without_the_kernels_table_a_port_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "TABLES", (str(tmp_path / "none"),))
    assert (await told(tmp_path, {"ports": [80]}))["ports"] == {"80": None}


async def test_a_question_without_bounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at most"):
        await told(tmp_path, {"paths": {str(number): [] for number in range(claims.PATHS + 1)}})
