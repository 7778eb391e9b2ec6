"""What is left to do in a session: a fold of its journal, and the only place that knows whether a run goes on.

There is no resume code path: after a crash the same fold over the same steps gives the same list of things to do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.checkpoint import Checkpoint
from agent.lineage import SPAWNS
from agent.steps import (
    Asked,
    Call,
    Change,
    Commanded,
    Corrected,
    Decided,
    Ended,
    Failed,
    Finished,
    Handed,
    Level,
    Looking,
    Nudged,
    Offered,
    Opened,
    Parked,
    Proposed,
    Resumed,
    Said,
    Seen,
    Started,
    Step,
    Trouble,
)
from agent.verdict import PASSED


@dataclass(slots=True)
class OpenCall:
    """A call without a result, and how far it came."""

    call: Call
    cut: bool  # its reply ended at the token limit
    written: bool = False  # as text, in a reply that was no call
    effect: str = ""  # "" until proposed
    command: str = ""  # what a custom tool's call comes to, as proposed
    started: bool = False
    held: str | None = None  # the text that stands in for its result
    ask: Nudged | None = None  # the question to a human
    decided: Decided | None = None

    @property
    def approved(self) -> bool:
        return self.ask is not None and self.decided is not None and self.decided.verdict == "allow"

    def again(self) -> None:
        """As if it had never been proposed, so that it is judged and asked for once more."""
        self.effect, self.ask, self.decided = "", None, None


@dataclass(slots=True)
class Todo:
    """The state of a session's newest run. `fold` each step in order; everything else is read."""

    opened: Opened | None = None
    running: bool = False
    asked: Asked | None = None  # what began the run
    asked_seq: int = 0
    heard: int = 0  # seq of the newest thing said to the model
    spoke: Said | None = None  # the newest reply of this run
    ending: Finished | None = None  # a call of the newest reply that ends the run
    cleared: bool = False  # the gate has checked the newest reply's claim, and it holds
    calls: dict[str, OpenCall] = field(default_factory=dict)
    looks: dict[str, Looking] = field(default_factory=dict)
    halt: Nudged | None = None  # a guard's STOP
    paused: bool = False
    parked: Parked | None = None
    turns: int = 0  # replies in this leg
    goal: str = ""  # of this run, in the user's words
    handoffs: int = 0  # checkpoints of this run from which a leg began
    overflows: int = 0  # requests in a row that were too long for the model
    checkpoints: int = 0  # of this run, those included that only made the request shorter
    continuing: bool = False  # the next message goes on from a checkpoint
    failures: list[Failed] = field(default_factory=list)  # since the newest reply, message or restart
    parks: int = 0  # since the newest reply or message
    restarts: int = 0  # since the newest reply
    cwd: str = ""
    mode: Commanded | None = None  # the newest change of mode
    chosen: str = ""  # the model that the chat chose for its next leg, "" for the settings' own
    led: str = ""  # the same as this leg opened with it
    allowed: set[tuple[str, str, str]] = field(default_factory=set)  # (tool, arguments, cwd) allowed for the session
    seen: dict[str, str] = field(default_factory=dict)  # path -> hash, as this session last saw it

    @property
    def unanswered(self) -> bool:
        """Something was said that the newest reply hadn't seen."""
        return self.spoke is None or self.heard > self.spoke.upto

    @property
    def waits_for_decision(self) -> OpenCall | None:
        """The first open call, if it waits for a human."""
        first = next(iter(self.calls.values()), None)
        return first if first and first.ask is not None and first.decided is None and first.held is None else None

    @property
    def rests(self) -> bool:
        """The run waits for a person or a time: paused, parked, or asked about."""
        return self.paused or self.parked is not None or self.waits_for_decision is not None

    @property
    def free(self) -> bool:
        """Nothing that was said or decided keeps the run's next call from being carried out."""
        return self.running and not self.rests and not self.looks and self.halt is None

    @property
    def spawning(self) -> bool:
        """Its first open call runs a child: a restart is the child's, which counts those without a reply."""
        first = next(iter(self.calls.values()), None)
        return first is not None and first.started and first.call.name == SPAWNS

    def mode_at(self, now: float) -> str:
        """The mode in force at wall time `now`: the standing one, or what a person set for a while."""
        standing = self.opened.mode if self.opened else "sandbox"
        changed = self.mode
        if changed is None or (changed.until is not None and now >= changed.until):
            return standing
        return changed.value

    def fold(self, seq: int, step: Step) -> None:
        match step:
            case Opened():
                self.opened, self.led = step, self.chosen
                self.cwd = self.cwd or step.cwd
            case Asked() | Corrected():
                self._heard(seq, step)
            case Said():
                self._said(step)
            case Failed():
                self.failures.append(step)
                self.overflows += step.trouble == Trouble.OVERFLOW
            case Ended():
                self._ended()
            case Parked():
                self.parked = step
                self.parks += 1
            case Resumed():
                self.parked = None
                self.failures.clear()
                self.restarts += step.cause == "restart"
            case Commanded():
                self._commanded(step)
            case Handed():
                self._handed(seq, step)
            case _:
                self._call_step(seq, step)

    def _heard(self, seq: int, step: Asked | Corrected) -> None:
        if isinstance(step, Asked) and not self.running:
            self.running, self.asked, self.asked_seq, self.turns, self.spoke = True, step, seq, 0, None
            self.halt, self.restarts, self.handoffs, self.checkpoints, self.overflows = None, 0, 0, 0, 0
            self.ending, self.cleared = None, False
            self.goal = self.goal if self.continuing or step.again else step.text
            self.continuing = False
        self.heard, self.parked, self.parks, self.paused = seq, None, 0, False
        self.failures.clear()

    def _handed(self, seq: int, step: Handed) -> None:
        if not step.fresh:
            return
        self.heard = seq
        self.failures.clear()
        self.checkpoints += self.running
        if step.cause != "context":
            self.turns = 0
            self.handoffs += self.running
        self.continuing = not self.running
        self.goal = Checkpoint.from_json(step.checkpoint).goal or self.goal

    def _said(self, step: Said) -> None:
        self.spoke = step
        self.ending, self.cleared = None, False
        self.turns += 1
        self.parks = self.restarts = self.overflows = 0
        self.failures.clear()
        self.calls = {call.id: OpenCall(call, step.finish == "length", step.finish == "written") for call in step.calls}

    def _ended(self) -> None:
        self.running = self.paused = False
        self.asked, self.parked, self.halt = None, None, None
        self.calls.clear()
        self.looks.clear()
        self.failures.clear()

    def _commanded(self, step: Commanded) -> None:
        match step.command:
            case "pause":
                self.paused = True
            case "resume":
                self.paused = False  # what it was parked for still holds
            case "continue":
                self.paused, self.parked = False, None
            case "again":
                self.parked = None
                for item in list(self.calls.values())[:1]:
                    item.again()
            case "mode":
                self.mode = step
            case "model":
                self.chosen = step.value

    def _call_step(self, seq: int, step: Step) -> None:
        match step:
            case Proposed(call=call, effect=effect, command=command) if call.id in self.calls:
                self.calls[call.id].effect, self.calls[call.id].command = effect, command
            case Started(call_id=call_id) if call_id in self.calls:
                self.calls[call_id].started = True
            case Offered(dropped=dropped) if dropped:
                self.failures.clear()
            case Finished():
                self.calls.pop(step.call_id, None)
                self.ending = step if step.ends else self.ending
                self.cwd = step.cwd or self.cwd
                for change in step.files or ():
                    self._see(change)
            case Decided(call_id=call_id) if call_id in self.calls:
                self._decided(self.calls[call_id], step)
            case Looking():
                self.looks[step.look] = step
            case Seen():
                self.looks.pop(step.look, None)
            case Nudged():
                self._nudged(seq, step)

    def _see(self, change: Change) -> None:
        if change.after:
            self.seen[change.path] = change.after
        else:  # deleted, or too large to hash: we no longer know it
            self.seen.pop(change.path, None)

    def _decided(self, item: OpenCall, step: Decided) -> None:
        item.decided = step
        if step.verdict == "allow" and step.reason == "session":
            self.allowed.add((item.call.name, item.command or item.call.arguments, self.cwd))

    def _nudged(self, seq: int, step: Nudged) -> None:
        if step.level == Level.STOP:
            self.halt = self.halt or step
        if step.level == Level.HOLD and step.about is step.slot is None:
            self.heard = seq  # the text that was to end the run is held back
        self.cleared = self.cleared or step.event == PASSED
        open_call = self.calls.get(step.about or "")
        if open_call is None:
            return
        if step.level == Level.HOLD:
            open_call.held = open_call.held or step.text
        elif step.level == Level.ASK and open_call.ask is None:
            open_call.ask = step
