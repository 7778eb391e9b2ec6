"""Budgets and usage on the real process: told at 80 %, stopped at 100 %, over chats, concurrent runs and kills."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model.costs import costing, spending
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e


def rows(lab: Lab, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(lab.home / "jarvis.db")) as db:
        return db.execute(query).fetchall()


@pytest.mark.lab(env={"JARVIS_GUARDS__BUDGET__RUN_TOKENS": "20000"})
async def test_a_run_s_tokens_are_told_at_80_and_end_it_at_100_with_a_checkpoint(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("go on for ever", spending(4500))
    await lab.wait_text("this run's budget is used up, 22,500 of 20,000 tokens", after=sent.after)
    assert len(lab.requests(sent)) == 5
    assert "[budget] 90 % of the budget of this run is used: 18,000 of 20,000 tokens" in lab.results(sent)[-1]
    await lab.wait_text("Told the model: 90 % of the budget of this run", after=sent.after)
    assert lab.copies("90 % of the budget") == 1
    assert rows(lab, "SELECT body FROM steps WHERE kind = 'ended'")[0][0].find('"limit"') > 0
    button = await lab.wait_button("Continue")
    lab.model.script("more", [costing(4500, "FINAL1")])
    lab.press(button)
    await lab.telegram.bell.until(lambda: rows(lab, "SELECT 1 FROM usage WHERE run > 1") or None, 10)


@pytest.mark.lab(chats=[-100], env={"JARVIS_GUARDS__BUDGET__USER_DAY_TOKENS": "20000"})
async def test_a_user_s_day_is_one_over_two_chats_and_a_kill(lab: Lab) -> None:
    await lab.start()
    await lab.ask("one", [costing(9000, "FINAL2")], "FINAL2")
    await lab.bot.kill()
    await lab.start()
    await lab.ask("two", [costing(8000, "FINAL3")], "FINAL3", chat=-100)
    assert rows(lab, "SELECT COUNT(*), SUM(prompt + completion) FROM usage") == [(2, 17_000)]
    third = lab.send("three", spending(4000))
    told = await lab.wait_text("your budget for today is used up, 21,000 of 20,000 tokens", after=third.after)
    assert re.search(r"frees at \d{4}-\d\d-\d\d 00:00 UTC; JARVIS_GUARDS__BUDGET__USER_DAY_TOKENS", told.shown)
    assert len(lab.requests(third)) == 1
    await lab.bot.kill()
    await lab.start()
    fourth = lab.send("four", [costing(1, "never")], chat=-100)
    await lab.wait_text("your budget for today is used up", -100, after=fourth.after)
    assert lab.requests(fourth) == []


@pytest.mark.lab(chats=[8, 9, 10], env={"JARVIS_GUARDS__BUDGET__DAY_TOKENS": "30000"})
async def test_runs_side_by_side_share_the_day_and_overshoot_by_one_reply_each_at_most(lab: Lab) -> None:
    await lab.start()
    chats = (OWNER, 8, 9, 10)
    sent = [lab.send("go", spending(3000), chat) for chat in chats]
    for each in sent:
        await lab.wait_text("the budget of all chats for today is used up", each.chat, after=each.after, timeout=30)
    (spent,) = rows(lab, "SELECT SUM(prompt + completion) FROM usage")[0]
    assert 30_000 <= spent <= 30_000 + 3000 * len(chats)
    assert spent == 3000 * sum(len(lab.requests(each)) for each in sent)


@pytest.mark.lab(env={"JARVIS_GUARDS__BUDGET__DAY_MONEY": "0.05"})
async def test_money_that_the_provider_tells_is_counted_shown_and_stopped_at(lab: Lab) -> None:
    await lab.start()
    usage = lab.send("/usage")
    await lab.wait_text("all: $0.00 of $0.05, 0 %", after=usage.after)
    await lab.ask("one", [costing(500, cost=0.02), costing(500, "FINAL5", cost=0.01)], "1 command", timeout=15)
    assert [text for text in lab.screen() if re.search(r"FINAL5\n\n1 command · \d s · 1\.0k tokens · \$0\.03$", text)]
    sent = lab.send("two", [costing(500, cost=0.02), "never"])
    await lab.wait_text("the budget of all chats for today is used up, $0.05 of $0.05", after=sent.after)
    assert len(lab.requests(sent)) == 1
    usage = lab.send("/usage")
    await lab.wait_text("Today: 3 calls · $0.05", after=usage.after)


@pytest.mark.parametrize("point", ["K6", "K6:2", "K7"])
async def test_a_kill_around_a_reply_neither_loses_nor_doubles_its_row(tmp_path: Path, point: str) -> None:
    async with Lab(tmp_path, env={"JARVIS_FAILPOINT": point}) as lab:
        await lab.bot.launch()
        await lab.telegram.wait_poll(20, 0)
        sent = lab.send("one", [costing(5000), costing(6000, "FINAL4")])
        assert await lab.bot.wait(15) == -9
        lab.bot.env.pop("JARVIS_FAILPOINT")
        await lab.start()
        await lab.wait_text("FINAL4", after=sent.after)
        said = rows(lab, "SELECT session, seq FROM steps WHERE kind = 'said' ORDER BY 1, 2")
        assert said == rows(lab, "SELECT session, seq FROM usage ORDER BY 1, 2")
        assert len(said) == 2
        assert not lab.faults()
