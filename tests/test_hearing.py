"""agent.hearing: what was said, or a short reason why it isn't known."""

from __future__ import annotations

import json

import httpx2
import pytest

from agent.errors import ToolError
from agent.hearing import MOST, MOST_BYTES, Transcriber, text_of


@pytest.mark.parametrize(
    ("url", "endpoint", "model"),
    [
        ("http://h:9/v1", "http://h:9/v1/audio/transcriptions", "whisper-1"),
        ("http://h/v1/?model=large-v3", "http://h/v1/audio/transcriptions", "large-v3"),
        ("https://h/x/audio/transcriptions", "https://h/x/audio/transcriptions", "whisper-1"),
        ("http://h", "http://h/audio/transcriptions", "whisper-1"),
    ],
)
def test_addresses(url: str, endpoint: str, model: str) -> None:
    found = Transcriber(url)
    assert (found.url, found.model) == (endpoint, model)


async def heard(*replies: httpx2.Response | Exception, key: str = "") -> tuple[str, list[httpx2.Request]]:
    requests, left = [], list(replies)

    def handle(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    said = await Transcriber("http://h/v1", key, httpx2.MockTransport(handle)).hear("v.ogg", b"OggS")
    return said, requests


async def test_the_recording_goes_out_as_a_form() -> None:
    said, (request,) = await heard(httpx2.Response(200, json={"text": " do\nit "}), key="k")
    assert said == "do it"
    assert request.headers["authorization"] == "Bearer k"
    body = request.read()
    assert b'filename="v.ogg"' in body and b"OggS" in body and b"whisper-1" in body


async def test_without_a_key_none_is_sent() -> None:
    _, (request,) = await heard(httpx2.Response(200, json={"text": ""}))
    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (httpx2.Response(401, json={"error": "sk-secret"}), "status 401"),
        (httpx2.Response(302, headers={"location": "http://elsewhere/"}), "status 302"),
        (httpx2.Response(200, text="<html>"), "can't be read"),
        (httpx2.Response(200, json={"text": 3}), "can't be read"),
        (httpx2.Response(200, json=["text"]), "can't be read"),
        (httpx2.Response(200, content=b"x" * (MOST_BYTES + 1)), "too long"),
        (httpx2.ConnectError("secret address"), "can't be reached: ConnectError"),
    ],
)
async def test_failures_are_short_reasons(reply: httpx2.Response | Exception, reason: str) -> None:
    with pytest.raises(ToolError, match=reason) as caught:
        await heard(reply)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("size", "kept"), [(MOST - 1, MOST - 1), (MOST, MOST), (MOST + 1, MOST)])
def test_a_long_text_is_cut(size: int, kept: int) -> None:
    assert len(text_of(json.dumps({"text": "x" * size}).encode())) == kept
    assert text_of(b'{"text": "\\ud800"}') == "?"
