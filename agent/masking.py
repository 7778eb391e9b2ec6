"""Takes out of an error line what differs from run to run: folders, times, addresses, places, numbers. Pure."""

from __future__ import annotations

import re

# Each pattern begins with what is rare in a line, and looks back only then: a search passes over the rest at once.
QUOTED = re.compile(r"""'(?<![\w'"]')([^'\n]{1,160})'|"(?<![\w'"]")([^"\n]{1,160})\"""")

_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛`´“”„«»‹›", "'") | {"…": "...", "\u00a0": " ", "\u202f": " "})
_TIME = re.compile(
    r"\d(?:\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?<![\d:]\d)\d?:\d\d:\d\d(?:[.,]\d{1,9})?)"
)
_PLACE = re.compile(
    r":(?<=[\w)]:)\d{1,7}(?::\d{1,7})?(?![\w.])|\(\d{1,7},\d{1,7}\)|: (?:line|Zeile|ligne) \d{1,7}(?=:)"
)
# Perl's search path, hundreds of characters of one machine's folders; Ruby's method.
_ASIDE = re.compile(r" \(@INC contains:[^)]{0,500}+\)|:\d{1,7}:in '[^']{0,80}'")
_HEX = re.compile(
    r"[0-9A-Fa-f](?<!\w.)(?:(?<=0)x[0-9A-Fa-f]{1,64}|(?<=[0-9a-f])[0-9a-f]{7}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-"
    r"[0-9a-f]{12}|(?:(?<=[0-9])|(?=[A-Fa-f]{0,63}[0-9]))[0-9A-Fa-f]{6,63})(?!\w)"
)
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(
    r"[#\d](?<![A-Za-z0-9_].)(?<![A-Za-z0-9_]\..)(?:(?<!#)|\d)\d*+(?:[.,_]\d++)*+(?:[A-Za-z%]{1,3})?(?![A-Za-z0-9_])"
)
_URL = re.compile(r"(?<![a-z])[a-z]{2,12}://([^\s'\"<>)/]*+)[^\s'\"<>)]*+")
_PATH = re.compile(r"(?<![\w./~$@%+={}*,-])[\w.~$@%+={}*-]*+(?:/[\w.~$@%+={}*,-]*+)++")
_TEMPORARY = re.compile(
    r"\A(?:te?mp[._-]?[A-Za-z0-9_-]{4,80}(\.\w{1,8})?|cc[A-Za-z0-9]{6}(\.[a-z]{1,3})|pytest-\d{1,6})\Z"
)


def plain(line: str) -> str:
    """One kind of quotes, one kind of space, a colon as English has it."""
    line = line.replace("`", "'") if line.isascii() else line.translate(_QUOTES).replace(" : ", ": ")
    return " ".join(line.split())


def masked(line: str) -> str:
    """Paths to base names; times, places, hex and numbers to #; what stands in quotes stays, but for its path."""
    if "(@INC" in line or ":in '" in line:
        line = _ASIDE.sub("", line)
    parts: list[str] = []
    place = 0
    for found in QUOTED.finditer(line):
        inner = found[1] or found[2]
        if "/" in inner:
            inner = _PATH.sub(_base, inner) if " " in inner else base(inner)
        if _DIGIT.search(inner):
            inner = _HEX.sub("#", inner.strip())
        parts += [_loose(line[place : found.start()]), f"'{inner.strip()}'"]
        place = found.end()
    parts.append(_loose(line[place:]))
    return "".join(parts).strip(" .")


def base(path: str) -> str:
    """The last name of a path; the host of an address; a temporary name masked."""
    path = path.strip("'\" ,;")
    if "://" in path:
        path = _URL.sub(lambda found: found[1] or found[0], path)
    name = path.rstrip("/").rpartition("/")[2] or path
    name = name.rstrip(".:") or name
    host, _, port = name.rpartition(":")
    if host and port.isdigit():
        name = host
    temporary = _TEMPORARY.match(name)
    return f"tmp#{temporary[1] or temporary[2] or ''}" if temporary else name


def _loose(text: str) -> str:
    if "://" in text:
        text = _URL.sub(_address, text)
    numbers = _DIGIT.search(text)
    if numbers and (":" in text or "-" in text):
        text = _TIME.sub("#", text)
    if "/" in text:
        text = _PATH.sub(_base, text)
    if not numbers:
        return text
    if ":" in text or "(" in text:
        text = _PLACE.sub("", text)
    return _NUMBER.sub("#", _HEX.sub("#", text))


def _address(found: re.Match[str]) -> str:
    return f"{found[1].rpartition('@')[2]}/{base(found[0])}" if found[1] else base(found[0])


def _base(found: re.Match[str]) -> str:
    return base(found[0])
