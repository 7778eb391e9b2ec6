"""Names, sizes and system errors in words that a model can act on."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

from agent.errors import ToolError

# Control characters, line separators, half surrogates (bytes that are no UTF-8) and the marks that reorder text on a
# screen. Joiners stay: emoji and several scripts need them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_BUT_TAB = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_UNITS = ("kB", "MB", "GB", "TB")

_REASONS = {
    errno.ENOSPC: "the disk is full (no space left on device). Free some space first",
    errno.EDQUOT: "the disk quota is used up. Free some space first",
    errno.EROFS: "this file system is read-only. Use another folder",
    errno.EACCES: "permission denied. Check owner and mode, or use another folder",
    errno.EPERM: "the system does not permit it. The file may be immutable or owned by somebody else",
    errno.ENOENT: "there is no such file or folder. Look with list_dir",
    errno.ENOTDIR: "a part of the path is no folder, or was replaced by a link meanwhile. Look with list_dir",
    errno.EISDIR: "it is a folder",
    errno.ENAMETOOLONG: "the name is too long (255 bytes at most for one name)",
    errno.ELOOP: "a symbolic link stands in the way: it leads in a circle, or was put there meanwhile",
    errno.EBUSY: "it is in use by the system (a mount point?)",
    errno.EIO: "the disk reports an input/output error",
}


def printable(text: str, *, tabs: bool = False) -> str:
    """`text` with everything escaped that could break a line or a screen: \\n, \\xff, \\u202e. `tabs`: leave tabs."""
    return (_UNSAFE_BUT_TAB if tabs else _UNSAFE).sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    if "\udc80" <= char <= "\udcff":  # os.fsdecode's stand-in for a byte
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def size(count: int) -> str:
    """A number of bytes for a reader: 812 B, 1.2 kB, 3.4 MB, 10.7 GB (powers of 1,000)."""
    if count < 1000:
        return f"{count} B"
    power = 1
    while power < len(_UNITS) and count / 1000**power >= 999.95:
        power += 1
    return f"{count / 1000**power:.1f} {_UNITS[power - 1]}"


@contextmanager
def in_words(doing: str, path: str) -> Iterator[None]:
    """Turn an OSError inside into ToolError("Can't DOING PATH: ...")."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, (error.strerror or type(error).__name__).lower())
        raise ToolError(f"Can't {doing} {printable(path)}: {reason}.") from error
