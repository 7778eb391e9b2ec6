"""Words of a command that are only partly known: marks for what the shell fills in, and what such a word may name."""

from __future__ import annotations

# Private-use characters stand for what isn't literal, so that a quoted * is never taken for a pattern.
UNKNOWN = "\ue000"  # any text, slashes too: a variable, an output
STAR = "\ue001"  # any text of one path segment: *
ANY = "\ue002"  # one character: ? or [...]
MARKS = frozenset((UNKNOWN, STAR, ANY))
_SHOWN = {UNKNOWN: "…", STAR: "*", ANY: "?"}


def is_known(word: str) -> bool:
    """Whether it is literal throughout."""
    return MARKS.isdisjoint(word)


def shown(word: str) -> str:
    """The word for a person's eyes."""
    return "".join(_SHOWN.get(char, char) for char in word)


def matches(pattern: str, text: str) -> bool:
    """Whether one segment of a pattern may be this name. Time is at most the product of the lengths."""
    at = mark = back = 0
    star = -1
    while True:
        if at == len(text):
            return not pattern[mark:].strip(STAR + UNKNOWN)
        if mark < len(pattern) and pattern[mark] in (STAR, UNKNOWN):
            star, back, mark = mark, at, mark + 1
        elif mark < len(pattern) and pattern[mark] in (ANY, text[at]):
            mark, at = mark + 1, at + 1
        elif star >= 0:
            back += 1
            mark, at = star + 1, back
        else:
            return False


def segments(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part and part != ".")


def within(path: str, place: str) -> bool:
    """Whether a pattern of a path may name `place` or something in it. A part of which nothing is known proves
    nothing: at least the last name of the place must be spelled, or matched by a glob."""
    parts, wanted = segments(path), segments(place)
    return bool(wanted) and _within(parts, wanted)


def _within(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if not wanted:
        return True
    if not parts:
        return False
    if parts[0] == UNKNOWN:
        return any(_within(parts[1:], wanted[skipped:]) for skipped in range(len(wanted)))
    if parts[0].startswith(UNKNOWN) and any(_matches_tail(parts, wanted, skipped) for skipped in range(len(wanted))):
        return True
    hidden_from_glob = wanted[0].startswith(".") and parts[0][0] in (STAR, ANY)
    return not hidden_from_glob and matches(parts[0], wanted[0]) and _within(parts[1:], wanted[1:])


def _matches_tail(parts: tuple[str, ...], wanted: tuple[str, ...], skipped: int) -> bool:
    """`$X.jarvis/a`: the unknown may hold whole segments."""
    return matches(parts[0], wanted[skipped]) and _within(parts[1:], wanted[skipped + 1 :])


def joined(base: str, path: str) -> str:
    """`path` seen from the folder `base`; absolute, `.` and `..` resolved by name only."""
    whole = path if path.startswith(("/", UNKNOWN)) else f"{base}/{path}"  # the unknown may begin with a slash
    out: list[str] = []
    for part in whole.split("/"):
        if part == "..":
            if out and out[-1] != UNKNOWN:
                out.pop()
        elif part and part != ".":
            out.append(part)
    return "/" + "/".join(out)
