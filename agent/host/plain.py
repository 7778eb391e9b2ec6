"""Makes what a program printed harmless text: no escape sequences, no control characters, progress lines at their last
state, and binary described instead of shown."""

from __future__ import annotations

import codecs
import re

LINE = 65_536  # characters of one line that are held back at most
SEQUENCE = 256  # an escape sequence cut by a chunk's end is shorter than this
SAMPLE = 8192
BINARY_SHARE = 0.3

# ECMA-48: CSI ... final byte; OSC, DCS, SOS, PM, APC ... terminator; two- and three-byte sequences.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,4096}+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,4}[0-~]"
    r"|\x1b"
)
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def is_binary(data: bytes) -> bool:
    """Whether nearly a third of the first 8 kB are bytes that no text has."""
    sample = data[:SAMPLE]
    text = sample.decode(errors="replace")
    odd = sum(1 for char in text if char == "\ufffd" or (char < " " and char not in "\t\n\r\f\b\x1b\x07"))
    return odd > BINARY_SHARE * max(len(text), 1)


class Plain:
    """Turns bytes, however chunked, into harmless text. A chunk's last line may come with a later one."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""

    def feed(self, data: bytes) -> str:
        self._pending += self._decoder.decode(data)
        cut = self._pending.rfind("\n") + 1
        done, rest = self._pending[:cut], self._pending[cut:]
        if len(rest) > LINE:
            newest = rest.rfind("\r", 0, -1)
            if newest > 0:  # what stands before it was written over
                rest = rest[newest:]
            else:
                done, rest = done + rest[:-SEQUENCE], rest[-SEQUENCE:]
        self._pending = rest
        return cleaned(done)

    def close(self) -> str:
        done = self._pending + self._decoder.decode(b"", final=True)
        self._pending = ""
        return cleaned(done)


def plain(data: bytes) -> str:
    """The whole of an output at once."""
    return cleaned(data.decode(errors="replace"))


def cleaned(text: str) -> str:
    if "\x1b" in text or "\x9b" in text or "\x9d" in text or "\x90" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = "\n".join(map(last_state, text.split("\n")))
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text).replace("\x08", "")
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def last_state(line: str) -> str:
    """What a terminal would show of a line that was written over with carriage returns, but for left-over ends."""
    if "\r" not in line:
        return line
    states = [state for state in line.split("\r") if state]
    return states[-1] if states else ""
