"""What bash takes away from a word or makes of it: escapes, braces, tildes, patterns. Text in, text with marks out.

Rules: bash manual, "Quoting", "Brace Expansion", "Tilde Expansion".
"""

from __future__ import annotations

import re

from agent.policy.marks import ANY, STAR, UNKNOWN

MOST = 64  # words that one word may become

# Unquoted characters with a meaning, until that meaning is settled.
OPEN, COMMA, CLOSE, LEFT, RIGHT, TILDE = "\ue003", "\ue004", "\ue005", "\ue006", "\ue007", "\ue008"
_MEANING = {"*": STAR, "?": ANY, "{": OPEN, ",": COMMA, "}": CLOSE, "[": LEFT, "]": RIGHT, "~": TILDE}
_LITERAL = {OPEN: "{", COMMA: ",", CLOSE: "}", LEFT: "[", RIGHT: "]", TILDE: "~"}
_ESCAPE = re.compile(r"\\(\n|.)?", re.DOTALL)
_BRACKET = re.compile(f"{LEFT}[^{LEFT}{RIGHT}/]*{RIGHT}")
_USER = re.compile(f"(\\A|[=:]){TILDE}([\\w.+-]*)")
_ANSI = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.)|(.))", re.DOTALL
)
_ANSI_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def unquoted(text: str) -> str:
    """Bare text of a word: escapes are gone, characters with a meaning are marked."""
    out: list[str] = []
    end = 0
    for found in _ESCAPE.finditer(text):
        out.append(marked(text[end : found.start()]))
        out.append("" if found[1] == "\n" else found[1] or "\\")
        end = found.end()
    return "".join(out) + marked(text[end:])


def marked(text: str) -> str:
    return "".join(_MEANING.get(char, char) for char in text)


def globbed(value: str) -> str:
    """What an unquoted variable holds: only patterns have a meaning in it."""
    return "".join(_MEANING[char] if char in "*?[]" else char for char in value)


def in_quotes(text: str) -> str:
    """Text between double quotes."""
    return re.sub(r'\\([$`"\\\n])', lambda found: "" if found[1] == "\n" else found[1], text)


def ansi(text: str) -> str:
    """The inside of $'...'."""
    return _ANSI.sub(_ansi_char, text)


def _ansi_char(found: re.Match[str]) -> str:
    octal, byte, short, long, control, letter = found.groups()
    if control:
        return chr(ord(control[0]) & 0x1F)
    if letter:
        return _ANSI_LETTERS.get(letter, letter if letter in "\\'\"?" else "\\" + letter)
    code = int(octal, 8) & 0xFF if octal else int(byte or short or long, 16)
    # What isn't plain text can't be judged as text: bytes make characters only together.
    return chr(code) if 0 < code < 0x80 else UNKNOWN


def finished(raw: str, home: str) -> list[str]:
    """The words that a marked word becomes: braces spread, tildes and patterns settled."""
    return [_settled(word, home) for word in _spread(raw)]


def _settled(word: str, home: str) -> str:
    word = _USER.sub(lambda found: found[1] + home_of(found[2], home), word)
    if LEFT in word:
        word = _BRACKET.sub(ANY, word)
    return "".join(_LITERAL.get(char, char) for char in word)


def home_of(user: str, home: str) -> str:
    """What stands for a tilde; `user` is empty for our own."""
    if not user:
        return home or UNKNOWN
    if user in ("+", "-"):  # where the shell is and where it was
        return UNKNOWN
    return "/root" if user == "root" else f"/home/{user}"


def _spread(raw: str) -> list[str]:
    """Brace expansion. Beyond MOST words: one of which nothing is known."""
    done, todo = [], [raw]
    while todo:
        word = todo.pop()
        choices = _choices(word)
        if choices is None:
            done.append(word)
        else:
            todo += reversed(choices)
        if len(done) + len(todo) > MOST:
            return [UNKNOWN]
    return done


def _choices(word: str) -> list[str] | None:
    """`word` with its first brace expression replaced by each of its parts; None if there is none."""
    for at, char in enumerate(word):
        if char == OPEN and (parts := _parts(word, at)):
            end, inside = parts
            return [word[:at] + part + word[end + 1 :] for part in inside]
    return None


def _parts(word: str, start: int) -> tuple[int, list[str]] | None:
    depth, parts, begun = 0, [], start + 1
    for at in range(start, len(word)):
        char = word[at]
        depth += (char == OPEN) - (char == CLOSE)
        if char == COMMA and depth == 1:
            parts.append(word[begun:at])
            begun = at + 1
        if depth == 0:
            last = word[begun:at]
            if parts:
                return at, [*parts, last]
            return (at, [STAR]) if ".." in last else None
    return None
