"""The plan: what the model says is to be done, with what shows that it is, as a fold of the session's steps. Pure.

Small models leave `verify` and `artifacts` empty. Then they are inferred: from a command in the item's words, from the
tests that were run, from the project's own test command (a probe finds it), from file names; and marked as inferred.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from agent.arguments import read
from agent.intent import intent
from agent.steps import Call, Finished, Outcome, Proposed, Said, Seen, Step
from agent.testruns import tests

PROBE = "project"  # finds the project's own test command
ITEMS = 50
TEXT = 300  # characters of an item
COMMAND = 500
STATUSES = ("pending", "in_progress", "completed", "blocked")

_SPOKEN = {
    "todo": "pending", "open": "pending", "not_started": "pending", "doing": "in_progress", "active": "in_progress",
    "started": "in_progress", "done": "completed", "complete": "completed", "finished": "completed",
}  # fmt: skip
_FILE = re.compile(r"(?<![\w@/.:~+-])((?:~?/)?(?:[\w@.+-]+/){0,12}[\w@+-][\w@.+-]*\.[A-Za-z][\w]{0,9})(?![\w/(])")
_DOMAIN = re.compile(r"\.(?:com|org|net|io|de|dev)$", re.IGNORECASE)
_MAKES = re.compile(
    r"\b(?:creat|writ|add|generat|make|sav|produc|build|draft)\w*|\b(?:erstell|schreib|anleg|leg\b|erzeug|speicher|verfass)\w*",
    re.IGNORECASE,
)
_TAKES_AWAY = re.compile(r"\b(?:delet|remov|drop|lösch|entfern)\w*", re.IGNORECASE)
_TESTABLE = re.compile(
    r"\b(?:tests?|test\w+|fix\w*|bugs?|implement\w*|refactor\w*|repair\w*|solv\w+|port|code)\b"
    r"|\b(?:beheb|reparier|korrigier|umsetz|implementier|umbau)\w*|fehler",
    re.IGNORECASE,
)
_TICKED = re.compile(r"`([^`\n]{2,200})`")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to do. `guessed` says which of verify and artifacts are inferred."""

    text: str
    status: str = "pending"
    verify: str = ""
    artifacts: tuple[str, ...] = ()
    guessed: frozenset[str] = frozenset()

    @property
    def open(self) -> bool:
        return self.status in ("pending", "in_progress")


@dataclass(slots=True)
class Plan:
    """`fold` each step of the session in order; read `items`, the newest plan with what is inferred for it."""

    said: tuple[Item, ...] = ()  # as the model wrote them
    tested: str = ""  # the newest command that ran tests
    project: str | None = None  # the project's own test command; None until somebody has looked
    _calls: dict[str, Call] = field(default_factory=dict, repr=False)

    def fold(self, step: Step) -> None:
        match step:
            case Said(calls=calls) if calls:
                self._calls = {call.id: call for call in calls if call.name in ("plan", "shell")}
            case Proposed(call=call) if call.name in ("plan", "shell"):
                self._calls[call.id] = call
            case Finished():
                self._finished(step)
            case Seen(probe=probe) if probe == PROBE:
                self.project = command_seen(step) or ""
            case _:
                pass

    def _finished(self, step: Finished) -> None:
        call = self._calls.pop(step.call_id, None)
        if call is None:
            return
        if call.name == "plan" and step.outcome is Outcome.OK:
            self.said = items_of(call.arguments)
        elif call.name == "shell" and step.exit_code is not None:
            meant = intent("shell", call.arguments)
            self.tested = meant.text if tests(meant) else self.tested

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(_inferred(item, self.tested or self.project or "") for item in self.said)

    @property
    def current(self) -> tuple[int, Item] | None:
        """The item that is in progress, else the first pending one, with its number from 1."""
        for status in ("in_progress", "pending"):
            for number, item in enumerate(self.said, start=1):
                if item.status == status:
                    return number, item
        return None

    @property
    def wants_project(self) -> bool:
        """The project's own test command would say more, and nobody has looked for it."""
        return self.project is None and not self.tested and any(not item.verify for item in self.said)


def items_of(arguments: str) -> tuple[Item, ...]:
    """The items of a call to the plan tool; empty where there are none that can be read."""
    try:
        given = read(arguments).get("items")
    except (ValueError, RecursionError):
        return ()
    return tuple(map(item_of, given[:ITEMS])) if isinstance(given, list) else ()


def item_of(given: Any) -> Item:
    """One item as models write it: an object, or only its text."""
    if not isinstance(given, dict):
        return Item(line(given))
    files = given.get("artifacts") or ()
    names = files if isinstance(files, list | tuple) else [files]
    return Item(
        line(given.get("text", "")),
        status_of(given.get("status")),
        str(given.get("verify") or "").strip()[:COMMAND],
        tuple(str(name).strip() for name in names[:20] if str(name).strip()),
    )


def status_of(given: Any) -> str:
    """The status that is meant; pending where there is none."""
    word = spoken(str(given or "pending"))
    return word if word in STATUSES else "pending"


def spoken(status: str) -> str:
    """The word of ours for what models say instead of it (done, todo); else the word as it is."""
    word = status.strip().lower().replace(" ", "_").replace("-", "_")
    return _SPOKEN.get(word, word)


def line(text: Any) -> str:
    return " ".join(str(text).split())[:TEXT]


def files_in(text: str) -> tuple[str, ...]:
    """The file names that a text mentions, at most 20."""
    found = (match[1].rstrip(".") for match in _FILE.finditer(text[:4_000]))
    return tuple(dict.fromkeys(name for name in found if not (_DOMAIN.search(name) and "/" not in name)))[:20]


def command_seen(step: Seen) -> str | None:
    """The command that the probe has found; None where it gave no answer."""
    try:
        value = json.loads(step.value) if step.status == "ok" else None
    except ValueError:
        return None
    command = value.get("command") if isinstance(value, dict) else None
    return command if isinstance(command, str) else None


def _inferred(item: Item, test: str) -> Item:
    verify, artifacts, guessed = item.verify, item.artifacts, set()
    if not verify and (verify := _command_in(item.text) or (test if _TESTABLE.search(item.text) else "")):
        guessed.add("verify")
    makes = _MAKES.search(item.text) and not _TAKES_AWAY.search(item.text)
    if not artifacts and makes and (artifacts := files_in(item.text)):
        guessed.add("artifacts")
    return Item(item.text, item.status, verify, artifacts, frozenset(guessed)) if guessed else item


def _command_in(text: str) -> str:
    """A command in backticks that runs tests."""
    return next((found for found in _TICKED.findall(text) if tests(intent("shell", found))), "")
