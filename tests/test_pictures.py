"""Pictures in requests: from the journal alone, as parts for models that see, as words for those that don't."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path

import httpx2
import pytest

from agent.clock import SystemClock
from agent.edges import Place
from agent.messages import History
from agent.models.chat import ModelSettings, OpenAIChat
from agent.models.seeing import MOST_BYTES, blind, kind_of, seen
from agent.pictures import KEY, Pictures
from agent.settings.model_rules import sees
from agent.steps import Asked, Handed, Picture, Said
from tests.fakes.edges import opening

JPEG = b"\xff\xd8\xff\xe0 picture"
PICTURE = Picture("/w/inbox/a.jpg", "ab")


def asked(text: str, *pictures: Picture) -> Asked:
    context = "\n".join(f"- {each.path} (1 kB)" for each in pictures)
    return Asked(at=1, text=text, author="t:7", context=context, pictures=pictures)


def history(*steps: object) -> History:
    view = History()
    for seq, step in enumerate([opening("s", Place("/w", "/w"), 1.0), *steps], 1):
        view.fold(seq, step)  # type: ignore[arg-type]
    return view


def shown(view: History) -> list[tuple[str, tuple[Picture, ...]]]:
    return [(str(each["content"]), each.get(KEY, ())) for each in view.request().messages[1:]]


def test_a_picture_rides_with_the_words_that_tell_of_it() -> None:
    other = Picture("/w/inbox/b.png", "cd")
    view = history(asked("look", PICTURE), Said(at=2, text="a cat", upto=2), asked("and this", other))
    assert [pictures for _, pictures in shown(view)] == [(PICTURE,), (), (other,)]


def test_neighbouring_messages_share_their_pictures() -> None:
    other = Picture("/w/inbox/b.png", "cd")
    assert [pictures for _, pictures in shown(history(asked("a", PICTURE), asked("b", other)))] == [(PICTURE, other)]


def test_a_text_alone_shows_no_file() -> None:
    view = history(asked("- /etc/shadow (1 kB)"), asked("x", PICTURE))
    assert [pictures for _, pictures in shown(view)] == [(PICTURE,)]


def test_what_a_checkpoint_leaves_out_is_not_sent_again() -> None:
    view = history(asked("look", PICTURE), Said(at=2, text="ok", upto=2), Handed(at=3, checkpoint="{}", text="goal"))
    assert [pictures for _, pictures in shown(view)] == [()]


def test_without_pictures_messages_are_what_they_were() -> None:
    messages = [{"role": "user", "content": "a"}]
    assert Pictures().placed(messages) == messages == blind(messages) == seen(messages)


def request(path: Path, data: bytes) -> list[dict[str, object]]:
    picture = Picture(str(path), hashlib.sha256(data).hexdigest())
    return [{"role": "user", "content": "look", KEY: (picture,)}]


def test_a_picture_is_sent_as_it_came(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(JPEG)
    (message,) = seen(request(path, JPEG))
    url = f"data:image/jpeg;base64,{base64.b64encode(JPEG).decode()}"
    text = {"type": "text", "text": "look"}
    assert message == {"role": "user", "content": [text, {"type": "image_url", "image_url": {"url": url}}]}
    assert blind(request(path, JPEG)) == [{"role": "user", "content": "look"}]


@pytest.mark.parametrize("what", ["gone", "changed", "no picture", "too large", "link", "pipe"])
def test_what_cannot_be_shown_stays_words(tmp_path: Path, what: str) -> None:
    path, data = tmp_path / f"{what}.jpg", JPEG
    match what:
        case "changed":
            path.write_bytes(JPEG + b"!")
        case "no picture":
            path.write_bytes(data := b"<svg>")
        case "too large":
            path.write_bytes(data := JPEG + bytes(MOST_BYTES))
        case "link":
            (tmp_path / "real").write_bytes(JPEG)
            path.symlink_to(tmp_path / "real")
        case "pipe":
            os.mkfifo(path)
    assert seen(request(path, data)) == [{"role": "user", "content": "look"}]


KINDS = {
    JPEG: "jpeg",
    b"\x89PNG\r\n\x1a\n": "png",
    b"GIF89a": "gif",
    b"RIFF1234WEBPVP8": "webp",
    **dict.fromkeys([b"RIFF1234WAVE", b"<svg>", b"%PDF", b""], ""),
}


@pytest.mark.parametrize("data", KINDS)
def test_kinds(data: bytes) -> None:
    assert kind_of(data) == KINDS[data]


SEEING = "gpt-4o-mini openai/gpt-5 claude-sonnet-4 gemini-2.5-flash qwen2.5vl:7b o3 qwen2.5-vl-72b llava:13b"
SEEING += " pixtral-12b gemma3:12b llama3.2-vision llama-4-scout"
BLIND = "gpt-3.5-turbo qwen3:8b llama3.1:8b deepseek-chat mistral-7b gemma3n:e4b fo3"


@pytest.mark.parametrize("name", SEEING.split())
def test_models_that_see(name: str) -> None:
    assert sees(name)


@pytest.mark.parametrize("name", BLIND.split())
def test_models_that_do_not(name: str) -> None:
    assert not sees(name)


class Answering:
    """An endpoint that refuses pictures, if it is told to."""

    def __init__(self, refuses: bool) -> None:
        self.refuses, self.contents = refuses, list[object]()

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        content = json.loads(request.read())["messages"][-1]["content"]
        self.contents.append(content if isinstance(content, str) else [part["type"] for part in content])
        if self.refuses and not isinstance(content, str):
            return httpx2.Response(400, json={"error": {"message": "image_url is not supported"}})
        chunk = {"choices": [{"index": 0, "delta": {"content": "ok"}, "finish_reason": "stop"}]}
        return httpx2.Response(200, text=f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")


PARTS = ["text", "image_url"]


@pytest.mark.parametrize(
    ("sees_", "refuses", "sent"),
    [(True, False, [PARTS, PARTS]), (True, True, [PARTS, "look", "look"]), (False, False, ["look", "look"])],
)
async def test_a_model_that_refuses_pictures_gets_words_from_then_on(
    tmp_path: Path, sees_: bool, refuses: bool, sent: list[object]
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(JPEG)
    endpoint = Answering(refuses)
    settings = ModelSettings("http://m/v1", "m", sees=sees_)
    model = OpenAIChat(settings, SystemClock(), transport=httpx2.MockTransport(endpoint))
    for _ in range(2):
        parts = [part async for part in model.reply(request(path, JPEG), ())]
        assert isinstance(parts[-1], Said) and parts[-1].text == "ok"
    assert endpoint.contents == sent
    await model.close()
