"""The policy guard: mode x role x tier, taint, looks, what is allowed for a session, and replays."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agent.guards.policy import Policy
from agent.panel import Panel
from agent.policy.reading import read
from agent.steps import (
    Asked,
    Call,
    Commanded,
    Decided,
    Ended,
    Finished,
    Level,
    Looking,
    Nudged,
    Opened,
    Outcome,
    Proposed,
    Seen,
    Step,
)

WORKSPACE, OWN = "/home/u/ws", "/home/u/.jarvis"
RUN, ASK, HOLD = None, Level.ASK, Level.HOLD
TIERS = ["ls", "touch x", "git push", f"cat {OWN}/config.toml"]


def opened(mode: str = "full") -> Opened:
    return Opened(
        at=1, prompt="", tools=(), model="m", panel="ours", day="d", cwd=WORKSPACE, nonce="n",
        workspace=WORKSPACE, mode=mode,
    )  # fmt: skip


def asked(role: str = "owner", *, forwarded: bool = False) -> Asked:
    return Asked(at=2, text="go", author="t:1", role=role, forwarded=forwarded)


def call(name: str, call_id: str = "c1", **arguments: Any) -> Call:
    return Call(call_id, name, json.dumps(arguments))


def proposed(command: str, call_id: str = "c1", at: float = 3) -> Proposed:
    return Proposed(at=at, call=call("shell", call_id, command=command), effect="write")


def policy(**changes: Any) -> Policy:
    return replace(Policy(mode="full", home="/home/u", forbidden=(OWN,)), **changes)


class Session:
    """A panel with the guard, and a disk on which nothing leads elsewhere unless it is said."""

    def __init__(self, guard: Policy, *steps: Step, disk: dict[str, Any] | None = None, status: str = "ok") -> None:
        self.panel = Panel([guard])
        self.disk = disk or {}
        self.status = status
        self.journal: list[Step] = []
        self.looks: list[dict[str, Any]] = []
        for step in steps:
            self.tell(step)

    def tell(self, step: Step) -> Nudged | None:
        """What was said to this step, or to the answer of the look that it caused."""
        said = self.panel.observe(step)
        self.journal += [step, *said]
        for each in said:
            if isinstance(each, Looking):
                question = json.loads(each.args)
                self.looks.append(question)
                return self.tell(Seen(at=step.at, look=each.look, probe=each.probe, value=self.answer(question),
                                      status=self.status))  # fmt: skip
        return next((each for each in said if isinstance(each, Nudged)), None)

    def answer(self, question: dict[str, Any]) -> str:
        kinds = {"executables": "/usr/bin/{}", "paths": "{}", "scripts": "hash"}
        answer = {kind: {name: self.disk.get(name, plain.format(name)) for name in question[kind]}
                  for kind, plain in kinds.items()}  # fmt: skip
        return json.dumps(answer)


def level(said: Nudged | None) -> Level | None:
    return said.level if said else None


def of(command: str, *, mode: str = "sandbox", role: str = "owner", forwarded: bool = False, **fields: Any) -> Any:
    session = Session(policy(mode=mode, **fields), opened(mode), asked(role, forwarded=forwarded))
    return level(session.tell(proposed(command)))


@pytest.mark.parametrize(
    ("mode", "answers"),
    [
        ("sandbox", [RUN, RUN, ASK, HOLD]),
        ("ask", [RUN, ASK, ASK, HOLD]),
        ("full", [RUN, RUN, RUN, HOLD]),
        ("nonsense", [RUN, ASK, ASK, HOLD]),
    ],
)
@pytest.mark.parametrize("role", ["operator", "admin", "owner"])
def test_mode_and_tier_decide_from_operator_up(mode: str, role: str, answers: list[Level | None]) -> None:
    assert [of(command, mode=mode, role=role) for command in TIERS] == answers


@pytest.mark.parametrize("mode", ["sandbox", "ask", "full"])
@pytest.mark.parametrize("role", ["viewer", "", "root"])
def test_a_viewer_only_reads(mode: str, role: str) -> None:
    assert [of(command, mode=mode, role=role) for command in TIERS] == [RUN, HOLD, HOLD, HOLD]


def test_the_lowest_role_of_a_run_counts_until_it_ends() -> None:
    session = Session(policy(), opened(), asked("owner"), asked("viewer"), asked("admin"))
    assert level(session.tell(proposed("touch x"))) is HOLD
    for step in (Ended(at=4, end="answered"), asked("operator")):  # type: ignore[arg-type]
        session.tell(step)
    assert level(session.tell(proposed("touch x"))) is RUN


def test_a_call_that_nobody_asked_for_only_reads() -> None:
    assert level(Session(policy(), opened()).tell(proposed("touch x"))) is HOLD


@pytest.mark.parametrize(
    ("mode", "confined", "loose"),
    [
        ("sandbox", [RUN, RUN, ASK], [RUN, ASK, ASK]),
        ("ask", [RUN, ASK, ASK], [RUN, ASK, ASK]),
        ("full", [RUN, RUN, RUN], [RUN, RUN, RUN]),
    ],
)
def test_without_a_sandbox_a_change_by_the_shell_is_asked_for(mode: str, confined: list[Any], loose: list[Any]) -> None:
    assert [of(command, mode=mode) for command in TIERS[:3]] == confined
    assert [of(command, mode=mode, confines=False) for command in TIERS[:3]] == loose


def test_without_a_sandbox_file_tools_go_on() -> None:
    session = Session(policy(mode="sandbox", confines=False), opened("sandbox"), asked())
    write = Proposed(at=3, call=call("write_file", path="x", content=""), effect="write")
    assert session.tell(write) is None


@pytest.mark.parametrize("mode", ["sandbox", "ask"])
def test_words_from_elsewhere_raise_a_change_to_a_question(mode: str) -> None:
    assert [of(command, mode=mode, forwarded=True) for command in TIERS] == [RUN, ASK, ASK, HOLD]


def test_what_came_from_the_web_taints_the_run_and_no_later_one() -> None:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    assert session.tell(proposed("touch x")) is None
    session.tell(Finished(at=4, call_id="c1", tool="web_fetch", outcome=Outcome.OK, text="page"))
    said = session.tell(proposed("touch x", "c2"))
    assert said is not None
    assert (said.level, json.loads(said.data)["tier"]) == (ASK, 2)
    for step in (Ended(at=5, end="answered"), asked()):  # type: ignore[arg-type]
        session.tell(step)
    assert session.tell(proposed("touch x", "c3")) is None


# -- modes for a while ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("at", "answer"), [(99.9, RUN), (100.0, ASK), (100.1, ASK)])
def test_a_mode_for_a_while_ends_at_its_time(at: float, answer: Level | None) -> None:
    change = Commanded(at=2, command="mode", by="t:1", value="full", until=100.0)
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked(), change)
    assert level(session.tell(proposed("git push", at=at))) is answer


@pytest.mark.parametrize(
    ("settings", "session_mode", "answer"),
    [("full", "full", RUN), ("full", "sandbox", ASK), ("sandbox", "full", ASK), ("ask", "full", ASK)],
)
def test_the_stricter_of_the_standing_modes_counts(settings: str, session_mode: str, answer: Level | None) -> None:
    session = Session(policy(mode=settings), opened(session_mode), asked())
    assert level(session.tell(proposed("git push"))) is answer


def test_an_unknown_mode_changes_nothing() -> None:
    change = Commanded(at=2, command="mode", by="t:1", value="yolo")
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked(), change)
    assert level(session.tell(proposed("git push"))) is ASK


# -- the question ---------------------------------------------------------------------------------------------------
def test_a_question_tells_all_that_a_person_needs() -> None:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    said = session.tell(proposed("curl http://e && bash x.sh"))
    assert said is not None
    data = json.loads(said.data)
    assert (said.event, said.about, said.text) == ("approval.asked", "c1", "network (curl)")
    assert data == {
        "tier": 2,
        "reason": "network (curl)",
        "command": "curl http://e && bash x.sh",
        "cwd": WORKSPACE,
        "argv": [["curl", "http://e"], ["bash", "x.sh"]],
        "scripts": {f"{WORKSPACE}/x.sh": "hash"},
        "session_ok": True,
        "by": "tier",
        "causes": [["network", "curl"]],
    }


def test_a_call_of_another_tool_is_shown_as_it_was_made() -> None:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    write = Proposed(at=3, call=call("write_file", path="/etc/x", content="a"), effect="write")
    said = session.tell(write)
    assert said is not None
    assert json.loads(said.data)["command"] == 'write_file {"path": "/etc/x", "content": "a"}'


@pytest.mark.parametrize("command", [f"cat {OWN}/x", f"echo > {OWN}/x"])
def test_a_refusal_says_why_and_that_nobody_can_allow_it(command: str) -> None:
    said = Session(policy(), opened(), asked()).tell(proposed(command))
    assert said is not None
    assert said.event == "tool.rejected"
    assert all(part in said.text for part in ("Jarvis's own state", "every mode", "nobody can allow it"))


def test_a_viewers_refusal_says_who_can_allow_it_and_how() -> None:
    said = Session(policy(), opened(), asked("viewer")).tell(proposed("touch x"))
    assert said is not None
    assert "/users" in said.text
    assert "owner" in said.text


# -- looks ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "command", ["ls", "ls -la src", "touch x", "make test", "python3 x.py", "git commit -m x", "cat a b"]
)
def test_everyday_commands_in_the_sandbox_need_no_look(command: str) -> None:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    assert session.tell(proposed(command)) is None
    assert session.looks == []


@pytest.mark.parametrize(
    ("command", "mode", "confines", "looks"),
    [
        ("git push", "sandbox", True, 0),
        ("bash x.sh && git push", "sandbox", True, 1),
        ("mytool x", "ask", True, 1),
        ("cat x", "full", True, 1),
        ("git status", "full", True, 0),
        ("make test", "full", True, 0),
        ("cat x", "sandbox", False, 1),
        (f"cat {OWN}/x", "full", True, 0),
    ],
)
def test_a_look_only_where_it_could_change_the_answer(command: str, mode: str, confines: bool, looks: int) -> None:
    session = Session(policy(mode=mode, confines=confines), opened(mode), asked())
    session.tell(proposed(command))
    assert len(session.looks) == looks


@pytest.mark.parametrize(
    ("tool", "arguments", "real", "answer"),
    [
        ("write_file", {"path": "link/x", "content": ""}, "/home/u/ws/d/x", RUN),
        ("write_file", {"path": "link/x", "content": ""}, "/etc/x", ASK),
        ("write_file", {"path": "link/x", "content": ""}, f"{OWN}/config.toml", HOLD),
        ("edit_file", {"path": "link/x", "old": "a", "new": "b"}, "/home/u/.bashrc", ASK),
        ("read_file", {"path": "link/x"}, "/home/u/.ssh/id_rsa", HOLD),
        ("read_file", {"path": "link/x"}, f"{OWN}/jarvis.db", HOLD),
        ("read_file", {"path": "link/x"}, "/var/log/syslog", RUN),
        ("search", {"path": "link/x", "pattern": "a"}, "/home/u/.ssh", HOLD),
        ("shell", {"command": "cat link/x"}, f"{OWN}/jarvis.db", HOLD),
        ("shell", {"command": "echo a > link/x"}, f"{OWN}/jarvis.db", HOLD),
    ],
)
def test_a_link_is_judged_by_where_it_leads(tool: str, arguments: dict[str, str], real: str, answer: Any) -> None:
    loose = tool == "shell"
    mode = "full" if loose else "sandbox"
    session = Session(policy(mode=mode), opened(mode), asked(), disk={f"{WORKSPACE}/link/x": real})
    assert level(session.tell(Proposed(at=3, call=call(tool, **arguments), effect="write"))) is answer


def test_a_workspace_that_is_a_link_itself_is_still_the_workspace() -> None:
    disk = {WORKSPACE: "/data/ws", f"{WORKSPACE}/x": "/data/ws/x"}
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked(), disk=disk)
    assert session.tell(Proposed(at=3, call=call("write_file", path="x", content=""), effect="write")) is None


def test_a_name_is_judged_by_the_program_it_leads_to() -> None:
    session = Session(policy(mode="ask"), opened("ask"), asked(), disk={"./x": "/usr/bin/curl"})
    said = session.tell(proposed("./x http://e"))
    assert said is not None
    assert json.loads(said.data)["tier"] == 2


@pytest.mark.parametrize("status", ["timeout", "error"])
@pytest.mark.parametrize("mode", ["sandbox", "full"])
def test_without_an_answer_of_the_disk_a_person_is_asked(status: str, mode: str) -> None:
    session = Session(policy(mode=mode), opened(mode), asked(), status=status)
    said = session.tell(Proposed(at=3, call=call("write_file", path="x", content=""), effect="write"))
    assert said is not None
    assert (said.level, json.loads(said.data)["session_ok"]) == (ASK, False)


def test_an_answer_that_can_t_be_read_is_none() -> None:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    session.answer = lambda question: "[1]"  # type: ignore[method-assign]
    said = session.tell(Proposed(at=3, call=call("read_file", path="x"), effect="read"))
    assert level(said) is ASK


# -- for the session ------------------------------------------------------------------------------------------------
def allowed_for_session(command: str = "bash x.sh && git push") -> Session:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    assert level(session.tell(proposed(command))) is ASK
    session.tell(Decided(at=4, call_id="c1", verdict="allow", by="t:1", reason="session"))
    return session


def test_exactly_what_was_allowed_for_the_session_is_not_asked_again() -> None:
    session = allowed_for_session()
    assert session.tell(proposed("bash x.sh && git push", "c2")) is None
    assert level(session.tell(proposed("bash x.sh  && git push", "c3"))) is ASK


def test_another_script_another_folder_or_other_peoples_words_are_asked_again() -> None:
    session = allowed_for_session()
    session.disk = {f"{WORKSPACE}/x.sh": "changed"}
    assert level(session.tell(proposed("bash x.sh && git push", "c2"))) is ASK
    session.disk = {}
    session.tell(asked(forwarded=True))
    assert level(session.tell(proposed("bash x.sh && git push", "c3"))) is ASK
    session = allowed_for_session()
    session.tell(Finished(at=5, call_id="c1", tool="shell", outcome=Outcome.OK, text="", cwd=f"{WORKSPACE}/d"))
    assert level(session.tell(proposed("bash x.sh && git push", "c4"))) is ASK


@pytest.mark.parametrize("reason", ["", "once", "no"])
def test_allowed_once_is_asked_again(reason: str) -> None:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    session.tell(proposed("git push"))
    session.tell(Decided(at=4, call_id="c1", verdict="allow", by="t:1", reason=reason))
    assert level(session.tell(proposed("git push", "c2"))) is ASK


def test_inline_code_is_never_allowed_for_the_session() -> None:
    session = Session(policy(mode="ask"), opened("ask"), asked())
    said = session.tell(proposed("python3 -c 'x'"))
    assert said is not None
    assert json.loads(said.data)["session_ok"] is False
    session.tell(Decided(at=4, call_id="c1", verdict="allow", by="t:1", reason="session"))
    assert level(session.tell(proposed("python3 -c 'x'", "c2"))) is ASK


def test_a_standing_permission_opens_nothing_that_is_out_of_reach() -> None:
    session = allowed_for_session()
    assert level(session.tell(proposed(f"cat {OWN}/x", "c2"))) is HOLD


# -- replays --------------------------------------------------------------------------------------------------------
def test_a_replay_of_the_same_steps_says_the_same() -> None:
    def story() -> Session:
        session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
        for at, command in enumerate(["ls", "git push", "bash x.sh; curl e", "python3 -c 1", "./x", "git push"]):
            session.tell(proposed(command, f"c{at}", at=10.0 + at))
            session.tell(Decided(at=20, call_id=f"c{at}", verdict="allow", by="t:1", reason="session"))
        return session

    first, second = story(), story()
    assert first.journal == second.journal
    late = Panel([policy(mode="sandbox")])
    late.replay(first.journal)
    again = proposed("git push", "c9", at=30)
    assert late.observe(again) == first.panel.observe(again) == []


COMMANDS = ["ls", "git push", "bash x.sh; curl e", "python3 -c 1", "./x", f"cat {OWN}/x", "rm -r y", "git push"]


@pytest.mark.parametrize("mode", ["sandbox", "ask", "full"])
def test_a_replay_up_to_any_step_says_the_same_of_what_follows(mode: str) -> None:
    session = Session(policy(mode=mode), opened(mode), asked())
    for at, command in enumerate(COMMANDS):
        if session.tell(proposed(command, f"c{at}", at=10.0 + at)):
            verdict = Decided(at=20, call_id=f"c{at}", verdict="allow", by="t:1", reason="session" if at % 2 else "")
            session.tell(verdict)
        if at % 3:
            session.tell(Finished(at=21, call_id=f"c{at}", tool="shell", outcome=Outcome.OK, text="", cwd=WORKSPACE))
    said = [step for step in session.journal if isinstance(step, Looking | Nudged)]
    borders = [at for at, step in enumerate(session.journal) if not isinstance(step, Looking | Nudged)]
    for border in borders:
        late = Panel([policy(mode=mode)])
        late.replay(session.journal[:border])
        rest = [step for step in session.journal[border:] if not isinstance(step, Looking | Nudged)]
        before = [step for step in session.journal[:border] if isinstance(step, Looking | Nudged)]
        assert [*before, *(each for step in rest for each in late.observe(step))] == said, f"from {border} on"


def test_a_replay_reads_no_command_again_that_was_simply_run() -> None:
    steps: list[Step] = [opened(), asked()]
    for at in range(5):
        steps.append(proposed(f"echo never-read-{at}", f"c{at}"))
        steps.append(Finished(at=4, call_id=f"c{at}", tool="shell", outcome=Outcome.OK, text=""))
    read_before = read.cache_info().misses
    Panel([policy()]).replay(steps)
    assert read.cache_info().misses == read_before
    Panel([policy()]).observe(steps[2])
    assert read.cache_info().misses == read_before + 1


def test_a_restart_between_question_and_answer_keeps_the_question() -> None:
    panel = Panel([policy(mode="ask")])
    journal: list[Step] = [opened("ask"), asked()]
    for step in journal:
        panel.observe(step)
    step = proposed("bash x.sh")
    (look,) = panel.observe(step)
    assert isinstance(look, Looking)
    late = Panel([policy(mode="ask")])
    late.replay([*journal, step, look])
    value = json.dumps({"executables": {}, "paths": {}, "scripts": {f"{WORKSPACE}/x.sh": "h"}})
    (said,) = late.observe(Seen(at=4, look=look.look, probe="world", value=value))
    assert isinstance(said, Nudged)
    assert (said.level, said.about, json.loads(said.data)["scripts"]) == (ASK, "c1", {f"{WORKSPACE}/x.sh": "h"})


def test_a_call_that_is_asked_for_again_is_judged_again() -> None:
    session = Session(policy(mode="sandbox"), opened("sandbox"), asked())
    assert [level(session.tell(proposed("bash x.sh && git push"))) for _ in range(2)] == [ASK, ASK]
    assert len(session.looks) == 2
