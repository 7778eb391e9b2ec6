"""People on the real process: pairing by code, a knock, the lock, a mode that returns; all of it over kills."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing

import pytest

from bot import words
from tests.fakes.lab import Lab
from tests.fakes.model import sh
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e
CODE = re.compile(r"Pairing code: ([A-Z0-9]{8})\b")


def codes(lab: Lab) -> list[str]:
    return CODE.findall(lab.bot.log.read_text())


@pytest.mark.lab(env={"JARVIS_ACCESS__OWNER": ""})
async def test_the_code_on_the_console_makes_an_owner_who_stays_one(lab: Lab) -> None:
    await lab.start()
    (code,) = await lab.until(lambda: codes(lab), "no code on the console")
    lab.telegram.chats.chat(999)
    wrong = ("A" if code[0] != "A" else "B") + code[1:]
    for text in ("hi", "/start", f"my code is {code}", wrong):
        lab.telegram.people.say(text, 999)
    lab.telegram.people.say(code.lower())
    await lab.wait_text(words.PAIRED)
    await lab.ask("hello", ["FINAL1"], "FINAL1")
    assert lab.screen(999) == []
    await lab.bot.kill()
    await lab.start()
    await lab.ask("still there?", ["FINAL2"], "FINAL2")
    assert len(codes(lab)) == 1, "with an owner no code is printed"
    lab.telegram.people.say(code, 999)
    await lab.ask("and now?", ["FINAL3"], "FINAL3")
    assert lab.screen(999) == []


@pytest.mark.lab(env={"JARVIS_ACCESS__OWNER": ""})
async def test_five_wrong_codes_void_the_code_until_a_restart(lab: Lab) -> None:
    await lab.start()
    (code,) = await lab.until(lambda: codes(lab), "no code on the console")
    for number in range(5):
        lab.telegram.chats.chat(900 + number)
        last = lab.telegram.people.say(f"{number + 2}" * 8, 900 + number)
    await lab.telegram.wait_confirmed(last)
    last = lab.telegram.people.say(code)
    await lab.telegram.wait_confirmed(last)
    assert lab.screen() == []
    await lab.bot.kill()
    await lab.start()
    await lab.until(lambda: len(codes(lab)) == 2, "no second code")
    lab.telegram.people.say(codes(lab)[1])
    await lab.wait_text(words.PAIRED)


async def test_a_stranger_is_let_in_by_the_owner_s_tap(lab: Lab) -> None:
    await lab.start()
    lab.telegram.chats.chat(999)
    lab.telegram.people.say("/start", 999)
    button = await lab.wait_button("Operator")
    assert lab.screen(999) == []
    await lab.bot.kill()
    await lab.start()
    lab.press(button, user=999)  # by somebody who isn't asked
    lab.press(button)
    await lab.wait_text(words.welcome("operator"), 999)
    await lab.ask("work", ["FINAL4"], "FINAL4", chat=999)


@pytest.mark.lab(chats=[8])
async def test_the_lock_stops_all_and_holds_over_a_kill(lab: Lab) -> None:
    await lab.start()
    naps = {lab.nap(60), lab.nap(61)}
    for nap, chat in zip(sorted(naps), (OWNER, 8), strict=True):
        lab.send("work", [sh(nap), "never"], chat)
    await lab.until(lambda: naps <= {" ".join(nap.cmdline()) for nap in lab.naps()}, "the commands never ran")
    lock = lab.send("/lock")
    await lab.wait_text("Locked. 2 runs stopped.", after=lock.after, timeout=5)
    await lab.until(lambda: not lab.naps(), "alive after /lock", timeout=8)
    lab.send("hello", ["never"], chat=8)
    await lab.wait_text(words.LOCKED_OUT, 8)
    await lab.bot.kill()
    await lab.start()
    shut = lab.send("hello?", ["never"], chat=8)
    off = lab.send("/lock off")
    await lab.wait_text(words.UNLOCKED, after=off.after)
    assert lab.requests(shut) == []
    await lab.ask("now", ["FINAL5"], "FINAL5", chat=8)


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "sandbox"})
async def test_mode_full_holds_over_a_kill_and_returns(lab: Lab) -> None:
    await lab.start()
    lab.send("/mode full 1h")
    await lab.wait_text("Mode full, until ")
    await lab.ask("work", ["FINAL6"], "FINAL6")
    await lab.bot.kill()
    with closing(sqlite3.connect(lab.home / "jarvis.db", isolation_level=None)) as db:
        assert '"full"' in db.execute("SELECT body FROM steps WHERE kind = 'commanded'").fetchone()[0]
        db.execute("UPDATE switches SET until = ? WHERE name = 'mode'", (time.time() + 4,))  # nobody waits for an hour
    await lab.start()
    status = lab.send("/status")
    await lab.wait_text("mode full until ", after=status.after)
    await lab.wait_text(words.mode_back("sandbox"), timeout=20)
    status = lab.send("/status")
    await lab.wait_text("· mode sandbox", after=status.after)
