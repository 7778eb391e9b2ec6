"""web_fetch: public addresses alone, whatever their spelling and through redirects; bounded; readable."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Callable
from encodings.aliases import aliases
from pathlib import Path

import httpx2
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.tools.web_fetch import SHOWN, WARNING, WebFetch, tool
from agent.web import Web, reading
from agent.web.address import is_public, resolved
from agent.web.body import MOST_BYTES, decoded
from agent.web.text import title_and_text
from tests.fakes.calls import context

Handler = Callable[[httpx2.Request], httpx2.Response]
PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "1.1.1.1", "64:ff9b::101:101"]
INSIDE = [
    "127.0.0.1", "127.255.255.255", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1",
    "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "::127.0.0.1", "fec0::1",
    "2001:0:1::1", "nonsense", "",
]  # fmt: skip
SPELLINGS = [
    "127.0.0.1", "localhost", "0x7f000001", "2130706433", "127.1", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]",
    "0.0.0.0", "0", "169.254.169.254", "①②⑦.⓪.⓪.①", "localhost.", "LOCALHOST",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", INSIDE)
def test_inside(address: str) -> None:
    assert not is_public(address)


def web(handler: Handler, table: dict[str, list[str]] | None = None) -> Web:
    """A web of one handler. Names of the table resolve to it, all others to a public address."""

    async def resolve(host: str, port: int) -> list[str]:
        if table and host in table:
            if not all(map(is_public, table[host])):
                return await resolved(table[host][0], port)
            return table[host]
        return await resolved(host, port) if host.replace(".", "").isdigit() else ["93.184.216.34"]

    return Web(resolve=resolve, transport=httpx2.MockTransport(handler))


def reply(content: bytes | str = b"", status: int = 200, kind: str = "text/plain", **headers: str) -> httpx2.Response:
    """As it comes from the network: not read yet."""
    given = {name.replace("_", "-"): value for name, value in headers.items()} | (
        {"content-type": kind} if kind else {}
    )
    raw = content.encode() if isinstance(content, str) else content
    return httpx2.Response(status, headers={**given, "content-length": str(len(raw))}, stream=httpx2.ByteStream(raw))


def text(body: str, kind: str = "text/plain") -> Handler:
    return lambda request: reply(body, kind=kind)


@pytest.mark.parametrize("host", SPELLINGS)
async def test_no_spelling_of_an_inside_address_is_fetched(host: str) -> None:
    asked: list[str] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url))
        return reply("secret")

    reached = Web(transport=httpx2.MockTransport(handler))
    with pytest.raises(ToolError):
        await reached.fetch(f"http://{host}:8080/x", 5)
    assert asked == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["http://127.0.0.1/", "http://inner.example/", "//2130706433/", "file:///etc/passwd"])
async def test_a_redirect_inside_is_not_followed(status: int, where: str) -> None:
    asked: list[str] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.headers["host"])
        return reply(status=status, location=where)

    with pytest.raises(ToolError):
        await web(handler, {"inner.example": ["10.0.0.1"]}).fetch("http://outer.example/", 5)
    assert asked == ["outer.example"]


async def test_one_inside_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(ToolError, match="inside"):
        await web(text("x"), {"mixed.example": ["10.0.0.1", "1.1.1.1"]}).fetch("http://mixed.example/", 5)


async def test_the_connection_goes_to_the_judged_address_under_the_pages_own_name() -> None:
    seen: list[tuple[str, str, str]] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.url.host, request.headers["host"], request.extensions["sni_hostname"]))
        return reply("fine")

    await web(handler, {"page.example": ["1.1.1.1"]}).fetch("https://page.example:8443/a?b=1#c", 5)
    assert seen == [("1.1.1.1", "page.example:8443", "page.example")]


async def test_redirects_are_followed_and_end() -> None:
    def handler(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/end":
            return reply("there")
        return reply(status=302, location="/end")

    page = await web(handler).fetch("http://a.example/", 5)
    assert (page.text, page.url) == ("there", "http://a.example/end")
    with pytest.raises(ToolError, match="more than 5 times"):
        await web(lambda request: reply(status=302, location="/again")).fetch("http://a.example/", 5)


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "ftp://a.example/", "http://", "javascript:alert(1)", "a b", "http://u:p@a.example/"]
)  # fmt: skip
async def test_what_is_no_address_of_a_page_is_refused(url: str) -> None:
    with pytest.raises(ToolError):
        await web(text("x")).fetch(url, 5)


async def test_a_bomb_is_cut() -> None:
    body = gzip.compress(b"x" * (20 * MOST_BYTES))
    page = await web(lambda request: reply(body, content_encoding="gzip")).fetch("http://a.example/", 20)
    assert len(page.text) == MOST_BYTES
    assert "first" in page.note


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip"])
async def test_a_compression_that_cannot_be_unpacked_is_told(encoding: str) -> None:
    with pytest.raises(ToolError, match="compress"):
        await web(lambda request: reply(b"nonsense", content_encoding=encoding)).fetch("http://a.example/", 5)


async def test_what_is_no_text_is_named() -> None:
    with pytest.raises(ToolError, match="application/pdf, 3 bytes"):
        await web(text("pdf", "application/pdf")).fetch("http://a.example/x.pdf", 5)


@pytest.mark.parametrize(
    ("kind", "body", "shown"),
    [
        ("text/plain; charset=latin-1", "é".encode("latin-1"), "é"),
        ("text/html", b"<meta charset='latin-1'><body>\xe9", "é"),
        ("text/plain; charset=nonsense", "é".encode(), "é"),
        ("text/plain", b"\xff", "\ufffd"),
        ("", b"plain", "plain"),
        ("application/json", b'{"a": 1}', '{"a": 1}'),
    ],
)
async def test_charsets_and_kinds(kind: str, body: bytes, shown: str) -> None:
    page = await web(lambda request: reply(body, kind=kind)).fetch("http://a.example/", 5)
    assert page.text == shown


PAGE = """<html><head><title> A  page </title><style>p{}</style></head><body><nav>menu</nav><h1>Head</h1>
<p>One <b>two</b><script>evil()</script> three.</p><ul><li>first</li><li><a href="/x?y=1#z">second</a></li></ul>
<table><tr><th>k</th><td>v</td></tr></table><p hidden>&lt;tag&gt; &amp; more</p><footer>foot</footer></body></html>"""


@pytest.mark.parametrize("name", sorted({*aliases.values(), "punycode", "idna", "undefined", "unicode_escape", "mbcs"}))
def test_no_charset_that_a_page_claims_is_slow_or_fails(name: str) -> None:
    """Python's punycode takes ten minutes for a page of four megabytes, others raise what they like."""
    body = b"a" * 300_000 + b"-" + b"9a" * 300_000
    began = time.monotonic()
    assert decoded(body, f"text/plain; charset={name}")
    assert time.monotonic() - began < 20  # only a hang breaks it


def test_a_page_as_text() -> None:
    title, shown = title_and_text(PAGE, "http://a.example/")
    assert title == "A page"
    assert shown == (
        "# Head\n\nOne two three.\n\n- first\n- second (http://a.example/x?y=1#z)\n\nk | v |\n\n<tag> & more"
    )


def test_a_page_nested_very_deep_is_read() -> None:
    assert title_and_text("<div>" * 10_000 + "deep", "http://a.example/")[1] == "deep"


@given(st.text())
def test_any_text_is_a_page(html: str) -> None:
    title_and_text(html, "http://a.example/")
    title_and_text(f"<body><a href='{html}'>x</a>{html}", "http://a.example/")


async def test_a_long_page_is_read_in_pieces_and_marked() -> None:
    whole = "".join(f"{n:05d}\n" for n in range(5000))
    around = context(Path("/"), web=web(text(whole)))
    first = (await tool.run(around, WebFetch(url="http://a.example/"))).text
    second = (await tool.run(around, WebFetch(url="http://a.example/", start=SHOWN))).text
    assert WARNING in first
    assert f"start={SHOWN}" in first
    pieces = [part.split("---\n", 1)[1].rsplit("\n[cut", 1)[0] for part in (first, second)]
    assert whole.startswith("".join(pieces))
    with pytest.raises(ToolError, match="only 30000 characters"):
        await tool.run(around, WebFetch(url="http://a.example/", start=30_000))


async def test_a_large_page_does_not_hold_up_the_event_loop() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    ticking = asyncio.create_task(tick())
    page = await web(text("<p>x</p>" * 60_000, "text/html")).fetch("http://a.example/", 30)
    ticking.cancel()
    assert page.text.startswith("x\n") and ticks >= 3


@pytest.mark.parametrize("page", ["<div>" * 100_000, "<ul><li>" * 100_000, "<a href=x>y" * 300_000], ids=str.__len__)
async def test_a_page_that_is_made_to_be_slow_is_given_up_and_holds_up_nothing(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser takes time by the square of the depth; the links come to a gigabyte."""
    monkeypatch.setattr(reading, "MOST_S", 2.0)
    ticks, longest, last = 0, 0.0, time.monotonic()

    async def tick() -> None:
        nonlocal ticks, longest, last
        while True:
            await asyncio.sleep(0.005)
            ticks, longest, last = ticks + 1, max(longest, time.monotonic() - last), time.monotonic()

    ticking = asyncio.create_task(tick())
    with pytest.raises(ToolError, match="reasonable time"):
        await web(text(page, "text/html")).fetch(f"http://a.example/{'p' * 4000}", 30)
    ticking.cancel()
    assert ticks > 10 and longest < 5  # only a hang breaks it


async def test_a_cancelled_fetch_leaves_no_reader_behind() -> None:
    fetch = asyncio.create_task(web(text("<div>" * 100_000, "text/html")).fetch("http://a.example/", 30))
    mine = psutil.Process()
    async with asyncio.timeout(20):
        while not (readers := [each for each in mine.children() if "text.py" in " ".join(each.cmdline())]):
            await asyncio.sleep(0.02)
    fetch.cancel()
    await asyncio.gather(fetch, return_exceptions=True)
    assert not any(reader.is_running() and reader.status() != psutil.STATUS_ZOMBIE for reader in readers)


async def test_without_a_web() -> None:
    with pytest.raises(ToolError, match="no way to the web"):
        await tool.run(context(Path("/")), WebFetch(url="http://a.example/"))
