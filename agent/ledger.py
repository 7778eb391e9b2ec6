"""The ledger: what a run did and what came of it, as a fold of its journal. Checkpoints, the gate and relay read it.

It survives a handoff by `snapshot` and `restore`; a replay of the whole journal gives the same state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any

from agent.barren import Barren, Stuck
from agent.entries import Approach as Approach
from agent.entries import Progress as Progress
from agent.entries import Ran as Ran
from agent.facts import added, facts_of
from agent.intent import Effect, Intent, intent
from agent.openerrors import (
    COMMAND,
    OpenError,
    Success,
    after_changes,
    after_success,
    found_in,
    keys_of,
    opened,
    opens,
    success_of,
    text_of,
)
from agent.outcome import FAILING, SUCCEEDING, goes_on
from agent.plan import items_of
from agent.steps import Asked, Call, Ended, Finished, Handed, Opened, Outcome, Proposed, Said, Step

VERSION = 2
COMMANDS = 12  # the last ones
APPROACHES = 20
ERRORS = 50
FILES = 500
CONTENTS = 8  # hashes that are remembered of a file: going back to one of them is no progress
TESTING = ("pytest", "jest", "vitest", "unittest", "tox", "nox", "cargo test", "go test", "npm test", "npm run test",
           "make test", "make check", "mvn", "gradle", "rspec", "phpunit", "ctest")  # fmt: skip


@dataclass(slots=True)
class Ledger:
    """`fold` each step in order with its sequence number; everything else is read."""

    seq: int = 0  # of the newest step that was folded
    turn: int = 0
    running: bool = False
    progress: Progress = field(default_factory=Progress)
    leg: Progress = field(default_factory=Progress)  # as it stood when the leg began
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # path -> hash, "" where deleted, "?" where unknown
    commands: list[Ran] = field(default_factory=list)
    _errors: dict[str, OpenError] = field(default_factory=dict)
    _approaches: dict[str, Approach] = field(default_factory=dict)
    _contents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _green: dict[str, bool] = field(default_factory=dict)
    _gone: dict[str, bool] = field(default_factory=dict)
    _plan: dict[str, str] = field(default_factory=dict)  # item -> status
    _barren: Barren = field(default_factory=Barren)
    _calls: dict[str, Call] = field(default_factory=dict, repr=False)

    def errors_open(self) -> tuple[OpenError, ...]:
        """The newest last."""
        return tuple(sorted(self._errors.values(), key=lambda error: error.last))

    def approaches(self) -> tuple[Approach, ...]:
        """What was tried and failed, at most 20; what was overcome since is forgotten first."""
        return tuple(sorted(self._approaches.values(), key=lambda approach: approach.last))

    def remaining(self) -> tuple[str, ...]:
        """The plan's items that are neither completed nor given up, in order."""
        return tuple(item for item, status in self._plan.items() if status in ("pending", "in_progress"))

    def new_in_leg(self) -> tuple[str, ...]:
        """What this leg has brought, in words; empty means zero progress."""
        return self.progress.since(self.leg)

    def stuck(self, leg: int) -> Stuck | None:
        """What brings nothing new in message after message; `leg` is the number of replies of a leg."""
        return self._barren.stuck(leg, self._approaches.values())

    def fold(self, seq: int, step: Step) -> None:
        """Steps that are in it already, as after `recalled`, change nothing."""
        if seq <= self.seq:
            return
        self.seq = seq
        match step:
            case Said(calls=calls):
                self.turn += 1
                self._calls = {call.id: call for call in calls}
            case Proposed(call=call):
                self._calls[call.id] = call
            case Opened(goes_on=False):
                self.leg = self.progress
            case Finished():
                self._finished(seq, step)
            case Asked() if not self.running:
                # What an earlier run left open is no error of this one; it stays among the approaches that failed.
                self.running, self.leg = True, self.progress
                self._errors.clear()
                self._barren.begun()
            case Ended():
                self.running = False
                self._calls.clear()
            case _:
                pass

    def _finished(self, seq: int, step: Finished) -> None:
        call = self._calls.pop(step.call_id, None)
        meant = intent(step.tool, call.arguments if call else "")
        if step.outcome in FAILING | SUCCEEDING:
            command = " ".join(meant.text.split())[:COMMAND]
            outcome = "begun in the background" if goes_on(step) else step.outcome.value
            ran = Ran(step.call_id, command, meant.verbs, step.exit_code, outcome, seq, self.turn)
            self.commands = [*self.commands[1 - COMMANDS :], ran]
        if step.tool == "plan" and call and step.outcome in SUCCEEDING:
            self._planned(call.arguments)
        self._changed(step, meant)
        if step.outcome in FAILING:
            self._failed(seq, step, meant)
        elif step.outcome in SUCCEEDING and not goes_on(step):
            self._succeeded(step, meant)

    def _failed(self, seq: int, step: Finished, meant: Intent) -> None:
        signature, salient = found = found_in(step, meant)
        text = f"{text_of(step.stdout)}\n{text_of(step.stderr)}"[-8_000:]
        if opens(meant):
            doing = next((item for item, status in self._plan.items() if status == "in_progress"), "")
            self._errors[signature] = opened(self._errors.get(signature), found, meant, seq, text, doing)
            _bound(self._errors, ERRORS)
            self._barren.failed(signature, self.turn)
        before = self._approaches.pop(signature, None)
        command = " ".join(meant.text.split())[:COMMAND]
        tried = (*(c for c in before.commands if c != command), command)[-5:] if before else (command,)
        self._approaches[signature] = Approach(signature, salient, tried, before.count + 1 if before else 1, seq)
        while len(self._approaches) > APPROACHES:
            overcome = (key for key, approach in self._approaches.items() if approach.overcome)
            del self._approaches[next(overcome, next(iter(self._approaches)))]
        if _tests(meant):
            self._green |= dict.fromkeys(keys_of(meant), False)

    def _succeeded(self, step: Finished, meant: Intent) -> None:
        if self._errors:
            self._close(success_of(meant), text_of(step.stderr) if step.outcome is Outcome.WARNED else "")
        if step.outcome is Outcome.ANSWERED_NO:
            return
        self._count(facts=added(self.facts, facts_of(meant, text_of(step.stdout))))
        for key in keys_of(meant) if _tests(meant) else ():
            if not self._green.get(key):
                self._count(green=1)
            self._green[key] = True
            _bound(self._green, FILES)

    def _close(self, success: Success, warned: str) -> None:
        for signature, error in list(self._errors.items()):
            if not (error.salient and error.salient in warned):
                self._put(signature, after_success(error, success))

    def _changed(self, step: Finished, meant: Intent) -> None:
        """Files with hashes where they are known; else what the verb says, each command line once."""
        if step.files is None:
            if meant.effect is Effect.MUTATE and step.outcome in SUCCEEDING:
                self._content(
                    f"({meant.tool})", blake2b(meant.text.encode("utf-8", "replace"), digest_size=8).hexdigest()
                )
            return
        for change in step.files:
            self.files.pop(change.path, None)
            self.files[change.path] = "?" if change.after is None else change.after
            self._content(change.path, (change.after or "")[:16] if change.after is not None else f"?{self.turn}")
        _bound(self.files, FILES)
        for signature, error in list(self._errors.items()) if step.files else ():
            self._put(signature, after_changes(error, step.files))

    def _content(self, path: str, content: str) -> None:
        known = self._contents.pop(path, ())
        if content not in known:
            self._count(files=1)
        most = CONTENTS if path[:1] != "(" else FILES
        self._contents[path] = (*(each for each in known if each != content), content)[-most:]
        _bound(self._contents, FILES)

    def _put(self, signature: str, error: OpenError | None) -> None:
        if error is not None:
            self._errors[signature] = error
            return
        del self._errors[signature]
        self._barren.overcome(signature)
        if signature in self._approaches:
            self._approaches[signature] = replace(self._approaches[signature], overcome=True)
        if signature not in self._gone:
            self._count(gone=1)
        self._gone[signature] = True
        _bound(self._gone, FILES)

    def _planned(self, arguments: str) -> None:
        """The plan as the model wrote it: a dropped item closes the errors met while it was in progress."""
        plan = {item.text[:COMMAND]: item.status for item in items_of(arguments)}
        if not plan:
            return
        done = [item for item, status in plan.items() if status == "completed" and self._plan.get(item) != "completed"]
        self._count(closed=len(done))
        for signature, error in list(self._errors.items()):
            if error.plan and error.plan not in plan:
                self._put(signature, None)
        self._plan = plan

    def _count(self, **more: int) -> None:
        if any(more.values()):
            self._barren.renewed()
        self.progress = replace(self.progress, **{name: getattr(self.progress, name) + n for name, n in more.items()})

    def snapshot(self) -> str:
        """The state as versioned JSON text."""
        state = {f.name.lstrip("_"): getattr(self, f.name) for f in fields(self)}
        return json.dumps({"version": VERSION, **state}, default=asdict, ensure_ascii=False)

    @classmethod
    def restore(cls, text: str) -> Ledger:
        """A ledger from its snapshot. Raises ValueError for what is none, or is of a newer version."""
        state = json.loads(text)
        if not isinstance(state, dict) or state.get("version") != VERSION:
            raise ValueError("This ledger was written by another version; replay the journal to get it anew.")
        return cls(
            seq=state["seq"],
            turn=state["turn"],
            running=state["running"],
            progress=Progress(**state["progress"]),
            leg=Progress(**state["leg"]),
            facts=state["facts"],
            files=state["files"],
            commands=[Ran(**_tuples(each)) for each in state["commands"]],
            _errors={key: OpenError(**_tuples(each)) for key, each in state["errors"].items()},
            _approaches={key: Approach(**_tuples(each)) for key, each in state["approaches"].items()},
            _contents={key: tuple(each) for key, each in state["contents"].items()},
            _green=state["green"],
            _gone=state["gone"],
            _plan=state["plan"],
            _calls={key: Call(**_tuples(each)) for key, each in state["calls"].items()},
            _barren=Barren(**{**state["barren"], "failures": _pairs(state["barren"]["failures"])}),
        )


def recalled(rows: Sequence[tuple[int, Step]]) -> Ledger:
    """The ledger as the newest checkpoint of these steps left it, to be folded on from there; an empty one where there
    is no checkpoint, or only one of another version."""
    newest = next((step for _, step in reversed(rows) if isinstance(step, Handed)), None)
    try:
        return Ledger.restore(newest.state) if newest else Ledger()
    except (ValueError, KeyError, TypeError):
        return Ledger()


def _tests(meant: Intent) -> bool:
    return any(f"{part.stem} {' '.join(part.operands[:1])}".startswith(TESTING) for part in meant.parts)


def _bound(kept: dict[str, Any], most: int) -> None:
    while len(kept) > most:
        del kept[next(iter(kept))]


def _pairs(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) for name, value in values.items()}


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
