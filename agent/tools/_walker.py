"""Stands in for ripgrep where it isn't installed: the same files, the same matches, in the same JSON lines.

Runs as a process of its own (`python -I _walker.py JSON`), since a pattern may keep Python's matcher busy for ever.
"""

from __future__ import annotations

import base64
import codecs
import io
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pathspec

LINE = 1 << 20  # bytes of a line that are looked at
WIDE = 1 << 26  # bytes of a file in UTF-16 that are
NOTHING = pathspec.GitIgnoreSpec.from_lines([])
PARTLY, BAD = 2, 3  # exit codes: something could not be read; the question could not
UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for, below the current folder or in the one file `only`. `wanted` and `unwanted` are globs;
    `unwanted` win, and without `wanted` every file is."""

    pattern: re.Pattern[str]
    wanted: re.Pattern[str] | None
    unwanted: pathspec.GitIgnoreSpec
    only: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """A .gitignore. Its own paths are `add` and then ours without the first `strip` characters."""

    spec: pathspec.GitIgnoreSpec
    add: str = ""
    strip: int = 0

    def leave_out(self, path: str) -> bool | None:
        """None if no rule is about the path."""
        return self.spec.check_file(self.add + path[self.strip :]).include


class Walk:
    """One walk below the current folder, in the order of names. `partly`: something could not be read."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.partly = False

    def files(self) -> Iterator[str]:
        if self.question.only:
            yield self.question.only
        else:
            yield from self._below("", above())

    def _below(self, folder: str, outer: list[Rules]) -> Iterator[str]:
        """`folder` is "" or ends in /; `outer` are the rules that hold around it, the nearest first."""
        if Path(folder, ".git").exists():  # a repository begins anew
            outer = []
        spec = rules_in(folder or ".")
        rules = [Rules(spec, strip=len(folder)), *outer] if spec is not NOTHING else outer
        try:
            with os.scandir(folder or ".") as listed:
                entries = sorted(listed, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            self.partly = True
            return
        for entry in entries:
            path = folder + entry.name
            if entry.is_dir(follow_symlinks=False):
                if not self._pruned(f"{path}/", rules):
                    yield from self._below(f"{path}/", rules)
            elif entry.is_file(follow_symlinks=False) and self._chosen(path, rules):
                yield path

    def _pruned(self, path: str, rules: list[Rules]) -> bool:
        if self.question.unwanted.match_file(path):
            return True
        return not self._wanted(path[:-1]) and left_out(path, rules)

    def _chosen(self, path: str, rules: list[Rules]) -> bool:
        if self.question.unwanted.match_file(path):
            return False
        if self.question.wanted is not None:  # what is asked for by name is looked into, whatever is ignored
            return self._wanted(path)
        return not left_out(path, rules)

    def _wanted(self, path: str) -> bool:
        return self.question.wanted is not None and self.question.wanted.fullmatch(path) is not None


def left_out(path: str, rules: list[Rules]) -> bool:
    return next((said for each in rules if (said := each.leave_out(path)) is not None), False)


def above() -> list[Rules]:
    """The rules of the folders above that apply below the current one, the nearest first, up to a repository's root.
    A rule about the current folder itself doesn't count: it is asked for by name."""
    here = Path.cwd()
    found: list[Rules] = []
    inner = here
    for folder in here.parents:
        if (inner / ".git").exists():
            break
        inner, prefix = folder, f"{here.relative_to(folder)}/"
        kept = [each for each in rules_in(str(folder)).patterns if each.match_file(prefix) is None]
        if kept:
            found.append(Rules(pathspec.GitIgnoreSpec(kept), add=prefix))
    return found


def rules_in(folder: str) -> pathspec.GitIgnoreSpec:
    try:
        with open(f"{folder}/.gitignore", encoding="utf-8", errors="surrogateescape") as file:
            return pathspec.GitIgnoreSpec.from_lines(file.read(LINE).splitlines())
    except (OSError, ValueError):
        return NOTHING


def matches(file: BinaryIO, pattern: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    """What ripgrep would say of each line with a match. Raises ValueError at the first NUL: it is no text."""
    for number, raw in enumerate(iter(lambda: file.readline(LINE), b""), 1):
        if b"\0" in raw:
            raise ValueError
        line = raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "surrogateescape")
        if found := pattern.search(line):
            start, end = (len(line[:at].encode("utf-8", "surrogateescape")) for at in found.span())
            yield {"lines": text(raw), "line_number": number, "submatches": [{"start": start, "end": end}]}
        while not raw.endswith(b"\n") and len(raw) == LINE:
            raw = file.readline(LINE)


def text(raw: bytes) -> dict[str, str]:
    try:
        return {"text": raw.decode()}
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(raw).decode()}


def opened(path: str) -> BinaryIO:
    """The file as UTF-8, without a mark at its beginning. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    file = os.fdopen(fd, "rb")
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        file.close()
        raise OSError
    begins = file.read(3)
    if encoding := UTF16.get(begins[:2]):
        file.seek(2)
        return io.BytesIO(file.read(WIDE).decode(encoding, "replace").encode())
    file.seek(3 if begins == codecs.BOM_UTF8 else 0)
    return file


def search(path: str, pattern: re.Pattern[str]) -> None:
    """Print what is found in one file. Raises OSError."""
    name = {"path": text(os.fsencode(f"./{path}"))}
    begun = binary = False
    with opened(path) as file:
        try:
            for match in matches(file, pattern):
                if not begun:
                    say("begin", name)
                begun = True
                say("match", {**name, **match})
        except ValueError:
            binary = True
    if begun:
        say("end", {**name, "binary_offset": 0 if binary else None})


def say(kind: str, data: dict[str, Any]) -> None:
    print(json.dumps({"type": kind, "data": data}), flush=kind == "end")  # noqa: T201 - this is its output


GLOB = re.compile(r"(?P<deep>(?:^|(?<=/))\*\*/)|(?P<rest>/\*\*$)|(?P<stars>\*+)|(?P<any>\?)"
                  r"|\[(?P<not>[!^]?)(?P<set>\]?[^\]/]{0,255})\]|\\(?P<quoted>.)|(?P<plain>.)", re.DOTALL)  # fmt: skip


def translated(glob: str) -> str:
    """A glob as gitignore(5) has them, for the whole path of a file itself and not for what is below a folder. Raises
    re.error."""
    if glob.count("[") > len(re.findall(r"\[[!^]?\]?[^\]]*\]", glob)) + glob.count("\\["):
        raise re.error(f"glob {glob}: missing ]")
    parts = ["" if "/" in glob.rstrip("/") else "(?:.*/)?"]
    for found in GLOB.finditer(glob.removeprefix("/")):
        match found.lastgroup:
            case "deep":
                parts.append("(?:.*/)?")
            case "rest":
                parts.append("/.+")
            case "stars":
                parts.append(".*" if glob == "**" else "[^/]*")
            case "any":
                parts.append("[^/]")
            case "set":
                inner = found["set"].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
                parts.append(f"[{'^' if found['not'] else ''}{inner}]")
            case _:
                parts.append(re.escape(found["quoted"] or found["plain"]))
    return "".join(parts)


def question(given: dict[str, Any]) -> Question:
    """Raises re.error for the pattern, ValueError for a glob."""
    wanted = [glob for glob in given["globs"] if not glob.startswith("!")]
    unwanted = [glob[1:] for glob in given["globs"] if glob.startswith("!")]
    pattern = re.escape(given["pattern"]) if given["fixed"] else given["pattern"]
    return Question(
        re.compile(pattern, re.IGNORECASE if given["ignore_case"] else 0),
        re.compile("|".join(map(translated, wanted)), re.DOTALL) if wanted else None,
        pathspec.GitIgnoreSpec.from_lines(unwanted),
        given["only"],
    )


def main(arguments: list[str]) -> int:
    """The exit code. What is wrong with the pattern stands on stderr."""
    try:
        asked = question(json.loads(arguments[0]))
    except (re.error, ValueError, RecursionError, OverflowError) as error:
        print(f"{error}", file=sys.stderr)  # noqa: T201
        return BAD
    walk, count = Walk(asked), 0
    for count, path in enumerate(walk.files(), 1):  # noqa: B007 - told in the end
        try:
            search(path, asked.pattern)
        except OSError:
            walk.partly = True
    say("summary", {"stats": {"searches": count}})
    sys.stdout.flush()
    return PARTLY if walk.partly else 0


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    sys.exit(main(sys.argv[1:]))
