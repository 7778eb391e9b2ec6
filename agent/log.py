"""The log: one record a line whatever it holds, for people or as JSON, all of it through the redactor."""

from __future__ import annotations

import json
import logging
import sys
import threading
import unicodedata
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import IO, Literal

from agent.behind import Behind

CHATTY = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "telegram", "asyncio")
RESERVED = frozenset({"ts", "level", "logger", "event", "msg", "trace"})
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, direction marks, half surrogates, other line ends


def setup(
    level: str = "info",
    form: Literal["console", "json"] = "console",
    redact: logging.Filter | None = None,
    stream: IO[str] | None = None,
) -> None:
    """Send every record, warning and uncaught exception to `stream` (stderr by default), a line each.

    Message, traceback and each field pass through `redact`, a filter that masks the text of records. Libraries that
    log addresses with our token in them are kept at WARNING.
    """
    handler = _Handler(stream or sys.stderr)
    handler.setFormatter(Json(redact) if form == "json" else Console(redact))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def last_lines(timeout_s: float) -> None:
    """Wait until what was logged is written, at most so many seconds."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, _Handler) and isinstance(handler.stream, Behind):
            handler.stream.drain(timeout_s)


def event(logger: logging.Logger, name: str, /, level: int = logging.INFO, **fields: object) -> None:
    """Log something that has a name (nudge.failure, run.end), with its facts as fields."""
    logger.log(level, "%s", name, extra={"event": name, "fields": fields})


class _Line(logging.Formatter):
    """What both forms share: the parts of a record as text, masked before anything is escaped or cut."""

    def __init__(self, redact: logging.Filter | None = None) -> None:
        super().__init__()
        self._redact = redact

    def masked(self, text: str) -> str:
        if self._redact is None:
            return text
        record = logging.makeLogRecord({"msg": text})
        self._redact.filter(record)
        return record.getMessage()

    def message(self, record: logging.LogRecord) -> str:
        return self.masked(record.getMessage())

    def fields(self, record: logging.LogRecord) -> dict[str, object]:
        fields = getattr(record, "fields", None) or {}
        return {key: self._value(value) for key, value in fields.items()}

    def trace(self, record: logging.LogRecord) -> str:
        parts = [self.formatException(record.exc_info)] if record.exc_info else []
        return self.masked("\n".join([*parts, record.stack_info] if record.stack_info else parts))

    def _value(self, value: object) -> object:
        return value if value is None or isinstance(value, bool | int | float) else self.masked(str(value))


class Console(_Line):
    """2026-01-31 12:00:00 INFO agent.hub: run.end session=s1 outcome=answered"""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created).strftime("%Y-%m-%d %H:%M:%S")
        fields = "".join(f" {key}={_quoted(str(value))}" for key, value in self.fields(record).items())
        text = f"{when} {record.levelname} {record.name}: {self.message(record)}{fields}"
        trace = self.trace(record)
        return escaped(f"{text}\n{trace}" if trace else text)


class Json(_Line):
    """One object a line: ts (UTC), level, logger, msg, event if it has a name, trace if there is one, its fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": self.message(record),
        }
        if name := getattr(record, "event", ""):
            line["event"] = str(name)
        if trace := self.trace(record):
            line["trace"] = trace
        for key, value in self.fields(record).items():
            line[f"{key}_" if key in RESERVED else key] = value
        return json.dumps(line)


def escaped(text: str) -> str:
    """The text with everything that could break the line or speak to the terminal written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if unicodedata.category(c) in UNSAFE else c for c in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if not text or any(c in text for c in ' "=\n') else text


class _Handler(logging.StreamHandler[IO[str]]):
    def handleError(self, record: logging.LogRecord) -> None:
        """A record that can't be written is named and dropped: the standard way prints its raw arguments."""
        kind = sys.exc_info()[0] or Exception
        text = f"a record of {record.name} was lost ({kind.__name__} in writing it)"
        lost = logging.makeLogRecord({"name": __name__, "levelname": "ERROR", "msg": text})
        with suppress(Exception):  # the stream itself is gone: nobody is left to tell
            self.stream.write(self.format(lost) + self.terminator)


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    logging.getLogger("agent").critical("an unforeseen error ended the program", exc_info=(kind, error, trace))


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        _uncaught(args.exc_type, args.exc_value, args.exc_traceback)
