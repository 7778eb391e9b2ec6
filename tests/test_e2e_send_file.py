"""The real process: a file of the workspace reaches the chat once, with the right bytes, whatever happens meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import sh, use
from tests.fakes.telegram import OWNER, ApiCall

GROUP = -1001
CANARY = bytes(range(256)) * 40
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4) + (480).to_bytes(4) + bytes(500)


def sent(lab: Lab, chat: int = OWNER, kind: str = "document") -> list[dict[str, Any]]:
    return [message for message in lab.telegram.chats.screen(chat) if kind in message]


def bytes_of(lab: Lab, message: dict[str, Any]) -> bytes:
    found = message["document"] if "document" in message else message["photo"][-1]
    return lab.telegram.chats.files[found["file_id"]].data


def uploads(lab: Lab) -> list[ApiCall]:
    return [call for call in lab.telegram.calls if call.method in ("sendDocument", "sendPhoto")]


@pytest.mark.lab()
async def test_a_document_comes_once_with_its_bytes_and_caption_as_a_reply_to_the_question(lab: Lab) -> None:
    (lab.workspace / "out").mkdir()
    (lab.workspace / "out" / "report.pdf").write_bytes(CANARY)
    await lab.start()
    script = [use("send_file", {"path": "out/report.pdf", "caption": "The **report** of today"}), "There it is. DONE1"]
    asked = await lab.ask("send me the report", script, "DONE1")
    (message,) = sent(lab)
    assert bytes_of(lab, message) == CANARY
    assert message["document"]["file_name"] == "report.pdf"
    assert message["caption"] == "The report of today" and message["caption_entities"][0]["type"] == "bold"
    assert message["reply_to_message"]["message_id"] == asked.message_id
    assert "(10.2 kB) goes to the user now" in lab.results(asked)[0]
    assert lab.faults() == []
