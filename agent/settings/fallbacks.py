"""An entry of the list of fallback models: a name, or name@address for one that is served elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

_ENTRY = re.compile(r"(?P<name>.+?)@(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)  # names may hold an @ themselves


@dataclass(frozen=True, slots=True)
class Fallback:
    """`base_url` is "" for the main model's; `key` is the one written into the address as its password, or ""."""

    name: str
    base_url: str = ""
    key: str = field(default="", repr=False)


def fallback(entry: str) -> Fallback:
    """Read `name` or `name@https://:key@host/v1`. Raises ValueError with what is wrong."""
    found = _ENTRY.fullmatch(entry.strip())
    if found is None:
        return Fallback(_name(entry.strip()))
    try:
        parts = urlsplit(found["url"])
        host, port, password = parts.hostname, parts.port, unquote(parts.password or "")
    except ValueError:
        host, port, password, parts = None, None, "", urlsplit("")
    if not host or port == 0 or re.search(r"[\s\x00-\x1f]", found["url"]):
        raise ValueError("must be model names, or name@address with an address that names a host")
    netloc = parts.netloc.rpartition("@")[2]
    url = urlunsplit((parts.scheme.lower(), netloc, parts.path.rstrip("/"), parts.query, ""))
    return Fallback(_name(found["name"]), url, password)


def _name(text: str) -> str:
    if not text or not text.isprintable() or len(text) > 200:
        raise ValueError("must be model names, separated by commas")
    return text
