"""The log: one record a line whatever it holds, and nothing around the redactor."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.log import CHATTY, Console, Json, escaped, event, setup

logger = logging.getLogger("tests.log")
SECRET = "sk-very-secret"


class Mask(logging.Filter):
    """A redactor as the log knows it: it masks the text of a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = record.getMessage().replace(SECRET, "***"), ()
        return True


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """The process's logging as it was."""
    root = logging.getLogger()
    handlers, level, hooks = root.handlers[:], root.level, (sys.excepthook, threading.excepthook)
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)
    sys.excepthook, threading.excepthook = hooks
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.NOTSET)


def started(form: str, level: str = "info") -> Callable[[], list[str]]:
    stream = io.StringIO()
    setup(level, "json" if form == "json" else "console", Mask(), stream)
    return lambda: stream.getvalue().splitlines()


EVIL = 'x\n{"level":"error","msg":"forged"}\r\n\x1b[31mred\x1b[0m\x85\u2028\u202e\x00\ud800'


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_record_stays_one_line_whatever_it_holds(form: str) -> None:
    lines = started(form)
    logger.info("name %s", EVIL)
    event(logger, "run.end", text=EVIL, outcome="answered")
    try:
        raise ValueError(EVIL)
    except ValueError:
        logger.exception("failed")
    assert len(lines()) == 3
    assert all(line.isprintable() for line in lines())


@given(st.text())
def test_json_gives_back_what_was_said(text: str) -> None:
    record = logging.makeLogRecord({"msg": text, "fields": {"text": text}})
    line = Json().format(record)
    assert (json.loads(line)["msg"], json.loads(line)["text"]) == (text, text)
    assert line.isascii() and line.isprintable()


@given(st.text())
def test_console_escapes_what_is_not_printable_and_nothing_else(text: str) -> None:
    assert len(escaped(text).splitlines()) <= 1
    kept = "".join(c for c in text if c.isprintable() or c in "\u00a0\u3000")
    if kept == text:
        assert escaped(text) == text


def test_json_has_the_fields_that_collectors_look_for() -> None:
    lines = started("json")
    event(logger, "nudge.failure", session="s1", n=3, level_seen=None, msg="no clash")
    (line,) = [json.loads(line) for line in lines()]
    assert line["ts"].endswith("+00:00")
    del line["ts"]
    assert line == {
        "level": "info",
        "logger": "tests.log",
        "msg": "nudge.failure",
        "event": "nudge.failure",
        "session": "s1",
        "n": 3,
        "level_seen": None,
        "msg_": "no clash",
    }


def test_console_is_readable() -> None:
    lines = started("console")
    event(logger, "run.end", session="s1", why="out of turns")
    assert lines()[0].endswith('INFO tests.log: run.end session=s1 why="out of turns"')


@pytest.mark.parametrize("form", ["console", "json"])
def test_message_arguments_fields_and_traceback_pass_the_redactor(form: str) -> None:
    lines = started(form)
    logger.warning("calling %s", f"https://x/{SECRET}")
    event(logger, "x", url=SECRET, inner={"key": SECRET}, error=ValueError(SECRET))
    try:
        raise ValueError(SECRET)
    except ValueError:
        logger.exception("failed", stack_info=True)
    sys.excepthook(ValueError, ValueError(SECRET), None)
    thread = threading.Thread(target=lambda: (_ for _ in ()).throw(ValueError(SECRET)).__next__())
    thread.start()
    thread.join()
    assert len(lines()) == 5
    assert not [line for line in lines() if SECRET in line]
    assert "***" in lines()[2]


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_record_that_cannot_be_written_is_named_not_printed(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = started(form)
    logger.info("%d", SECRET)
    assert len(lines()) == 1 and "was lost" in lines()[0] and "tests.log" in lines()[0]
    assert SECRET not in lines()[0]
    assert capsys.readouterr().err == ""


def test_libraries_stay_quiet_even_in_debug() -> None:
    lines = started("console", "debug")
    logger.debug("ours")
    for name in CHATTY:
        logging.getLogger(f"{name}.inner").info("theirs")
        logging.getLogger(name).debug("theirs")
    assert len(lines()) == 1


@pytest.mark.parametrize(("level", "count"), [("debug", 3), ("info", 2), ("warning", 1)])
def test_levels(level: str, count: int) -> None:
    lines = started("console", level)
    logger.debug("a")
    logger.info("b")
    logger.warning("c")
    assert len(lines()) == count


def test_warnings_of_the_language_are_log_lines() -> None:
    lines = started("json")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn("old\nstyle", DeprecationWarning, stacklevel=1)
    assert len(lines()) == 1 and json.loads(lines()[0])["logger"] == "py.warnings"


def test_console_without_a_redactor_formats_alike() -> None:
    record = logging.makeLogRecord({"msg": "plain", "levelname": "INFO", "name": "n"})
    assert Console().format(record).endswith("INFO n: plain")
