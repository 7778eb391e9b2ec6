"""A file that a tool handed over, as the file of a letter: under a name that any phone may show and store. Pure."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from agent import steps
from bot.channel import File
from bot.clean import clean

LONGEST = 100  # characters of a name
ENDING = 12  # of them, of a longer name's ending


def file_of(parcel: steps.Parcel) -> File:
    """The file of its letter. The name is the sender's word for it and can't pose as another: no control or direction
    marks, no folder."""
    return File(named(parcel.path), path=parcel.path, sha256=parcel.sha256)


def named(path: str) -> str:
    """The base name of a path, in one line and not long; its ending stays."""
    line = re.sub(r"[\s\u200b\u200e\u200f\u2060-\u2064\ufeff]+", " ", clean(PurePosixPath(path).name)).strip()
    line = re.sub(r'["\\/]', "_", line) or "file"
    if len(line) <= LONGEST:
        return line
    ending = PurePosixPath(line).suffix[:ENDING]
    return f"{line[: LONGEST - 1 - len(ending)]}…{ending}"
