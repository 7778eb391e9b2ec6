"""Logging in to Telegram: with no network, a wrong token, and as usual."""

from __future__ import annotations

import logging

import httpx
import pytest

from agent import TokenRefused
from tests.fakes.bot_line import TOKEN, Line, over
from tests.fakes.bot_request import Says, refused


async def test_connecting_waits_for_the_network_with_few_words(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="bot")
    line = Line()
    line.api.on("getMe", *[over(httpx.ConnectError(f"no route to /bot{TOKEN}"))] * 12, Says(502, b"<html>"))
    await line.channel.connect()
    assert len(line.clock.slept) == 13
    assert max(line.clock.slept) <= 30
    assert len(caplog.records) == 2
    assert "SECRET" not in caplog.text + line.channel.health.problem
    assert line.channel.bot == "1000"
    assert line.channel.health.facts == {"username": "jarvis_test_bot", "can_read_all_group_messages": "no"}
    await line.channel.close()


@pytest.mark.parametrize("answer", [refused(401, "Unauthorized"), refused(404, "Not Found")])
async def test_connecting_with_a_wrong_token_says_what_to_do(answer: Says) -> None:
    line = Line()
    line.api.on("getMe", answer)
    with pytest.raises(TokenRefused, match="token") as refusal:
        await line.channel.connect()
    assert "SECRET" not in str(refusal.value)
    await line.channel.close()
