"""The real process: a file of the workspace reaches the chat once, with the right bytes, whatever happens meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.parcel import named
from tests.fakes.lab import Lab
from tests.fakes.model import Say, use
from tests.fakes.telegram import OWNER, ApiCall, Fault

pytestmark = pytest.mark.e2e

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


def busy(lab: Lab, seconds: int) -> None:
    """The next document is put off."""
    body = {"ok": False, "error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": seconds}}
    lab.telegram.faults.add(Fault(method="sendDocument", status=429, body=body))


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


@pytest.mark.lab(chats=[GROUP])
async def test_in_a_topic_of_a_group_the_file_comes_there_and_nowhere_else(lab: Lab) -> None:
    (lab.workspace / "log.txt").write_text("line\n")
    lab.telegram.chats.topics[GROUP].add(55)
    await lab.start()
    asked = lab.send("the log", [use("send_file", {"path": "log.txt"}), "DONE2"], GROUP, topic=55)
    await lab.wait_text("DONE2", GROUP)
    (message,) = sent(lab, GROUP)
    assert message["message_thread_id"] == 55 and "caption" not in message
    assert message["reply_to_message"]["message_id"] == asked.message_id
    assert bytes_of(lab, message) == b"line\n" and not sent(lab)
    assert lab.faults() == []


@pytest.mark.parametrize("point", ["K8", "K9", "K13"])
async def test_a_crash_around_the_call_or_the_send_leaves_one_document(tmp_path: Path, point: str) -> None:
    """K13: it was sent, which nobody had time to record; as with an answer, twice is better than never."""
    async with Lab(tmp_path, env={"JARVIS_FAILPOINT": point}) as lab:
        (lab.workspace / "a.bin").write_bytes(CANARY)
        await lab.bot.launch()
        await lab.telegram.wait_poll(20, 0)
        lab.send("go", [use("send_file", {"path": "a.bin", "caption": "NOTE"}), Say("DONE3", delay=1)])
        assert await lab.bot.wait(15) == -9, lab.bot.log_tail()
        lab.bot.env.pop("JARVIS_FAILPOINT")
        await lab.start(timeout=5)
        await lab.wait_text("DONE3")
        messages = sent(lab)
        assert len(messages) == 1 or (point == "K13" and len(messages) == 2)
        assert {bytes_of(lab, message) for message in messages} == {CANARY}
        assert lab.copies("DONE3") == 1 and lab.faults() == []


async def test_kill_9_between_the_call_and_the_send_loses_nothing_and_doubles_nothing(lab: Lab) -> None:
    (lab.workspace / "a.bin").write_bytes(CANARY)
    busy(lab, 60)
    await lab.start()
    lab.send("go", [use("send_file", {"path": "a.bin"}), "DONE4"])
    await lab.telegram.wait_call(lambda call: call.method == "sendDocument" and call.status == 429)
    await lab.bot.kill()
    lab.telegram.faults.clear()
    await lab.start()
    await lab.wait_text("DONE4")
    (message,) = sent(lab)
    assert bytes_of(lab, message) == CANARY
    assert [call.status for call in uploads(lab)] == [429, 200]


def gone(file: Path) -> None:
    file.unlink()


def other_content(file: Path) -> None:
    file.write_bytes(CANARY[::-1])


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/hostname")


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def huge(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(200 * 2**30)


@pytest.mark.parametrize("change", [gone, other_content, pipe, link, folder, huge])
async def test_a_file_that_changes_before_it_goes_is_told_in_one_sentence(
    lab: Lab, change: Callable[[Path], None]
) -> None:
    file = lab.workspace / "a.bin"
    file.write_bytes(CANARY)
    busy(lab, 1)
    await lab.start()
    lab.send("go", [use("send_file", {"path": "a.bin", "caption": "The **note**"}), "DONE5"])
    await lab.telegram.wait_call(lambda call: call.method == "sendDocument" and call.status == 429)
    change(file)
    await lab.wait_text("DONE5")
    (told,) = [text for text in lab.screen() if "I didn't send a.bin" in text]
    assert told == "The note\nI didn't send a.bin: the file has changed or is gone since. Ask me for it again."
    assert not sent(lab)
    await lab.ask("and now?", ["Here I am. DONE6"], "DONE6")


async def test_the_sentence_is_in_the_language_of_the_chat(lab: Lab) -> None:
    (lab.workspace / "a.bin").write_bytes(CANARY)
    lab.telegram.chats.languages[OWNER] = "de"
    busy(lab, 1)
    await lab.start()
    lab.send("los", [use("send_file", {"path": "a.bin"}), "DONE7"])
    await lab.telegram.wait_call(lambda call: call.method == "sendDocument" and call.status == 429)
    (lab.workspace / "a.bin").unlink()
    await lab.wait_text("a.bin habe ich nicht geschickt")


async def test_pictures_that_fit_are_photos_and_what_is_refused_as_one_goes_as_a_document(lab: Lab) -> None:
    (lab.workspace / "plot.png").write_bytes(PNG)
    (lab.workspace / "wide.png").write_bytes(PNG.replace((640).to_bytes(4), (9000).to_bytes(4)))
    (lab.workspace / "odd.png").write_bytes(PNG + b"odd")
    refused = {"ok": False, "error_code": 400, "description": "Bad Request: PHOTO_INVALID_DIMENSIONS"}
    await lab.start()
    await lab.ask("plot", [use("send_file", {"path": "plot.png", "caption": "a plot"}), "DONE8"], "DONE8")
    (photo,) = sent(lab, kind="photo")
    assert bytes_of(lab, photo) == PNG and photo["caption"] == "a plot"
    lab.telegram.faults.add(Fault(method="sendPhoto", status=400, body=refused))
    script = [use("send_file", {"path": "wide.png"}), use("send_file", {"path": "odd.png"}), "DONE9"]
    await lab.ask("more", script, "DONE9")
    assert [message["document"]["file_name"] for message in sent(lab)] == ["wide.png", "odd.png"]
    assert len(sent(lab, kind="photo")) == 1


async def test_a_long_caption_follows_its_file_whole(lab: Lab) -> None:
    """DEMAND D21: a caption holds 1,024 UTF-16 units, an emoji takes two."""
    (lab.workspace / "a.txt").write_text("x")
    await lab.start()
    for count, under in ((512, True), (513, False), (700, False)):
        note = "😀" * count
        await lab.ask(f"go {count}", [use("send_file", {"path": "a.txt", "caption": note}), f"OK{count}"], f"OK{count}")
        assert (sent(lab)[-1].get("caption") == note) is under
        assert lab.screen().count(note) == 1
    assert len(sent(lab)) == 3 and lab.faults() == []


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "sandbox"})
async def test_what_others_wrote_makes_a_person_decide_before_a_file_leaves(lab: Lab) -> None:
    (lab.workspace / "a.txt").write_text("x")
    await lab.start()
    people = lab.telegram.people
    tag = lab.model.script("forwarded", [use("send_file", {"path": "a.txt"}), "DONE10"])
    forwarded = {
        "text": f"send me a.txt {tag}",
        "forward_origin": {"type": "hidden_user", "sender_user_name": "X", "date": 1},
    }
    lab.telegram.updates.put(lab.telegram.updates.make("message", people.message(forwarded, OWNER)))
    button = await lab.wait_button("Run once")
    assert "sends a file to the chat, after words from elsewhere" in "\n".join(lab.screen())
    assert not sent(lab) and not any("session" in each.text for each in lab.buttons())
    lab.press(button)
    await lab.wait_text("DONE10")
    assert len(sent(lab)) == 1


async def test_a_file_of_a_sub_agent_comes_to_its_parents_chat(lab: Lab) -> None:
    (lab.workspace / "a.txt").write_text("x")
    await lab.start()
    task = f"send it {lab.model.script('child', [use('send_file', {'path': 'a.txt', 'caption': 'C1'}), 'CHILD'])}"
    await lab.ask("go", [use("subagent", {"task": task}), "DONE11"], "DONE11")
    (message,) = sent(lab)
    assert message["caption"] == "C1" and not lab.copies("CHILD")


async def test_a_refused_file_is_the_models_to_explain(lab: Lab) -> None:
    (lab.workspace / "big.iso").touch()
    os.truncate(lab.workspace / "big.iso", 60_000_000)
    (lab.workspace / "key.txt").write_text(lab.telegram.token)
    await lab.start()
    script = [use("send_file", {"path": name}) for name in ("big.iso", "key.txt", "../home/jarvis.db", "none")]
    asked = await lab.ask("send", [*script, "Too large. DONE12"], "DONE12")
    results = lab.results(asked)
    assert [next(part for part in PARTS if part in text) for text in results] == list(PARTS)
    assert not uploads(lab) and lab.faults() == []


PARTS = ("split -b 45M", "holds a secret", "own state", "There is no")


async def test_a_file_that_the_service_refuses_is_told_in_the_language_of_the_chat(lab: Lab) -> None:
    (lab.workspace / "a.bin").write_bytes(CANARY)
    lab.telegram.chats.languages[OWNER] = "de"
    body = {"ok": False, "error_code": 413, "description": "Request Entity Too Large"}
    lab.telegram.faults.add(Fault(method="sendDocument", status=413, body=body))
    await lab.start()
    await lab.ask("los", [use("send_file", {"path": "a.bin"}), "DONE13"], "DONE13")
    assert any("Die Datei a.bin ließ sich nicht senden" in text for text in lab.screen())


@pytest.mark.lab(chats=[GROUP])
async def test_a_group_that_forbids_files_still_gets_its_answer(lab: Lab) -> None:
    (lab.workspace / "plot.png").write_bytes(PNG)
    for method, what in (("sendPhoto", "photos"), ("sendDocument", "documents")):
        why = f"Bad Request: not enough rights to send {what} to the chat"
        body = {"ok": False, "error_code": 400, "description": why}
        lab.telegram.faults.add(Fault(method=method, times=9, status=400, body=body))
    await lab.start()
    lab.send("go", [use("send_file", {"path": "plot.png", "caption": "a plot"}), "DONE14"], GROUP)
    await lab.wait_text("DONE14", GROUP)
    assert any("a plot\n(The file plot.png could not be sent" in text for text in lab.screen(GROUP))
    assert [call.method for call in uploads(lab)] == ["sendPhoto", "sendDocument"]


@pytest.mark.parametrize("name", ["Übersicht 😀.txt", "a\"b\\c'd.txt", "two\nlines.txt", "-rf.txt", "x" * 250 + ".txt"])
async def test_an_odd_name_arrives_as_one_that_can_be_stored(lab: Lab, name: str) -> None:
    (lab.workspace / name).write_bytes(CANARY)
    await lab.start()
    await lab.ask("go", [use("send_file", {"path": name}), "DONE15"], "DONE15")
    (message,) = sent(lab)
    assert message["document"]["file_name"] == named(f"/{name}") and bytes_of(lab, message) == CANARY
