"""Calls of other tools than the shell, and our own state through all doors."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agent.policy import Tier, World, judge
from agent.steps import Call
from tests.fakes.commands import OWN, SCENE, WORKSPACE, judged


def tier(tool: str, effect: str = "write", tainted: bool = False, **arguments: Any) -> Tier:
    return judge(Call("c", tool, json.dumps(arguments)), effect, replace(SCENE, tainted=tainted)).tier


@pytest.mark.parametrize(
    ("path", "reads", "writes"),
    [
        ("x", 0, 1),
        ("./a/../x", 0, 1),
        (f"{WORKSPACE}/deep/x", 0, 1),
        ("/etc/hosts", 0, 2),
        ("../x", 0, 2),
        ("/home/u/ws2/x", 0, 2),
        ("/home/u/ws", 0, 1),
        ("/", 0, 2),
        (".git/hooks/pre-commit", 0, 2),
        (".git/config", 0, 2),
        ("/home/u/.bashrc", 0, 2),
        ("/home/u/.ssh/authorized_keys", 0, 2),
        ("/etc/systemd/system/x.service", 0, 2),
        ("/etc/cron.d/x", 0, 2),
        (f"{OWN}/config.toml", 3, 3),
        ("../.jarvis/config.toml", 3, 3),
        ("/home/u/./.jarvis//x", 3, 3),
        ("/proc/self/root/home/u/.jarvis/x", 3, 3),
        (OWN, 3, 3),
        (f"{OWN}2/x", 0, 2),
        ("/home/u/.ssh/id_ed25519", 3, 3),
        ("/home/u/.ssh/id_ed25519.pub", 0, 2),
        ("/home/u/.aws/credentials", 3, 3),
        ("/home/u/.config/gcloud/x", 3, 3),
        ("/home/u/.kube/config", 3, 3),
        ("/home/u/.netrc", 3, 3),
        ("/srv/tls/privkey.pem", 3, 3),
        ("/srv/tls/cert.pem", 0, 2),
        ("test/key.pem", 0, 1),
        ("/etc/shadow", 3, 3),
        ("/proc/1/environ", 3, 3),
        ("/dev/sda", 3, 3),
        ("/dev/mem", 3, 3),
    ],
)
def test_files_are_judged_by_where_they_are(path: str, reads: int, writes: int) -> None:
    assert tier("read_file", "read", path=path) == tier("send_file", "read", path=path) == reads
    assert tier("write_file", path=path, content="") == writes
    assert tier("edit_file", path=path, old="a", new="b") == writes


@pytest.mark.parametrize(
    ("path", "lists", "searches"),
    [(".", 0, 0), ("/etc", 0, 0), ("/home/u/.ssh", 0, 3), (OWN, 3, 3), ("/home/u", 0, 3), ("/", 0, 3)],
)
def test_listing_shows_names_and_searching_shows_content(path: str, lists: int, searches: int) -> None:
    assert tier("list_dir", "read", path=path) == lists
    assert tier("search", "read", path=path, pattern="x") == searches


@pytest.mark.parametrize(
    ("tool", "effect", "plain", "tainted"),
    [
        ("plan", "read", 0, 0),
        ("task_complete", "read", 0, 0),
        ("web_fetch", "read", 0, 2),
        ("send_file", "read", 0, 2),
        ("web_search", "read", 0, 2),
        ("save_tool", "write", 2, 2),
        ("delete_tool", "write", 2, 2),
        ("anything", "write", 2, 2),
        ("anything", "read", 0, 0),
    ],
)
def test_other_tools_count_as_what_they_declare(tool: str, effect: str, plain: int, tainted: int) -> None:
    assert (tier(tool, effect), tier(tool, effect, tainted=True)) == (plain, tainted)


@pytest.mark.parametrize(
    ("action", "expected"), [("list", 0), ("tail", 0), ("wait", 0), ("kill", 1), ("KILL", 1), (None, 1), ("", 1)]
)
def test_looking_at_jobs_reads_and_ending_one_changes(action: str | None, expected: int) -> None:
    assert tier("jobs", "read", action=action, id="j1") == expected
    assert tier("jobs", "read", id="j1") == 1


@pytest.mark.parametrize("background", [True, "true", 1])
def test_a_background_command_leaves_the_box_whatever_it_is(background: object) -> None:
    assert tier("shell", command="ls", background=background) == 2
    assert tier("shell", command="ls", background=False) == 0


@pytest.mark.parametrize("raw", ["", "[]", "{", "null", '{"command": 1', '{"command": "ls", "command": "ls"}', "{}"])
def test_a_call_that_can_t_be_read_never_runs(raw: str) -> None:
    assert judge(Call("c", "shell", raw), "write", SCENE).tier == Tier.NEVER


def test_arguments_are_read_as_the_tool_will_read_them() -> None:
    inner = json.dumps({"command": "touch /etc/x"})
    for raw in (inner, json.dumps(inner), f"```json\n{inner}\n```", '{"command": "touch /etc/x",}'):
        assert judge(Call("c", "shell", raw), "write", SCENE).tier == Tier.LEAVE


@pytest.mark.parametrize("background", [True, False])
def test_a_background_job_leaves_the_box(background: bool) -> None:
    assert tier("shell", command="make", background=background) == (2 if background else 1)


@pytest.mark.parametrize("home", ["", "/home/u"])
@pytest.mark.parametrize("spelling", ["~/.jarvis/x", "$HOME/.jarvis/x", "${HOME}/.jarvis", "/home/u/.jarvis/x"])
def test_our_own_state_is_found_without_knowing_the_home(home: str, spelling: str) -> None:
    assert judged(f"cat {spelling}", replace(SCENE, home=home)).tier == Tier.NEVER


@pytest.mark.parametrize("path", ["/home/u/.jarvisx/a", "/home/u/jarvis/a", "/home/u/.jarvis-old/a", "x.jarvis"])
def test_what_only_looks_like_our_own_state_is_not(path: str) -> None:
    assert judged(f"cat {path}").tier == Tier.READ
    assert judged(f"python3 -c \"open('{path}')\"").tier == Tier.CHANGE


@pytest.mark.parametrize(
    ("command", "link", "real", "expected"),
    [
        ("cat link", "link", f"{OWN}/x", 3),
        ("cat a/../link/x", "a/../link/x", f"{OWN}/x", 3),
        ("cat < link", "link", f"{OWN}/x", 3),
        ("touch link", "link", "/etc/x", 2),
        ("touch link", "link", f"{WORKSPACE}/y", 1),
        ("cd link && touch x", "link", "/etc", 1),  # the sandbox's part: a folder entered is known by its name only
        ("tee out < link", "link", "/home/u/.ssh/id_rsa", 3),
    ],
)
def test_the_disk_has_the_last_word(command: str, link: str, real: str, expected: int) -> None:
    world = World(paths={f"{WORKSPACE}/{link}": real})
    assert judged(command, replace(SCENE, world=world)).tier == expected


def test_scratch_folders_count_as_inside_for_the_shell_alone() -> None:
    scene = replace(SCENE, scratch=("/tmp",))
    assert judged("touch /tmp/x").tier == Tier.LEAVE
    assert judged("touch /tmp/x", scene).tier == Tier.CHANGE
    assert judge(Call("c", "write_file", '{"path": "/tmp/x", "content": ""}'), "write", scene).tier == Tier.LEAVE


def test_what_must_be_looked_up_is_told() -> None:
    asked = judged("bash x.sh; ./run < in > out; make; mytool a").questions
    assert set(asked.scripts) >= {f"{WORKSPACE}/{name}" for name in ("x.sh", "Makefile")}
    assert f"{WORKSPACE}/./run" in asked.scripts
    assert {f"{WORKSPACE}/in", f"{WORKSPACE}/out", WORKSPACE} <= set(asked.paths)
    assert set(asked.executables) == {"./run", "mytool"}
