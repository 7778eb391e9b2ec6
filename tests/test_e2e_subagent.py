"""Sub-agents on the real process: one task in a fresh context, inside its parent's call, whatever happens to us."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import Say, Script, Turn, Use, sh, use, write_file
from tests.fakes.model.costs import costing, spending

pytestmark = pytest.mark.e2e

MARK = "echo mark >> marks.txt"


def errand(lab: Lab, script: Script, **more: object) -> Use:
    """A call of subagent whose child follows the script."""
    return use("subagent", {"task": f"look into it {lab.model.script('child', script)}", **more})


def marks(lab: Lab) -> int:
    file = lab.workspace / "marks.txt"
    return len(file.read_text().split()) if file.exists() else 0


def sessions(lab: Lab) -> dict[str, bool]:
    """Session -> whether it goes on."""
    with sqlite3.connect(lab.home / "jarvis.db") as db:
        return {name: asked is not None for name, asked in db.execute("SELECT session, asked FROM sessions")}


async def test_a_child_does_its_task_in_a_fresh_context_and_only_its_parent_answers(lab: Lab) -> None:
    await lab.start()
    child = [write_file("found.txt", "42\n"), "CHILD-SAYS 42"]
    sent = await lab.ask("find it", [errand(lab, child), "The answer is 42. PARENT1"], "PARENT1")
    (result,) = lab.results(sent)
    assert "CHILD-SAYS 42" in result and "[sub-agent, done: 2 turns" in result and "changed: " in result
    first = lab.model.main("child")[0].body
    assert "find it" not in json.dumps(first["messages"])
    names = {each["function"]["name"] for each in first["tools"]}
    assert "shell" in names and not names & {"subagent", "save_tool"}
    assert not lab.copies("CHILD-SAYS")
    assert lab.copies("PARENT1") == 1
    assert "1 file" in next(text for text in lab.screen() if "PARENT1" in text)
    assert len(sessions(lab)) == 2 and not any(sessions(lab).values())


async def test_kill_9_inside_a_childs_tool_resumes_the_child_inside_its_parents_call(lab: Lab) -> None:
    await lab.start()
    child = [sh(f"{MARK}; {lab.nap(30)}"), "CHILD-SAYS done"]
    sent = lab.send("go", [errand(lab, child), "All done. PARENT2"])
    await lab.until(lab.naps, "never started")
    await lab.bot.kill()
    after = len(lab.telegram.calls)
    await lab.start(timeout=5)
    await lab.wait_text("PARENT2", after=after)
    await asyncio.sleep(1)
    assert (marks(lab), lab.copies("PARENT2"), lab.copies("CHILD-SAYS")) == (1, 1, 0)
    assert "may or may not have run" in lab.model.main("child")[-1].results[-1]
    assert len(lab.model.main("child")) == 2 and len(lab.requests(sent)) == 2
    assert "CHILD-SAYS done" in lab.results(sent)[0]
    assert len(sessions(lab)) == 2 and not any(sessions(lab).values())


@pytest.mark.parametrize("point", ["K4:2", "K5:2", "K6:2", "K7:2", "K8:2", "K9", "K9:2", "K6:3"])
async def test_every_failpoint_within_a_child_leaves_one_run_and_one_answer(tmp_path, point: str) -> None:  # type: ignore[no-untyped-def]
    async with Lab(tmp_path, env={"JARVIS_FAILPOINT": point}) as lab:
        await lab.bot.launch()
        await lab.telegram.wait_poll(20, 0)
        lab.send("go", [errand(lab, [sh(f"{MARK}; sleep 0.3"), "CHILD-SAYS done"]), "PARENT3"])
        assert await lab.bot.wait(15) == -9, lab.bot.log_tail()
        lab.bot.env.pop("JARVIS_FAILPOINT")
        await lab.start(timeout=5)
        await lab.wait_text("PARENT3", timeout=20)
        await asyncio.sleep(0.7)
        assert marks(lab) <= 1 and (marks(lab) == 1 or point in ("K7:2", "K8:2")), "run twice, or lost"
        assert (lab.copies("PARENT3"), lab.copies("CHILD-SAYS")) == (1, 0)
        assert len(sessions(lab)) == 2 and not any(sessions(lab).values())
        assert not lab.faults()


async def test_stop_takes_the_tree(lab: Lab) -> None:
    await lab.start()
    lab.send("go", [errand(lab, [sh(lab.nap(60)), "never"]), "never either"])
    await lab.until(lab.naps, "never started")
    lab.send("/stop")
    await lab.until(lambda: not lab.naps(), "the child's command lives on")
    await lab.until(lambda: not any(sessions(lab).values()), "a session goes on")
    assert len(lab.model.main("child")) == 1
    await lab.ask("and now?", ["Fine again. AFTER4"], "AFTER4")


async def test_sigterm_within_a_child_ends_in_time_and_goes_on_at_the_next_start(lab: Lab) -> None:
    await lab.start()
    lab.send("go", [errand(lab, [sh(f"{MARK}; {lab.nap(2)}"), "CHILD-SAYS done"]), "PARENT5"])
    await lab.until(lab.naps, "never started")
    assert await lab.bot.stop(grace=10) == 0
    await lab.start()
    await lab.wait_text("PARENT5")
    assert marks(lab) == 1 and lab.copies("CHILD-SAYS") == 0


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "ask"})
async def test_a_childs_question_is_asked_in_the_parents_chat(lab: Lab) -> None:
    await lab.start()
    child = [sh("curl -s http://127.0.0.1:9/ ; echo asked > asked.txt"), "CHILD-SAYS done"]
    lab.send("go", [errand(lab, child), "PARENT6"])
    button = await lab.wait_button("once|run")
    assert "curl" in "".join(lab.screen())
    lab.press(button)
    await lab.wait_text("PARENT6")
    assert (lab.workspace / "asked.txt").exists()


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "ask"})
async def test_a_childs_question_outlives_a_kill(lab: Lab) -> None:
    await lab.start()
    child = [sh("curl -s http://127.0.0.1:9/ ; echo asked > asked.txt"), "CHILD-SAYS done"]
    lab.send("go", [errand(lab, child), "PARENT7"])
    await lab.wait_button("once|run")
    await lab.bot.kill()
    await lab.start()
    lab.press(await lab.wait_button("once|run"))
    await lab.wait_text("PARENT7")
    assert (lab.workspace / "asked.txt").exists()


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "ask"})
async def test_an_ordinary_message_withdraws_a_childs_question(lab: Lab) -> None:
    await lab.start()
    child = [sh("curl -s http://127.0.0.1:9/"), "CHILD-SAYS not done"]
    lab.send("go", [errand(lab, child), "PARENT8"])
    await lab.wait_button("once|run")
    lab.send("leave the net alone")
    await lab.wait_text("PARENT8")
    assert "leave the net alone" in lab.model.main("child")[-1].results[-1]


async def test_the_card_shows_how_far_the_child_is(lab: Lab) -> None:
    await lab.start()
    child = [sh("sleep 1.5"), sh("sleep 3"), "CHILD-SAYS done"]
    await lab.ask("go", [errand(lab, child), "PARENT9"], "PARENT9")
    assert any("… subagent: turn 2" in call.shown for call in lab.telegram.calls)


async def test_undo_takes_what_the_child_wrote(lab: Lab) -> None:
    (lab.workspace / "kept.txt").write_text("before\n")
    await lab.start()
    child = [sh("echo after > kept.txt"), write_file("new.txt", "x\n"), "CHILD-SAYS done"]
    await lab.ask("go", [errand(lab, child), "PARENT10"], "PARENT10")
    assert (lab.workspace / "kept.txt").read_text() == "after\n"
    lab.send("/undo")
    lab.press(await lab.wait_button("undo"))
    kept = lab.workspace / "kept.txt"
    await lab.until(lambda: not (lab.workspace / "new.txt").exists(), "new.txt still stands")
    await lab.until(lambda: kept.read_text() == "before\n", "kept.txt is not as it was")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tools": ["shell", "teleport"]}, "can't have teleport"),
        ({"tools": ["subagent"]}, "can't have subagent"),
        ({"task": "   "}, "task is empty"),
        ({"turns": 0}, "turns"),
        ({"tokens": 10}, "tokens"),
    ],
)
async def test_an_errand_that_cannot_be_is_refused_in_words(lab: Lab, more: dict[str, object], said: str) -> None:
    await lab.start()
    sent = await lab.ask("go", [errand(lab, ["never"], **more), "PARENT11"], "PARENT11")
    assert said in lab.results(sent)[0]
    assert not lab.model.main("child")


async def test_a_child_has_only_the_tools_it_was_given_and_ends_at_its_turns(lab: Lab) -> None:
    await lab.start()

    def endless(turn: Turn) -> Say:
        return Say(calls=(use("list_dir", {"path": "."}), sh("echo forbidden > no.txt")))

    call = errand(lab, endless, tools=["list_dir"], turns=2)
    sent = await lab.ask("go", [call, "PARENT12"], "PARENT12")
    assert "[sub-agent, not done: 2 turns" in lab.results(sent)[0]
    assert not (lab.workspace / "no.txt").exists()
    assert [each["function"]["name"] for each in lab.model.main("child")[0].body["tools"]] == ["list_dir"]


async def test_a_child_ends_at_its_tokens(lab: Lab) -> None:
    await lab.start()
    call = errand(lab, [sh("echo 1"), sh("echo 2"), sh("echo 3"), "never"], tokens=1_000)
    sent = await lab.ask("go", [call, "PARENT13"], "PARENT13")
    assert "not done: 1 turns" in lab.results(sent)[0] and "budget is used up" in lab.results(sent)[0]


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"JARVIS_GUARDS__BUDGET__RUN_TOKENS": "20000"}, "12,000 of 12,000 tokens"),
        ({"JARVIS_GUARDS__BUDGET__RUN_CALLS": "4"}, "3 of 3 replies"),
        ({"JARVIS_GUARDS__BUDGET__DAY_TOKENS": "20000"}, "20,000 of 20,000 tokens"),
        ({"JARVIS_GUARDS__BUDGET__USER_DAY_TOKENS": "20000"}, "20,000 of 20,000 tokens"),
    ],
    ids=["run", "replies", "day", "user"],
)
async def test_a_child_is_stopped_as_soon_as_its_parents_budget_is_used_up(
    tmp_path: Path, budget: dict[str, str], told: str
) -> None:
    async with Lab(tmp_path, env=budget) as lab:
        await lab.start()
        errands = errand(lab, spending(4_000))
        begun = costing(8_000, call=errands)
        sent = lab.send("go", [begun, "never"])
        await lab.wait_text("budget", after=sent.after)
        await lab.wait_button("Continue")
        assert len(lab.model.main("child")) == 3 and len(lab.requests(sent)) == 1
        with sqlite3.connect(lab.home / "jarvis.db") as db:
            ends = [json.loads(body)["reason"] for (body,) in db.execute("SELECT body FROM steps WHERE kind = 'ended'")]
        assert len(ends) == 2 and any(told in end for end in ends), ends


async def test_a_child_that_gets_on_outlives_any_number_of_kills(lab: Lab) -> None:
    await lab.start()
    naps = [sh(f"echo n{n} >> marks.txt; {lab.nap(30 + n)}") for n in range(5)]
    sent = lab.send("go", [errand(lab, [*naps, "CHILD-SAYS done"]), "PARENT14"])
    for n in range(5):
        await lab.until(lambda n=n: marks(lab) > n and lab.naps(), "never started")  # type: ignore[misc]
        await lab.bot.kill()
        await lab.start(timeout=5)
    await lab.wait_text("PARENT14")
    assert "done: 6 turns" in lab.results(sent)[0] and marks(lab) == 5
