"""The body of a response within bounds, whatever its compression claims, and as text."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import AsyncIterator

from agent.errors import ToolError

MOST_BYTES = 4_000_000  # of a page, sent and unpacked alike
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_SNIFFED = 2048
# Python knows them, the web doesn't (https://encoding.spec.whatwg.org/#names-and-labels). The first takes minutes for a
# page, by the square of its length; some raise whatever `replace` says.
_NEVER = frozenset({"punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"})
_READABLE = ("application/json", "application/xml", "application/javascript", "application/x-yaml", "application/toml")


def is_readable(kind: str) -> bool:
    """Whether a media type is text that a model can read. None at all is tried as text."""
    kind = kind.partition(";")[0].strip().lower()
    return not kind or kind.startswith("text/") or kind in _READABLE or kind.endswith(("+xml", "+json"))


async def received(pieces: AsyncIterator[bytes], encoding: str) -> tuple[bytes, bool]:
    """The unpacked body and whether it was cut. Raises ToolError for a compression that we didn't ask for."""
    packed = encoding.strip().lower() not in ("", "identity")
    if packed and encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        raise ToolError(f"The page came in the compression {encoding[:20]!r}, which is not supported.")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed else None
    body = bytearray()
    async for piece in pieces:
        body += _unpacked(unpack, piece, MOST_BYTES + 1 - len(body))
        if len(body) > MOST_BYTES:
            return bytes(body[:MOST_BYTES]), True
    return bytes(body), False


def _unpacked(unpack: zlib._Decompress | None, piece: bytes, room: int) -> bytes:
    if unpack is None:
        return piece
    try:
        return unpack.decompress(piece, room)  # never more than there is room for: a bomb stays packed
    except zlib.error:
        raise ToolError("The page's compressed body is damaged.") from None


def decoded(body: bytes, kind: str) -> str:
    """The text, by the charset of the header, else of the page's own head, else UTF-8."""
    found = _CHARSET.search(kind) or _CHARSET.search(body[:_SNIFFED].decode("ascii", "replace"))
    return body.decode(_codec(found[1]) if found else "utf-8", "replace")


def _codec(charset: str) -> str:
    """Python's name for it; UTF-8 for what is unknown or no charset of a page."""
    try:
        known = codecs.lookup(charset)
    except LookupError:
        return "utf-8"
    return known.name if known._is_text_encoding and known.name not in _NEVER else "utf-8"
