"""The plan: what models write, what is inferred for them, and the tool that takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.plan import ITEMS, Item, Plan, files_in, items_of
from agent.steps import Call, End, Finished, Outcome, Proposed, Said, Seen
from agent.tool import BadArguments, parse
from agent.tools import blocked, plan, task_complete
from bot.plan import listed
from tests.fakes.calls import context


def planned(*items: Any, outcome: Outcome = Outcome.OK) -> Plan:
    found = Plan()
    call = Call("p", "plan", json.dumps({"items": list(items)}))
    found.fold(Said(at=1, text="", calls=(call,)))
    found.fold(Finished(at=1, call_id="p", tool="plan", outcome=outcome, text=""))
    return found


def ran(found: Plan, command: str, exit_code: int | None = 0) -> Plan:
    call = Call("s", "shell", json.dumps({"command": command}))
    found.fold(Proposed(at=1, call=call, effect="write"))
    found.fold(Finished(at=1, call_id="s", tool="shell", outcome=Outcome.OK, text="", exit_code=exit_code))
    return found


def seen(found: Plan, value: str, status: str = "ok") -> Plan:
    found.fold(Seen(at=1, look="l", probe="project", value=value, status=status))
    return found


@pytest.mark.parametrize(
    ("given_item", "item"),
    [
        ("read it", Item("read it")),
        ({"text": "a", "status": "done"}, Item("a", "completed")),
        ({"text": "a", "status": "In Progress"}, Item("a", "in_progress")),
        ({"text": "a", "status": "strange"}, Item("a")),
        ({"text": " a\n b ", "verify": " pytest "}, Item("a b", verify="pytest")),
        ({"text": "a", "artifacts": "x.py"}, Item("a", artifacts=("x.py",))),
        ({"text": "a", "artifacts": [" x.py ", ""]}, Item("a", artifacts=("x.py",))),
        ({}, Item("")),
        (5, Item("5")),
    ],
)
def test_items_are_read_as_models_write_them(given_item: Any, item: Item) -> None:
    assert items_of(json.dumps({"items": [given_item]})) == (item,)


@given(st.text(max_size=200) | st.recursive(st.none() | st.text(), st.lists).map(json.dumps))
def test_any_arguments_are_read(arguments: str) -> None:
    assert isinstance(items_of(arguments), tuple)


@pytest.mark.parametrize(
    ("text", "verify", "artifacts"),
    [
        ("fix the failing login", "pytest -q", ()),
        ("behebe den Fehler im Login", "pytest -q", ()),
        ("run `npm test` once more", "npm test", ()),
        ("run `rm -rf x`", "", ()),
        ("write src/a.py and docs/b.md", "", ("src/a.py", "docs/b.md")),
        ("schreibe bericht.txt", "", ("bericht.txt",)),
        ("delete old.py", "", ()),
        ("read a.py", "", ()),
        ("look at example.com", "", ()),
        ("create a page for example.com", "", ()),
    ],
)
def test_what_is_left_empty_is_inferred_and_marked(text: str, verify: str, artifacts: tuple[str, ...]) -> None:
    (item,) = ran(planned(text), "pytest -q").items
    assert (item.verify, item.artifacts) == (verify, artifacts)
    assert item.guessed == {name for name, found in (("verify", verify), ("artifacts", artifacts)) if found}


def test_what_the_model_gave_is_kept_as_it_is() -> None:
    (item,) = ran(planned({"text": "fix a.py", "verify": "make check", "artifacts": ["b.py"]}), "pytest").items
    assert (item.verify, item.artifacts, item.guessed) == ("make check", ("b.py",), frozenset())


def test_the_tests_that_ran_come_before_the_projects_own() -> None:
    found = seen(planned("fix it"), '{"command": "npm test", "cwd": "/w"}')
    assert found.items[0].verify == "npm test"
    assert ran(found, "node --test a.test.js").items[0].verify == "node --test a.test.js"
    assert ran(found, "ls").items[0].verify == "node --test a.test.js"


@pytest.mark.parametrize(("value", "status"), [("null", "error"), ("x", "ok"), ("[]", "ok"), ('{"command": 5}', "ok")])
def test_a_probe_without_an_answer_is_not_asked_again(value: str, status: str) -> None:
    found = planned("fix it")
    assert found.wants_project
    assert not seen(found, value, status).wants_project
    assert found.items[0].verify == ""


def test_a_plan_that_was_refused_changes_nothing() -> None:
    assert planned("a", outcome=Outcome.FAILED).said == ()


@pytest.mark.parametrize(
    ("statuses", "current"),
    [
        (("completed", "in_progress", "pending"), 2),
        (("completed", "pending", "pending"), 2),
        (("pending", "in_progress"), 2),
        (("completed", "blocked"), None),
    ],
)
def test_the_current_item(statuses: tuple[str, ...], current: int | None) -> None:
    found = planned(*({"text": f"item {n}", "status": status} for n, status in enumerate(statuses)))
    assert (found.current[0] if found.current else None) == current


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("see a.py, b/c.test.ts and /etc/x.conf.", ("a.py", "b/c.test.ts", "/etc/x.conf")),
        ("version 1.2.3 at example.com", ()),
        ("user@example.com and https://x.org/a.html", ()),
        ("call f.write() and os.path", ("os.path",)),
        ("`.env` and ~/notes.md", ("~/notes.md",)),
    ],
)
def test_file_names_in_words(text: str, files: tuple[str, ...]) -> None:
    assert files_in(text) == files


# -- the tools ------------------------------------------------------------------------------------------------------
async def run(tool: Any, tmp_path: Path, arguments: Any) -> Any:
    args = parse(tool, json.dumps(arguments))
    if isinstance(args, BadArguments):
        return args.text
    return await tool.run(context(tmp_path), args)


async def test_the_plan_is_kept(tmp_path: Path) -> None:
    items = ["a", {"text": "b", "status": "doing", "verify": None}, {"text": "c", "status": "done"}]
    result = await run(plan.tool, tmp_path, {"items": items})
    assert result.text == "Kept: 1 of 3 completed. Now: b"


@pytest.mark.parametrize(
    ("items", "why"),
    [
        ([], "empty"),
        (["a"] * (ITEMS + 1), f"{ITEMS + 1} items"),
        ([{"text": "a", "status": "doing"}, {"text": "b", "status": "in_progress"}], "one at most"),
        ([{"text": " "}], "no text"),
    ],
)
async def test_what_is_no_plan_is_refused_in_words(tmp_path: Path, items: list[Any], why: str) -> None:
    with pytest.raises(ToolError, match=why):
        await run(plan.tool, tmp_path, {"items": items})


@pytest.mark.parametrize("items", ["x", [5], [{"text": "a", "state": "x"}], [{"text": "a", "status": "x"}], [{}]])
async def test_bad_arguments_keep_nothing(tmp_path: Path, items: Any) -> None:
    assert "nothing was run" in await run(plan.tool, tmp_path, {"items": items})


async def test_a_claim_ends_the_run_and_needs_words(tmp_path: Path) -> None:
    assert (await run(task_complete.tool, tmp_path, {"summary": "Done."})).ends is End.ANSWERED
    with pytest.raises(ToolError, match="empty"):
        await run(task_complete.tool, tmp_path, {"summary": " \n"})


async def test_blocked_needs_a_reason_and_evidence(tmp_path: Path) -> None:
    result = await run(blocked.tool, tmp_path, {"reason": "no key", "evidence": "401"})
    assert (result.ends, result.details) == (End.BLOCKED, "Blocked: no key\n\nEvidence: 401")
    for given_args in ({"reason": "-", "evidence": "401"}, {"reason": "no key", "evidence": "..."}):
        with pytest.raises(ToolError, match="is empty"):
            await run(blocked.tool, tmp_path, given_args)
    assert "missing" in await run(blocked.tool, tmp_path, {"reason": "no key"})


# -- /plan ----------------------------------------------------------------------------------------------------------
def test_the_plan_is_listed_with_what_is_inferred() -> None:
    fixing, writing = {"text": "fix it", "status": "in_progress"}, {"text": "write a.md", "status": "done"}
    found = ran(planned(fixing, writing), "pytest")
    assert listed(found).splitlines() == [
        "Plan: 1 of 2 done",
        "▸ 1. fix it",
        "    check (inferred): pytest",
        "✓ 2. write a.md",
        "    files (inferred): a.md",
    ]
    assert "no plan" in listed(Plan())
