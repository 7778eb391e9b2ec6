"""Jobs: once a background command has ended, the model is told so, once: at its next message at the latest, also where
that begins another run. Nobody has to ask for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import ClassVar

from agent.intent import intent
from agent.messages import clip
from agent.outcome import goes_on
from agent.ports import Look, Nudge
from agent.steps import (
    Asked,
    Call,
    Commanded,
    Ended,
    Failed,
    Finished,
    Level,
    Looking,
    Nudged,
    Proposed,
    Said,
    Seen,
    Started,
    Step,
)

PROBE, EVENT = "jobs", "job.ended"
COMMAND = 80  # bytes
SHOWN = 3  # jobs


@dataclass(slots=True)
class Jobs:
    name: str = "jobs"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = frozenset({Started, Failed, Commanded, Nudged, Proposed})
    _calls: dict[str, Call] = field(default_factory=dict, repr=False)
    _open: dict[str, str] = field(default_factory=dict, repr=False)  # job -> its command; no end of it is known
    _look: str = field(default="", repr=False)

    def observe(self, step: Step) -> Nudge | Look | None:
        match step:
            case Said(calls=calls):
                self._calls = {call.id: call for call in calls}
            case Finished():
                return self._finished(step)
            case Asked():
                return self._ask()
            case Looking(guard=self.name, look=look):
                self._look = look
            case Seen(look=look) if look == self._look:
                self._look = ""
                return self._seen(step)
            case Ended():
                self._look = ""
            case _:
                pass
        return None

    def _finished(self, step: Finished) -> Nudge | Look | None:
        call = self._calls.pop(step.call_id, None)
        if step.job and goes_on(step):
            self._open[step.job] = intent(step.tool, call.arguments).text if call else ""
        elif step.job:
            self._open.pop(step.job, None)
        last = not self._calls  # of its reply: the next thing is a request
        return self._ask() if last and not step.job else None

    def _ask(self) -> Look | None:
        return Look(PROBE, json.dumps({"jobs": list(self._open)})) if self._open and not self._look else None

    def _seen(self, step: Seen) -> Nudge | None:
        over = {job: how for job, how in _ended(step).items() if job in self._open}
        lines = [f"{job} (`{clip(' '.join(self._open.pop(job).split()), COMMAND)}`) {how}" for job, how in over.items()]
        if not lines:
            return None
        more = f"; and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
        text = f"[jobs] Ended in the background: {'; '.join(lines[-SHOWN:])}{more}. Its output: jobs, action tail."
        return Nudge(Level.NOTE, text, event=EVENT)


def _ended(seen: Seen) -> dict[str, str]:
    """How each job ended that did, in words."""
    try:
        jobs = json.loads(seen.value)["ended"] if seen.status == "ok" else ()
        return {str(job["id"]): _how(job) for job in jobs}
    except (ValueError, KeyError, TypeError):
        return {}


def _how(job: dict[str, object]) -> str:
    if job["why"]:
        return f"was ended: {str(job['why']).rstrip('.')}"
    if job["exit_code"] is None:
        return str(job["outcome"]).replace("_", " ")
    return f"exit code {job['exit_code']}"


guard = Jobs
