"""What a session did, call by call, as far as claims of its model are held against it: a fold of its steps. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from agent.intent import Intent, intent
from agent.openerrors import text_of
from agent.outcome import FAILING, SUCCEEDING, goes_on
from agent.steps import Asked, Call, Change, Ended, Finished, Opened, Outcome, Proposed, Said, Seen, Step
from agent.testruns import green, tests

VERIFY = "verify"  # the probe that runs checks
JOBS = "jobs"  # the tool that tells of them
MOST = 400  # calls; the oldest are dropped
OUTPUT = 6_000  # characters kept of the end of each stream

# Written by tools on their own account: no change of the work.
_BY_THE_WAY = re.compile(
    r"(?:^|/)(?:__pycache__|node_modules|\.git|\.jarvis|\.[a-z]+_cache|\.hypothesis|\.tox|\.nyc_output|coverage|htmlcov)"
    r"(?:/|$)|(?:^|/)\.coverage|\.py[co]$"
)
_INERT = re.compile(r"\.(?:md|rst|adoc|log)$|(?:^|/)(?:LICEN[CS]E|AUTHORS|NOTICE)[^/]*$", re.IGNORECASE)
_MATERIAL = re.compile(
    r"\.(?:txt|csv|tsv|jsonl|ndjson|out|err|tmp|bak|lock|pdf|docx?|xlsx?|pptx?|odt|png|jpe?g|gif|webp|svg|ico|mp[34]|wav|ogg"
    r"|webm|zip|tar|t?gz|xz|bz2|zst|7z|db|sqlite3?|parquet|pkl|bin|so|o|class|jar|woff2?|ttf|pem|key|crt|pid)$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\.(?:pyi?|[cm]?[jt]sx?|go|rs|java|kts?|scala|c|cc|cpp|h|hpp|cs|rb|php|swift|vue|svelte|ex|exs|clj|hs|lua|pl)$"
)


@dataclass(frozen=True, slots=True)
class Deed:
    """One call and what came of it. `number` counts from 1 in the session; `cwd` is the folder that it began in;
    `changes` are the files that it really changed, None where that is unknown. `begun`: it only began a background
    job, of which it shows nothing. What tells of a job's end stands for the job itself: `since` is then the number of
    the call that began it, else its own, and what changed after that it can't have seen."""

    number: int
    call: Call
    meant: Intent
    outcome: Outcome
    exit_code: int | None
    cwd: str
    changes: tuple[Change, ...] | None
    tests: bool
    output: str  # of a test run
    since: int
    begun: bool = False

    @property
    def succeeded(self) -> bool:
        return self.outcome in SUCCEEDING and self.outcome is not Outcome.ANSWERED_NO and not self.begun

    @property
    def failed(self) -> bool:
        return self.outcome in FAILING

    @property
    def ran(self) -> bool:
        """It came to run at all."""
        return self.outcome in FAILING | SUCCEEDING and self.outcome is not Outcome.NOT_STARTED

    @property
    def command(self) -> str:
        return " ".join(self.meant.text.split())

    @property
    def green(self) -> bool:
        """It tested, and what it tested passes."""
        return self.tests and green(self.succeeded, self.output)

    @property
    def changed(self) -> bool:
        """It changed files, by what is known of the disk, else by its verb."""
        if self.changes is not None:
            return bool(self.changes)
        return (self.succeeded or self.begun) and self.meant.mutates

    @property
    def changed_inputs(self) -> bool:
        """It changed what a test could depend on."""
        if self.changes is None:
            return self.changed
        return any(map(is_input, self.changes))

    @property
    def changed_work(self) -> bool:
        """It is known to have changed what a reader of code could find a fault in: no prose, data, pictures."""
        return any(not (_INERT.search(change.path) or _MATERIAL.search(change.path)) for change in self.changes or ())

    @property
    def changed_code(self) -> bool:
        return any(_CODE.search(change.path) for change in self.changes or ())


@dataclass(slots=True)
class Evidence:
    """Fold each step in order. `deeds` are those of the session, `of_run` those of its newest run."""

    running: bool = False
    cwd: str = ""
    workspace: str = ""
    deeds: list[Deed] = field(default_factory=list)
    _count: int = 0
    _before: int = 0  # the number of the last call before this run
    _calls: dict[str, Call] = field(default_factory=dict, repr=False)
    _jobs: dict[str, Deed] = field(default_factory=dict, repr=False)  # what began each, by its id
    _checked: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)  # green by a probe, after which call

    def fold(self, step: Step) -> None:
        match step:
            case Said(calls=calls):
                self._calls = {call.id: call for call in calls}
            case Proposed(call=call):
                self._calls[call.id] = call
            case Finished():
                self._finished(step)
            case Seen(probe=probe, status="ok") if probe == VERIFY:
                self._checked |= dict.fromkeys(_green(step.value), self._count)
            case Opened():
                self.cwd, self.workspace = self.cwd or step.cwd, step.workspace or step.cwd
            case Asked() if not self.running:
                self.running, self._before = True, self._count
                self._checked.clear()  # who knows what others have changed between the runs
            case Ended():
                self.running = False
                self._calls.clear()
            case _:
                pass

    def _finished(self, step: Finished) -> None:
        call = self._calls.pop(step.call_id, None)
        if call is not None:
            self._count += 1
            told_of = self._jobs.get(step.job) if step.tool == JOBS else None
            self.deeds.append(self._ended(told_of, step) if told_of else self._done(call, step))
            del self.deeds[:-MOST]
        self.cwd = step.cwd or self.cwd

    def _done(self, call: Call, step: Finished) -> Deed:
        changes = None if step.files is None else tuple(filter(_real, step.files))
        meant, begun = intent(step.tool, call.arguments), goes_on(step)
        tested = tests(meant) and not begun
        output = _printed(step) if tested else ""
        deed = Deed(
            self._count, call, meant, step.outcome, step.exit_code, self.cwd, changes, tested, output,
            since=self._count, begun=begun,
        )  # fmt: skip
        if begun and step.job:
            self._jobs[step.job] = deed
        return deed

    def _ended(self, began: Deed, step: Finished) -> Deed:
        """Who only looks at the end of a job that failed has not failed."""
        tested = tests(began.meant)
        outcome = Outcome.FAILED if step.exit_code and step.outcome in SUCCEEDING else step.outcome
        return replace(
            began,
            number=self._count,
            outcome=outcome,
            exit_code=step.exit_code,
            tests=tested,
            output=_printed(step) if tested else "",
            begun=step.exit_code is None and step.outcome in SUCCEEDING,
        )

    @property
    def of_run(self) -> list[Deed]:
        return [deed for deed in self.deeds if deed.number > self._before]

    def stale(self, deed: Deed) -> bool:
        """Whether another call has changed what it could depend on since it began."""
        return self._changed_after(deed.since, but=deed)

    def checked(self, command: str, cwd: str) -> bool:
        """Whether a check of ours has seen the command pass, and nothing that it could depend on has changed since."""
        after = self._checked.get((" ".join(command.split()), cwd))
        return after is not None and len(self.deeds) < MOST and not self._changed_after(after)

    def _changed_after(self, number: int, but: Deed | None = None) -> bool:
        later = (each for each in self.deeds if each.number > number and each is not but)
        return any(each.changed_inputs and not each.tests for each in later)


def tested(deeds: Iterable[Deed]) -> dict[tuple[str, str], Deed]:
    """The newest test run of each (command, folder), the newest last."""
    found: dict[tuple[str, str], Deed] = {}
    for deed in deeds:
        if deed.ran and deed.tests:
            found.pop((deed.command, deed.cwd), None)
            found[deed.command, deed.cwd] = deed
    return found


def touched(deeds: Iterable[Deed]) -> dict[str, Change]:
    """The files that these calls changed, with what they left there last."""
    return {change.path: change for deed in deeds for change in deed.changes or ()}


def _printed(step: Finished) -> str:
    out, err = text_of(step.stdout), text_of(step.stderr)
    return f"{out[-OUTPUT:]}\n{err[-OUTPUT:]}" if out or err else step.text[-OUTPUT:]


def _green(value: str) -> Iterator[tuple[str, str]]:
    """The commands, with their folders, that passed by an answer of the probe."""
    try:
        checks = json.loads(value).get("checks") or ()
    except (ValueError, AttributeError):
        return
    for check in checks:
        passed = check.get("outcome") in (Outcome.OK, Outcome.WARNED)
        if green(passed, str(check.get("output", ""))):
            yield " ".join(str(check.get("command", "")).split()), str(check.get("cwd", ""))


def is_input(change: Change) -> bool:
    """Whether a test could depend on what changed."""
    return _real(change) and not _INERT.search(change.path)


def _real(change: Change) -> bool:
    return (change.before is None or change.before != change.after) and not _BY_THE_WAY.search(change.path)
