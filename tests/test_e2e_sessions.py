"""Looking back and debating on the real process: only this chat's sessions, and voices that are booked."""

from __future__ import annotations

import re

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import End, sh, use
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e

OTHER = 8


@pytest.mark.lab(chats=[OTHER])
async def test_a_chat_finds_its_own_sessions_and_no_others(lab: Lab) -> None:
    await lab.start()
    await lab.ask("the first one", [sh("echo MARKER-A"), "ONE"], "ONE")
    await lab.ask("a strangers secret", [sh("echo MARKER-B"), "TWO"], "TWO", chat=OTHER)
    lab.send("/new")
    await lab.ask("the second one", ["THREE"], "THREE")
    sent = await lab.ask("look back", [use("recent_sessions", {}), "FOUR"], "FOUR")
    listed = lab.results(sent)[-1].splitlines()
    assert len(listed) == 2 and "(this one)" in listed[0] and "the first one" in listed[1]
    assert "stranger" not in "".join(listed)
    first = listed[1].split(" · ")[0]
    log = await lab.ask("read it", [use("session_log", {"session": first}), "FIVE"], "FIVE")
    text = lab.results(log)[-1]
    assert "asked: the first one" in text and "calls: shell" in text and "MARKER-A" in text and "ends: answered" in text
    some = use("session_log", {"session": first, "kinds": ["results"], "text": "marker-a", "last": 1})
    only = await lab.ask("filter it", [some, "SIX"], "SIX")
    assert len(lab.results(only)[-1].splitlines()) == 1
    mine = await lab.ask("whose?", [use("session_log", {"session": first}), "SEVEN"], "SEVEN", chat=OTHER)
    assert "no such session" in lab.results(mine)[-1]
    assert "MARKER-A" not in "".join(lab.screen(OTHER))


async def test_a_log_masks_secrets_and_knows_this_session(lab: Lab) -> None:
    await lab.start()
    key = "ghp_" + "a1B2" * 9
    sent = await lab.ask(f"my key is {key}", [use("session_log", {"kinds": ["asked"]}), "EIGHT"], "EIGHT")
    assert "asked: my key is" in lab.results(sent)[-1] and key not in lab.results(sent)[-1]


BAD = [{"session": "../../x"}, {"session": "nope"}, {"session": "x' OR 1=1 --"}, {"kinds": ["wrong"]}, {"last": 0}]


async def test_odd_arguments_get_a_sentence(lab: Lab) -> None:
    await lab.start()
    calls = [use("session_log", each) for each in BAD]
    sent = await lab.ask("odd", [*calls, use("recent_sessions", {"count": 999}), "NINE"], "NINE", timeout=30)
    results = lab.results(sent)
    assert len(results) == 6 and all("no such session" in each or "Bad arguments" in each for each in results)


async def test_a_sub_agent_looks_back_as_its_parent_and_is_in_no_list(lab: Lab) -> None:
    await lab.start()
    child = [use("recent_sessions", {}), "CHILD"]
    task = f"look {lab.model.script('child', child)}"
    await lab.ask("go", [use("subagent", {"task": task}), "TEN"], "TEN")
    (listed,) = lab.model.main("child")[-1].results
    assert len(listed.splitlines()) == 1 and "(this one)" in listed and "/" not in listed.split(" · ")[0]


async def test_a_debate_asks_without_tools_votes_and_is_booked(lab: Lab) -> None:
    lab.model.asides = ["so\nFINAL: B", "hm\nFINAL: A", "yes\nFINAL: a.", "FINAL: B", "FINAL: A", "FINAL: A"]
    await lab.start()
    sent = await lab.ask("decide", [use("debate", {"question": "A or B?"}), "ELEVEN"], "ELEVEN")
    assert re.match(r"2 of 3 votes: A", lab.results(sent)[0])
    voices = [each for each in lab.model.requests if "one of several voices" in str(each.body.get("messages"))]
    assert len(voices) == 6 and not any(each.body.get("tools") for each in voices)
    lab.send("/usage")
    assert "debate" in (await lab.wait_text("debate", OWNER)).shown


async def test_a_debate_of_silent_voices_is_a_failure_and_stop_ends_one_that_hangs(lab: Lab) -> None:
    lab.model.asides = ["nothing to say"]
    await lab.start()
    sent = await lab.ask("decide", [use("debate", {"question": "A or B?"}), "TWELVE"], "TWELVE")
    assert "came to nothing" in lab.results(sent)[0]
    lab.model.asides = [End.HANG]
    lab.send("decide again", [use("debate", {"question": "A or B?"}), "never"])
    before = len(lab.model.requests)
    await lab.until(lambda: len(lab.model.requests) >= before + 4, "no voices")
    lab.send("/stop")
    await lab.ask("and now?", ["AFTER"], "AFTER")


async def test_the_list_shows_no_half_of_a_key_at_which_a_title_was_cut(lab: Lab) -> None:
    await lab.start()
    await lab.ask(f"{'w ' * 15}ghp_{'a1B2' * 9} is it", ["ONE"], "ONE")
    lab.send("/new")
    sent = lab.send("/sessions")
    listed = await lab.wait_text("1. w w w", after=sent.after)
    assert "ghp_" not in listed.shown
