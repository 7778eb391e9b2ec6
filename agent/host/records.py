"""What outlives a restart of background jobs: that they were there, and where their output is. One small file."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from agent.ports import Command, Job, Ran
from agent.steps import Outcome, Stream

logger = logging.getLogger(__name__)

FILE = "jobs.json"
KEPT = 200  # of all sessions; the oldest go first
RESTARTED = "It ended when Jarvis was restarted."


@dataclass(frozen=True, slots=True)
class Record:
    """`outcome` is "" while the job runs."""

    owner: str
    run: str
    id: str
    command: str
    cwd: str
    begun: float
    outcome: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    why: str = ""
    full: tuple[str, ...] = ()

    def job(self) -> Job:
        """As it is told after a restart: its streams are in their files."""
        nothing = Stream()
        ran = Ran(
            Outcome(self.outcome), self.exit_code, None, self.seconds, self.cwd, nothing, nothing, self.full, files=None
        )
        return Job(self.id, self.command, self.begun, False, ran, self.why)


def record_of(command: Command, job: Job) -> Record:
    ran = job.ran
    outcome = "" if job.running else ran.outcome.value
    return Record(
        command.owner, command.run, job.id, command.text, command.cwd, job.begun,
        outcome, ran.exit_code, ran.duration, job.why, ran.full,
    )  # fmt: skip


class Records:
    """Read once, written at each change, bounded. A file that can't be read or written costs the memory of it only."""

    def __init__(self, home: str) -> None:
        self._path = Path(home, FILE)
        self._records: dict[tuple[str, str], Record] = {}
        self._read()

    def of(self, owner: str) -> list[Record]:
        """The newest last."""
        return [record for record in self._records.values() if record.owner == owner]

    def put(self, record: Record) -> None:
        self._records[record.owner, record.id] = record
        while len(self._records) > KEPT:
            ended = (key for key, each in self._records.items() if each.outcome)
            del self._records[next(ended, next(iter(self._records)))]
        self._write()

    def _read(self) -> None:
        try:
            rows = json.loads(self._path.read_text("utf-8"))
            records = [Record(**{**row, "full": tuple(row["full"])}) for row in rows]
            jobs = [record if record.outcome else _restarted(record) for record in records]
            for record in jobs:
                record.job()  # an outcome that this version doesn't know
                self._records[record.owner, record.id] = record
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError) as error:
            logger.warning("%s can't be read, earlier background jobs are forgotten: %s", self._path, error)
            self._records.clear()

    def _write(self) -> None:
        fresh = self._path.with_suffix(".new")
        text = json.dumps([asdict(record) for record in self._records.values()])
        try:
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
                file.write(text)
            fresh.replace(self._path)
        except OSError as error:
            logger.debug("%s can't be written: %s", self._path, error)


def _restarted(record: Record) -> Record:
    return replace(record, outcome=Outcome.KILLED.value, why=RESTARTED)
