"""The block of world state: six parts within a cap, the newest and most pressing lines first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.guards._world.disk import Disk, age
from agent.messages import WORLD_BYTES, clip
from agent.plan import Item

GOAL, FACTS, PLAN, FAILURES, DRIFT, NEXT = range(6)
TITLES = ("GOAL", "WORKSPACE FACTS", "PLAN STATUS", "RECENT UNRESOLVED FAILURES", "CROSS-FILE DRIFT",
          "SUGGESTED NEXT STEP")  # fmt: skip
SHOWN = {FACTS: 6, PLAN: 12, FAILURES: 5, DRIFT: 5}  # lines of a part
_MARK = re.compile(
    r"\[\[\w+:[^\[\]\n]*\]\]"
)  # what a message marks for a machine has its effect once, where it was said
GOAL_BYTES, ITEM_BYTES, LINE_BYTES = 260, 90, 170


@dataclass(frozen=True, slots=True)
class World:
    """What is known. `checks` holds for each item of the plan whether its verify command is green, None for unknown;
    `failures` and `drift` are lines, the newest first."""

    goal: str
    disk: Disk
    items: tuple[Item, ...] = ()
    checks: tuple[bool | None, ...] = ()
    failures: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """`rank`: the smaller, the sooner it gets room; `place` is that within its part. `same` is the text without what
    changes by itself."""

    part: int
    rank: int
    text: str
    same: str
    place: int = 0


def rendered(world: World, turn: int, trigger: str) -> tuple[str, str]:
    """(the block in at most 1,200 bytes, its content without turn number and ages)."""
    head, foot = f'<world-state turn="{turn}" trigger="{trigger}">', "</world-state>"
    room = WORLD_BYTES - len(head.encode()) - len(foot) - 2
    kept: list[Line] = []
    for line in sorted(_lines(world), key=lambda line: (line.rank, line.part)):
        title = 0 if any(each.part == line.part for each in kept) else len(TITLES[line.part]) + 2
        cost = len(line.text.encode("utf-8", "replace")) + 1 + title
        if cost <= room:
            room -= cost
            kept.append(line)
    kept.sort(key=lambda line: (line.part, line.place))  # stable: else in the order of their ranks
    return f"{head}\n{_laid_out(kept)}{foot}", "\n".join(f"{line.part} {line.same}" for line in kept)


def _laid_out(lines: Sequence[Line]) -> str:
    out, part = "", -1
    for line in lines:
        out += f"{TITLES[line.part]}:\n" if line.part != part else ""
        out, part = f"{out}{line.text}\n", line.part
    return out


def _lines(world: World) -> Iterator[Line]:
    yield _line(GOAL, 0, clip(_plain(_MARK.sub("", world.goal)), GOAL_BYTES))
    yield _line(NEXT, 1, next_step(world))
    for number, failure in enumerate(world.failures[: SHOWN[FAILURES]]):
        yield _line(FAILURES, 2 + 2 * number, f"- {clip(_plain(failure), LINE_BYTES)}")
    for number, drift in enumerate(world.drift[: SHOWN[DRIFT]]):
        yield _line(DRIFT, 3 + 2 * number, f"- {clip(_plain(drift), LINE_BYTES)}")
    yield from _facts(world.disk)
    yield from _plan(world)


def _facts(disk: Disk) -> Iterator[Line]:
    more = "" if disk.whole else " or more"
    yield _line(FACTS, 2, f"- {disk.files}{more} files that aren't ignored")
    for number, (path, seconds) in enumerate(disk.newest[: SHOWN[FACTS] - 1]):
        name = clip(_plain(path), ITEM_BYTES)
        yield Line(FACTS, 5 + 3 * number, f"- {name} changed {age(seconds)} ago", name)


def _plan(world: World) -> Iterator[Line]:
    """The item at hand is first in rank, those beside it next; they are shown in their own order."""
    at = next((n for n, item in enumerate(world.items) if item.open), 0)
    order = sorted(range(len(world.items)), key=lambda n: (abs(n - at), n))[: SHOWN[PLAN]]
    for place, number in enumerate(order):
        mark, why = status(world, number)
        text = f"{number + 1}. [{mark}] {clip(_plain(world.items[number].text), ITEM_BYTES)}{why}"
        yield Line(PLAN, 3 + place, text, text, number)


def status(world: World, number: int) -> tuple[str, str]:
    """OK | MISS | pending of an item of the plan, against the disk, with a reason."""
    item = world.items[number]
    gone = [name for name in item.artifacts if name in world.disk.missing]
    green = world.checks[number] if number < len(world.checks) else None
    if item.status == "blocked":
        return "pending", " (blocked)"
    if item.status != "completed":
        return "pending", " (in progress)" if item.status == "in_progress" else ""
    if gone:
        return "MISS", f" ({clip(_plain(gone[0]), ITEM_BYTES)} is not there)"
    return ("MISS", " (its check is red)") if green is False else ("OK", "")


def next_step(world: World) -> str:
    """The most pressing thing, in a sentence."""
    if world.drift:
        return f"Make both sides of {_plain(world.drift[0]).split(' ')[0]} agree: change the import or the export."
    if world.failures:
        return "Find the cause of the newest failure above and mend it, then run the same again."
    for number in range(len(world.items)):
        if status(world, number)[0] == "MISS":
            return f"Item {number + 1} of the plan isn't really done: finish it, or set it back to pending."
    for number, item in enumerate(world.items):
        if item.open:
            return f"Go on with item {number + 1}: {clip(_plain(item.text), ITEM_BYTES)}"
    if world.items:
        return "Every item is done: check the whole once more, then finish."
    return "Go on towards the goal; finish when it is reached and checked."


def _line(part: int, rank: int, text: str) -> Line:
    return Line(part, rank, text, text)


def _plain(text: str) -> str:
    """One line that can't close the block."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split()).replace("<", "‹")
