"""Event streams: the standard's grammar, garbage told apart, bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.sse import Event, EventReader, Garbled


def read(*pieces: bytes, limit: int = 10_000) -> list[Event]:
    reader = EventReader(limit)
    return [event for piece in pieces for event in reader.feed(piece)] + reader.close()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data:a\r\n\r\ndata:  b\r\n\r\n", ["a", " b"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b": OPENROUTER PROCESSING\n\ndata: a\n\n:\n\n", ["a"]),
        (b"id: 7\nretry: 10\nx-new: y\ndata: a\n\n", ["a"]),
        (b"data\n\n", [""]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"\n\n  data: a\n\n", ["a"]),
        (b"data: cut by the end\n", []),
        (b"data: cut", []),
        (b"", []),
        ("data: é😀\n\n".encode(), ["é😀"]),
        (b"data: \xff\n\n", ["\ufffd"]),
        (b'{"a": 1}\n\n', ['{"a": 1}\n\n']),
        (b' \n[{"a":\n 1}]', ['[{"a":\n 1}]']),
    ],
)
def test_bodies_are_read_whole_or_byte_by_byte(body: bytes, expected: list[str]) -> None:
    assert [event.data for event in read(body)] == expected
    assert [event.data for event in read(*(body[i : i + 1] for i in range(len(body))))] == expected


def test_an_event_has_its_name() -> None:
    assert read(b"event: error\ndata: x\n\ndata: y\n\n") == [Event("error", "x"), Event("", "y")]


@pytest.mark.parametrize(
    "body", [b"<!doctype html>", b"\n<html>", b"\x00\x01\x02\n", b'tent":"hi"}\n', b"data: a\n\n!!!\n"]
)
def test_what_is_no_stream_is_told(body: bytes) -> None:
    with pytest.raises(Garbled):
        read(body)
    with pytest.raises(Garbled):
        read(*(body[i : i + 1] for i in range(len(body))))


@pytest.mark.parametrize("size", [99, 100, 101])
@pytest.mark.parametrize("shape", ["line", "lines", "document"])
def test_an_event_is_bounded(shape: str, size: int) -> None:
    body = {
        "line": b"data: " + b"x" * (size - 6),
        "lines": b"data: " + b"x" * 50 + b"\ndata: " + b"x" * (size - 56),
        "document": b"{" + b"x" * (size - 1),
    }[shape]
    if size > 100:
        with pytest.raises(Garbled):
            read(body[:80], body[80:], limit=100)
    else:
        read(body[:80], body[80:], limit=100)


BODIES = st.lists(
    st.sampled_from([b"data: a", b"data:", b"\n", b"\r\n", b"\r", b": c", b"event: e", "data: é".encode()]), max_size=20
)


@given(BODIES.map(b"".join), st.data())
def test_any_cutting_gives_the_same(body: bytes, data: st.DataObject) -> None:
    body = b"data: z\n\n" + body
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]

    def outcome(*pieces: bytes) -> object:
        try:
            return read(*pieces)
        except Garbled as error:
            return str(error)

    assert outcome(*pieces) == outcome(body)
