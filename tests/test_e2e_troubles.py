"""Thirteen troubles of a provider, each in its own chat: the answer or one clear message, and the next is answered."""

from __future__ import annotations

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import End, Http, Say, Sse, Step, Use, chunk

pytestmark = pytest.mark.e2e

PARTLY = (chunk({"role": "assistant", "content": ""}), chunk({"content": "partial answer"}))
GOOD = "Recovered GOOD."
TROUBLES: dict[str, list[Step]] = {
    "arguments that are no JSON": [Use("shell", '{"command": "echo')],
    "an unknown tool": [Use("no_such_tool", "{}")],
    "an illegal name": [Use("bad tool name!", "{}")],
    "400": [Http(400, {"error": {"message": "Invalid 'messages[2].content'", "type": "invalid_request_error"}})],
    "500 twice": [Http(500), Http(500)],
    "429": [Http(429, headers={"Retry-After": "1"})],
    "a page with 502": [Http(502, b"<html>Bad Gateway</html>")],
    "a reset": [End.RESET],
    "a cut stream": [Sse((*PARTLY, End.CUT))],
    "a corrupt stream": [Sse((*PARTLY, b"data: {garbage\n\n", End.CLOSE))],
    "no choices": [Http(200, {"choices": []})],
    "no content": [Sse((chunk({"role": "assistant", "content": None}), chunk({}, "stop")))],
    "the output limit": [Say("a long answer cut he", finish="length")],
}
TOLD = {"400": "found our request invalid", "the output limit": "cut at the model's token limit"}
CHATS = dict(zip(TROUBLES, range(8, 8 + len(TROUBLES)), strict=True))


@pytest.mark.lab(chats=list(CHATS.values()))
async def test_each_ends_in_the_answer_or_one_message_and_the_chat_lives(lab: Lab) -> None:
    await lab.start()
    sent = {name: lab.send("please", [[*steps, GOOD], GOOD], CHATS[name]) for name, steps in TROUBLES.items()}
    for name, each in sent.items():
        await lab.wait_text(TOLD.get(name, "GOOD"), each.chat, 30, each.after)
    for name, each in sent.items():
        await lab.ask("and now?", ["Alive NEXT."], "NEXT", each.chat)
        screen = lab.screen(each.chat)
        assert sum(TOLD.get(name, "GOOD") in text for text in screen) == 1, (name, screen)
        assert not any(word in text for text in screen for word in ('"error"', "<html>", "Traceback", "None"))
    assert lab.faults() == []
