"""Replies of weak models on the real process: calls in text, bad arguments, odd names, nothing at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import DONE, Say, Sse, Use, chunk, sh

pytestmark = pytest.mark.e2e

CALL = json.dumps({"name": "shell", "arguments": {"command": "echo ran >> marks.txt"}})
TAGGED = f"I look.\n<tool_call>\n{CALL}\n</tool_call>"
FENCED = f"```json\n{CALL}\n```"


def marks(lab: Lab) -> int:
    file = lab.workspace / "marks.txt"
    return len(file.read_text().split()) if file.exists() else 0


def no_tools(body: dict[str, Any]) -> str:
    return "registry/library/test-model does not support tools" if body.get("tools") else ""


def ever_shown(lab: Lab) -> str:
    """All that any call put on a screen, drafts and cards included."""
    return "\n".join(call.shown for call in lab.telegram.calls)


@pytest.mark.lab(env={"JARVIS_MODEL__TEXT_CALLS": "on"})
async def test_a_model_without_tools_works_in_text(lab: Lab) -> None:
    lab.model.reject = no_tools
    await lab.start()
    unknown = '<tool_call>{"name": "shel", "arguments": {}}</tool_call>'
    sent = await lab.ask("do it", [TAGGED, unknown, FENCED, "DONE1"], "DONE1")
    assert marks(lab) == 2
    first, *_, last = lab.requests(sent)
    assert "tools" not in first.body
    assert "<tool_call>" in first.body["messages"][0]["content"]
    roles = [message["role"] for message in last.body["messages"]]
    assert roles == ["system", "user", *["assistant", "user"] * 3]
    results = [message["content"] for message in last.body["messages"] if "<tool_response>" in message["content"]]
    assert "shell" in results[1]  # the nearest name
    assert len(first.raw) <= 12_000
    assert lab.copies("DONE1") == 1
    assert '"arguments"' not in ever_shown(lab)
    assert lab.faults() == []


async def test_a_model_without_tools_is_told_with_the_setting_that_helps(lab: Lab) -> None:
    lab.model.reject = no_tools
    await lab.start()
    sent = lab.send("do it", ["never"])
    await lab.wait_text("JARVIS_MODEL__TEXT_CALLS=on", after=sent.after)
    assert len([each for each in lab.model.requests if each.path.endswith("/chat/completions")]) == 1


@pytest.mark.lab(chats=[8, 9, 10])
async def test_a_call_in_text_is_told_to_the_model_and_never_run(lab: Lab) -> None:
    await lab.start()
    for chat, text in ((8, CALL), (9, FENCED), (10, TAGGED)):
        sent = await lab.ask("do it", [text, "DONE2"], "DONE2", chat=chat)
        assert "plain text" in lab.results(sent)[-1]
        assert lab.copies("DONE2", chat) == 1
    assert '"arguments"' not in ever_shown(lab)
    await lab.ask("show me such a call", [f"It looks like this: `{CALL}` DONE3"], "DONE3")
    assert any('"arguments"' in text for text in lab.screen())
    assert marks(lab) == 0
    assert lab.faults() == []


async def test_a_model_that_insists_on_text_is_shown_for_what_it_does(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("do it", [CALL])
    await lab.wait_text("so nothing was run", after=sent.after)
    assert len(lab.requests(sent)) == 3
    assert "JARVIS_MODEL__TEXT_CALLS=on" in lab.screen()[-1]
    assert marks(lab) == 0
    await lab.ask("and now?", ["DONE4"], "DONE4")
    assert lab.faults() == []


async def test_arguments_are_mended_where_they_mean_one_thing_and_the_model_is_told(lab: Lab) -> None:
    lab.model.refuse_remarks = "JSON"
    await lab.start()
    ran = '{"command": "echo ran >> marks.txt"}'
    sent = [f"{ran[:-1]},}}", json.dumps(ran), f"```json\n{ran}\n```"]
    asked = await lab.ask("do it", [Say(calls=tuple(Use("shell", each) for each in sent)), "DONE5"], "DONE5")
    assert marks(lab) == 3
    assert ["Mended" in result for result in lab.results(asked)] == [True] * 3
    calls = next(m["tool_calls"] for m in lab.requests(asked)[-1].body["messages"] if m.get("tool_calls"))
    assert [json.loads(call["function"]["arguments"]) for call in calls] == [json.loads(ran)] * 3
    assert lab.faults() == []


BAD = {
    "cut": '{"command": "echo ran >> marks.txt',
    "python": "{'command': 'echo ran >> marks.txt'}",
    "twice": '{"command": "true", "command": "echo ran >> marks.txt"}',
    "NaN": '{"command": "echo ran >> marks.txt", "timeout_s": NaN}',
    "huge": '{"command": "echo ran >> marks.txt", "timeout_s": %s}' % ("9" * 5000),
    "deep": '{"command": "echo ran >> marks.txt", "x": %s}' % ("[" * 20_000 + "]" * 20_000),
    "half": '{"command": "echo ran >> marks.txt; echo \\ud800"}',
    "megabyte": '{"command": 5, "x": "%s"}' % ("a" * 1_000_000),
    "null": "null",
}


@pytest.mark.lab(env={"JARVIS_GUARDS__PANEL": "none"})
async def test_arguments_that_mean_nothing_run_nothing_and_leave_a_valid_history(lab: Lab) -> None:
    lab.model.refuse_remarks = "JSON"
    await lab.start()
    asked = await lab.ask("do it", [Say(calls=tuple(Use("shell", each) for each in BAD.values())), "DONE6"], "DONE6")
    assert marks(lab) == 0
    results = lab.results(asked)
    assert len(results) == len(BAD)
    for result in results:
        assert "nothing was run" in result
        assert "shell(command: string" in result
        assert len(result) < 1_500
    await lab.ask("and now?", [sh("echo ran >> marks.txt"), "DONE7"], "DONE7")
    assert marks(lab) == 1
    assert lab.faults() == []


@pytest.mark.lab(env={"JARVIS_GUARDS__PANEL": "none"})
async def test_odd_names_and_ids_leave_a_valid_history_and_each_call_runs_once(lab: Lab) -> None:
    await lab.start()
    ran = '{"command": "echo ran >> marks.txt"}'
    odd = [Use("bad tool name!", "{}"), Use("", "{}"), Use("n" * 300, "{}"), Use("shel", ran), Use("функция", "{}")]
    same = [Use("shell", ran, "call_1"), Use("shell", ran, "call_1"), Use("shell", ran, "call_1")]
    asked = await lab.ask("do it", [Say(calls=(*odd, *same)), Say(calls=tuple(same[:1])), "DONE8"], "DONE8")
    assert marks(lab) == 4
    assert "did you mean shell" in lab.results(asked)[3]
    assert lab.faults() == []


@pytest.mark.lab(chats=[8, 9, 10, 11])
async def test_replies_that_say_nothing_are_asked_for_again_and_end_in_words(lab: Lab) -> None:
    await lab.start()
    thought = Sse(
        (chunk({"content": "<think>SECRET"}), chunk({"reasoning_content": "SECRET"}), chunk({}, "stop"), DONE)
    )
    sent = [
        lab.send("go", [reply], chat)
        for chat, reply in ((8, Say("")), (9, Say("{}")), (10, Say("\u200b")), (11, thought))
    ]
    for each in sent:
        await lab.wait_text("I asked 4 times", each.chat, 20, each.after)
        assert len(lab.requests(each)) == 4
        assert "Your last reply was empty" in json.dumps(lab.requests(each)[1].body["messages"][-1])
    recovered = await lab.ask("go", [[Say(""), "DONE9"]], "DONE9")
    assert len(lab.requests(recovered)) == 2
    assert "SECRET" not in ever_shown(lab)
    assert not any("SECRET" in json.dumps(each.body) for each in lab.model.requests)
    assert lab.faults() == []
