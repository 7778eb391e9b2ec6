"""Under a language that brackets every string nothing of ours is left without brackets; and German, on the screen."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from bot import words
from tests.fakes.lab import DRAFT, Lab
from tests.fakes.model import sh
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e
OURS = re.compile(r"⟦[^⟦⟧\n]*(?:⟧|…$)|⟦[^⟦⟧]*⟧", re.M)  # one that was cut short has lost its end
THEIRS = "ZZ"  # in every line that is the model's, a tool's or a person's


def bare(text: str) -> list[str]:
    """The lines that hold a word outside of brackets and aren't theirs."""
    while OURS.search(text):
        text = OURS.sub("", text)
    text = text.replace("[[script:", "ZZ").replace("test-model", "")
    return [line for line in text.splitlines() if re.search(r"[A-Za-z]{3}", line) and THEIRS not in line]


def spoken(lab: Lab) -> Iterator[str]:
    """Everything that the owner was shown: texts, captions, buttons, toasts."""
    for call in lab.telegram.calls:
        if call.method == DRAFT or call.status != 200:
            continue
        if call.chat == OWNER and call.method.startswith(("send", "edit")) and call.method != "sendChatAction":
            yield call.shown
            markup = call.params.get("reply_markup") or {}
            yield from (each["text"] for row in markup.get("inline_keyboard", []) for each in row)
        if call.method == "answerCallbackQuery":
            yield call.params.get("text", "")


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "ask", "JARVIS_RUN__TURNS": "6"})
async def test_each_scene_speaks_through_the_catalogue(lab: Lab) -> None:
    lab.telegram.chats.languages[OWNER] = "qps-ploc"
    await lab.start()
    for name in ("help", "start", "status", "users", "usage", "undo", "plan", "model", "mode", "sessions", "verbosity"):
        seen = len(lab.telegram.calls)
        lab.telegram.people.say(f"/{name}")
        await lab.until(lambda seen=seen: any(c.method == "sendMessage" for c in lab.telegram.calls[seen:]), name)
    for wrong in ("/nonsense", "/mode ZZ", "/verbosity ZZ", "/new ZZ", "/lock ZZ", "/pause", "/resume", "/stop"):
        seen = len(lab.telegram.calls)
        lab.telegram.people.say(wrong)
        await lab.until(lambda seen=seen: any(c.method == "sendMessage" for c in lab.telegram.calls[seen:]), wrong)
    sent = lab.send("ZZ work", [sh("cat /nonexistent/ZZ"), sh("echo ZZ > ZZfile"), "ZZ FINAL"])
    lab.press(await lab.wait_button("Run once"))
    await lab.wait_text("FINAL", after=sent.after)
    lab.telegram.people.say("/verbosity full")
    fails = [sh(f"ls /nonexistent/ZZ # {each}") for each in range(7)]
    sent = lab.send("ZZ fail", [*fails, "ZZ FINAL2"])
    await lab.wait_text("Checkpoint", after=sent.after, timeout=20)
    for name in ("/checkpoint", "/undo", "/usage", "/new forget", "/new"):
        seen = len(lab.telegram.calls)
        lab.telegram.people.say(name)
        await lab.until(lambda seen=seen: any(c.method == "sendMessage" for c in lab.telegram.calls[seen:]), name)
    lab.press(await lab.wait_button("Details"))
    await lab.until(lambda: any("⟦Details" in text for text in lab.screen()), "no details")
    assert [line for text in spoken(lab) for line in bare(text)] == []


async def test_german_is_spoken_and_remembered_over_a_restart(lab: Lab) -> None:
    lab.telegram.chats.languages[OWNER] = "de-AT"
    await lab.start()
    lab.telegram.people.say("/status")
    await lab.wait_text("Es läuft nichts.")
    lab.send("arbeite", [sh(lab.nap(30)), "FERTIG"])
    await lab.until(lab.naps, "the command didn't start")
    await lab.wait_button("^Anhalten$")
    await lab.bot.kill()
    await lab.start()
    with words.speaking("de"):
        restarted = words.RESTARTED
    await lab.wait_text(restarted[:40])
    assert "1 Befehl · " in (await lab.wait_text("FERTIG")).shown
    lab.telegram.chats.languages[OWNER] = "fr"
    lab.telegram.people.say("/status")
    await lab.wait_text("Nothing is running.")
