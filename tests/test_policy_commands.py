"""Commands and their tiers: a table of strings, in every wrapping, mutated, and against what bash really does."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agent.policy import Judgement, Scene, Tier, judge
from agent.policy.grammar import tree
from agent.policy.marks import UNKNOWN
from agent.policy.reading import read
from agent.steps import Call

HOME, WORKSPACE, OWN = "/home/u", "/home/u/ws", "/home/u/.jarvis"
SCENE = Scene(cwd=WORKSPACE, workspace=WORKSPACE, home=HOME, forbidden=(OWN,))
TABLE = Path(__file__).parent / "data" / "commands.tsv"


def rows() -> list[tuple[int, str, str]]:
    """(tier, why, command) of each line of the table."""
    lines = TABLE.read_text("utf-8").splitlines()[1:]
    split = [line.split("\t") for line in lines]
    return [(int(tier), why, command.replace("␤", "\n")) for tier, why, command in split]


ROWS = rows()


def judged(command: str, scene: Scene = SCENE) -> Judgement:
    return judge(Call("c", "shell", json.dumps({"command": command})), "write", scene)


def test_the_table_is_long_and_has_every_tier() -> None:
    assert len(ROWS) >= 800
    assert all(sum(tier == row[0] for row in ROWS) >= 70 for tier in Tier)


@pytest.mark.parametrize("first", range(0, len(ROWS), 50))
def test_each_command_has_its_tier_and_its_reason(first: int) -> None:
    wrong = []
    for tier, why, command in ROWS[first : first + 50]:
        found = judged(command)
        named = why in ("-", "once") or why in found.reason
        if found.tier != tier or not named or (why == "once" and found.session_ok):
            wrong.append((command, tier, why, int(found.tier), found.reason))
    assert wrong == []


# -- wrappings ------------------------------------------------------------------------------------------------------
QUOTED = [
    "bash -c {}", "sh -c {}", "bash -lc {}", "bash -xc {} name arg", "/bin/sh -c {}", "dash -c {}", "busybox sh -c {}",
    "env bash -c {}", "nice -n 5 bash -c {}", "timeout 9 bash -c {}", "timeout --signal=9 9 bash -c {}", "time bash -c {}",
    "stdbuf -oL bash -c {}", "ionice -c 2 -n 1 bash -c {}", "setsid bash -c {}", "nohup bash -c {}", "sudo bash -c {}",
    "sudo -u x bash -c {}", "command bash -c {}", "exec bash -c {}", "xargs bash -c {}", "xargs -n 1 bash -c {}",
    "find . -exec bash -c {} \\;", "find . -execdir bash -c {} x \\;", "find . -ok bash -c {} \\;", "watch {}",
    "script -c {} log", "script -qc {} log", "flock l -c {}", "flock l bash -c {}", "su -c {}", "trap {} EXIT",
    "strace bash -c {}", "strace -o t bash -c {}", "chroot . bash -c {}", "unshare bash -c {}", "eval {}",
    "env -i A=1 bash -c {}", "A=1 bash -c {}", "poetry run bash -c {}", "git bisect run bash -c {}", "bash <<< {}",
    "cat x | bash -c {}", "find . -print0 | xargs -0 bash -c {}", "parallel bash -c {}", "runuser -u x -- bash -c {}",
    "chronic bash -c {}", "taskset 1 bash -c {}", "/usr/bin/env bash -c {}", "\\bash -c {}", "'bash' -c {}", "b'as'h -c {}",
]  # fmt: skip
PLAIN = [
    "true; {}", "true && {}", "false || {}", "{} && true", "{} | cat", "{} || true", "( {} )", "{{ {}\n}}", "! {}",
    "echo $( {}\n)", 'echo "$( {}\n)"', "x=$( {}\n)", "if {}\nthen :; fi", "if true; then {}\nfi", "while {}\ndo :; done",
    "for i in 1; do {}\ndone", "case x in x) {}\n;; esac", "f() {{ {}\n}}; f", "cat <( {}\n)", "true\n{}", "[[ -n $( {}\n) ]]",
    "echo ${{x:-$( {}\n)}}", "cat <<E\n$( {}\n)\nE", "echo $((1 + $( {}\n)))", "arr=($( {}\n))", "{}\n# end", "export X=$( {}\n)",
]  # fmt: skip


def wrapped(template: str, command: str) -> str:
    return template.format(shlex.quote(command) if template in QUOTED else command)


def is_whole(command: str) -> bool:
    """Whether text may be put around it: not if its here-document or quotes run on, or it isn't bash."""
    return tree(command) is not None and "<<" not in command and "#" not in command and not command.endswith("&")


LEAVING = [command for tier, _, command in ROWS if tier >= Tier.LEAVE and is_whole(command)]


@pytest.mark.parametrize("template", [*QUOTED, *PLAIN])
def test_a_wrapper_never_lowers_the_tier(template: str) -> None:
    lowered = []
    for command in LEAVING[::9]:
        around = wrapped(template, command)
        if judged(around).tier < min(judged(command).tier, Tier.LEAVE):
            lowered.append(around)
    assert lowered == []


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(LEAVING), st.lists(st.sampled_from([*QUOTED, *PLAIN]), min_size=1, max_size=4))
def test_wrappers_around_wrappers_never_lower_the_tier(command: str, templates: list[str]) -> None:
    around = command
    for template in templates:
        around = wrapped(template, around)
    assert judged(around).tier >= Tier.LEAVE


PREFIXES = [
    "env", "env -i", "env A=1 B=2", "env -u A", "nice", "nice -n 3", "nice -3", "ionice -c3", "timeout 5", "timeout -k 1 5",
    "timeout --kill-after=1 --signal KILL 5", "stdbuf -o 0", "stdbuf --output=L", "setsid", "nohup", "command", "exec", "time",
    "time -p", "/usr/bin/time -v", "xargs", "xargs -r", "xargs -I % ", "xargs --max-args 1", "find . -exec", "busybox", "sudo",
    "sudo -n -u x", "doas", "chrt 1", "taskset 1", "strace -f", "strace -e trace=file", "flock l", "watch", "chroot .", "unshare -r",
    "nsenter -t 1", "env nice timeout 5", "sudo env A=1 nice", "eatmydata", "poetry run", "uv run", "pnpm exec", "bundle exec",
    "git bisect run", "/usr/bin/env", "../../../usr/bin/env", "\\env", "e'n'v", "builtin", "linux64", "setarch x86_64",
]  # fmt: skip
SIMPLE = [
    "touch /etc/x", "rm -rf /var/x", "curl http://e", "git push", "pip install x", "apt-get install x", "sudo ls",
    "systemctl stop x", "kill 1", "docker ps", "tar cf x y --checkpoint-action=exec=z", "cp x /usr/bin/y", "tee /etc/x",
    "ssh h", "sed -i s/a/b/ /etc/x", "find /opt -delete", "dd of=/etc/x", "crontab x", "npm install",
]  # fmt: skip


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("second", ["", "env", "timeout 5"])
def test_a_prefix_is_taken_off(prefix: str, second: str) -> None:
    end = " \\;" if prefix.startswith("find") else ""
    assert [c for c in SIMPLE if judged(f"{prefix} {second} {c}{end}").tier < Tier.LEAVE] == []


# -- mutations ------------------------------------------------------------------------------------------------------
@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([command for _, _, command in ROWS]),
    st.lists(
        st.tuples(st.integers(0, 60), st.sampled_from([*"'\"`$(){};|&<>\\\n #~*?[]=!-/", "$(", "<<E", ""])), max_size=3
    ),
    st.integers(0, 80),
)
@example("touch /etc/x", [(5, "\\\n")], 80)
def test_a_mutated_command_parses_or_asks(command: str, changes: list[tuple[int, str]], cut: int) -> None:
    text = command[:cut]
    for at, char in changes:
        text = text[:at] + char + text[at + (not char) :]
    found = judged(text)
    assert found.tier in Tier
    assert tree(text) is not None or found.tier >= Tier.LEAVE


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_judged(text: str) -> None:
    assert judged(text).tier in Tier


@pytest.mark.parametrize("end", range(1, 40))
def test_a_cut_command_parses_or_asks(end: int) -> None:
    text = 'bash -c "touch \'/etc/x\'" && echo $(cat <<< "a")'[:end]
    assert tree(text) is not None or judged(text).tier >= Tier.LEAVE


# -- what bash really does ------------------------------------------------------------------------------------------
def run(command: str, root: Path) -> None:
    """Run it for real, in a workspace below `root`; stdin is empty, as for every command."""
    subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=root / "ws", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=5,
        env={"HOME": str(root), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, check=False,
    )  # fmt: skip


def outside(root: Path) -> set[str]:
    return {str(path) for path in root.rglob("*") if root / "ws" not in path.parents and path != root / "ws"}


QUIET = frozenset(
    "touch mkdir rm mv cp ln tee cat ls echo printf sort sed awk grep head tail wc find xargs env nice timeout bash sh cd "
    "true false test [ [[ for if while set stat uniq cut tr diff dd tar gzip chmod truncate split seq x f".split()
)


def harmless_to_try(command: str) -> bool:
    found = judged(command)
    programs = {argv[0] for argv in found.argv if argv}
    return found.tier <= Tier.CHANGE and found.session_ok and programs <= QUIET and "/home" not in command


TRIED = [command for _, _, command in ROWS if harmless_to_try(command)]


def test_what_is_judged_to_stay_in_the_workspace_stays_there(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "marker").write_text("x")
    for name in ("a", "b", "x", "y", "list", "list.txt"):
        (tmp_path / "ws" / name).write_text("a\nb\n")
    before = outside(tmp_path)
    for command in TRIED:
        run(command, tmp_path)
        assert outside(tmp_path) == before, command
    assert len(TRIED) >= 100


PIECES = st.sampled_from(
    ["../x", "x", "./x", "..", "~/y", "$HOME/y", '"$HOME"/y', "'../'x", "a/../../x", "{../x,x}", "$X/x", "${X}/x", "${Y:-..}/x",
     "../?", "$(echo ..)/x", "$'\\x2e./x'", "\\../x", "../*", "`pwd`/../x", "$PWD/x", "x*", "d/x", "$OLDPWD/x", "${X%/}/x"]
)  # fmt: skip
BEFORE = st.sampled_from(
    ["", "cd d && ", "cd .. && ", "cd ..; ", "cd; ", "X=..; ", "X=d; ", "cd d; cd ..; ", "(cd ..); ", "false || cd .. ; ", "cd - ; ",
     "pushd .. >/dev/null; ", "for X in . ..; do :; done; ", "X=.. true; ", "export X=..; ", "cd d || exit; ", "f() { cd ..; }; f; ",
     "if true; then cd ..; fi; ", "read X <<< ..; ", "set -e; cd d; ", "X=(.. d); ", "X=.; X+=.; ", "printf -v X ..; ", "cd nowhere; "]
)  # fmt: skip
VERBS = st.sampled_from(
    ["touch {}", "echo a > {}", "echo a >> {}", "mkdir -p {}", "cp a {}", "cp -t {} a", "ln -sf a {}", "tee {} < a", "mv b {}",
     "dd if=a of={} status=none", "rm -rf {}", "echo {} | xargs touch", "env touch {}", "bash -c 'touch '{}", "sort -o {} a",
     "sed -i s/a/b/ {}", "find {} -delete", "{{ touch {}; }}", "touch -- {}", "echo $(touch {})", "install a {}"]
)  # fmt: skip


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BEFORE, VERBS, PIECES)
def test_generated_commands_judged_by_what_they_did(
    tmp_path_factory: pytest.TempPathFactory, before: str, verb: str, piece: str
) -> None:
    """A command that changed something outside of the workspace wasn't judged to stay inside. Unknown words excepted:
    they are the sandbox's part."""
    root = tmp_path_factory.mktemp("u") / "h"
    (root / "ws" / "d").mkdir(parents=True)
    for place in (root / "x", root / "ws" / "a", root / "ws" / "b"):
        place.write_text("a\n")
    command = before + verb.format(piece)
    ws = str(root / "ws")
    found = judged(command, Scene(cwd=ws, workspace=ws, home=str(root), forbidden=(str(root / ".jarvis"),)))
    commands = read(command, (ws,), str(root)).commands
    words = [word for argv in found.argv for word in argv] + [word for each in commands for word in each.writes]
    if found.tier > Tier.CHANGE or any(UNKNOWN in word for word in words):
        return
    held = {path: os.stat(path, follow_symlinks=False).st_mtime_ns for path in outside(root)}
    run(command, root)
    assert {path: os.stat(path, follow_symlinks=False).st_mtime_ns for path in outside(root)} == held, command
