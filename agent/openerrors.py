"""What an open error is, and what closes it. Pure.

A failed call opens the error of its signature, unless it only looked (a file that isn't there is then an answer) or its
arguments were wrong. It is closed by a later success of the same target, by its file coming into being, being run or
checked, by the deletion of its target, or by its plan item being dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from agent.intent import Effect, Intent
from agent.masking import base
from agent.phrases import canonical
from agent.signature import salient_of, signature_of
from agent.steps import Change, Finished, Outcome, Stream

SHOWN = 5  # commands that are kept with an error
COMMAND = 160  # characters kept of one

# Beside the point of a command line: they stand before it, or cut its output.
ASIDE = frozenset({
    "cd", "export", "set", "echo", "printf", "true", "false", ":", "sleep", "pwd", "source", "activate", "ulimit",
    "trap", "exit", "date", "test", "[", "[[", "unset", "wait", "umask", "shopt",
})  # fmt: skip
# Each checks all there is when it is given nothing to check.
WHOLE = frozenset({
    "pytest", "jest", "vitest", "tsc", "ruff", "mypy", "eslint", "make", "tox", "nox", "cargo build", "cargo test",
    "cargo check", "go build", "go test", "go vet", "npm test", "npm run", "mvn", "gradle", "cmake",
    "terraform validate",
})  # fmt: skip
# They look, but at whether something works.
PROBING = frozenset({"curl", "ping", "nc", "dig", "systemctl status", "systemctl is-active", "git status"})

_FILE = re.compile(r"[\w./-](?<![\w./-].)[\w./-]{0,200}(?<=\w)\.[A-Za-z]\w{0,7}(?![\w/])")
_FRAME = re.compile(r'File "([^"\n]{1,400})", line|\(([^()\s]{1,400}?):\d{1,7}:\d{1,7}\)')


@dataclass(frozen=True, slots=True)
class OpenError:
    """`first` and `last` are sequence numbers of the steps that told of it; `count` how many did."""

    signature: str
    salient: str
    commands: tuple[str, ...]  # as tried, the newest last
    first: int
    last: int
    count: int
    keys: tuple[str, ...] = ()  # "stem operand operand": what has to succeed
    files: tuple[str, ...] = ()  # base names that it names
    met: tuple[str, ...] = ()  # keys that have succeeded since
    plan: str = ""  # the plan item that was in progress

    @property
    def line(self) -> str:
        """One line for a person or a model."""
        tried = f" ({self.count} times; tried: {'; '.join(self.commands[-3:])})" if self.count > 1 else ""
        return f"{self.salient or self.signature}{tried}"

    @property
    def of_the_system(self) -> bool:
        """It is an operating system's phrase about a thing."""
        return bool(canonical(self.signature.rpartition(": ")[2]))


def text_of(stream: Stream | None) -> str:
    """What was kept of a stream."""
    if stream is None:
        return ""
    return f"{stream.head}\n{stream.tail}" if stream.tail else stream.head


def opens(meant: Intent) -> bool:
    """Whether a failure of it is an error to be dealt with, and not just an answer."""
    return meant.effect is not Effect.READ or any(verb in PROBING for verb in meant.verbs)


def found_in(step: Finished, meant: Intent) -> tuple[str, str]:
    """(signature, line to quote) of a failed call; where its output has no error, what became of it stands in."""
    out, err = text_of(step.stdout), text_of(step.stderr)
    if step.stdout is None and step.stderr is None:
        out = step.text
    program = (meant.verbs or (meant.tool,))[-1]
    match step.outcome:
        case Outcome.TIMED_OUT:
            told = "timed out"
        case Outcome.KILLED:
            told = "killed by a signal"
        case _:
            told = f"exit code {step.exit_code}" if step.exit_code is not None else "failed"
    return signature_of(out, err) or f"{program}: {told}", salient_of(out, err) or f"{program}: {told}"


def keys_of(meant: Intent) -> tuple[str, ...]:
    """What the call was about, a key for each program that isn't aside: its stem and its operands."""
    if not meant.parts:
        return (" ".join((meant.tool, *meant.targets)),)
    heads = [part for part in meant.parts if part.stem and part.stem not in ASIDE and not part.piped]
    return tuple(" ".join((part.stem, *part.operands[:8])) for part in heads[:6])


def opened(
    before: OpenError | None, found: tuple[str, str], meant: Intent, seq: int, text: str, plan: str
) -> OpenError:
    """The error after one more failed call; `text` is what the call put out."""
    signature, salient = found
    command = " ".join(meant.text.split())[:COMMAND]
    if before is None:
        named = [*map(base, _FILE.findall(salient)), *(base(a or b) for a, b in _FRAME.findall(text)[-3:])]
        files = tuple(dict.fromkeys(named))[:6]
        return OpenError(signature, salient, (command,), seq, seq, 1, keys_of(meant), files, (), plan)
    commands = (*(c for c in before.commands if c != command), command)[-SHOWN:]
    return replace(before, commands=commands, last=seq, count=before.count + 1, keys=keys_of(meant), met=())


@dataclass(frozen=True, slots=True)
class Success:
    """What a successful call shows to be fine."""

    keys: tuple[str, ...]
    named: frozenset[str]  # base names of what it worked with
    effect: Effect


def success_of(meant: Intent) -> Success:
    named = {base(target) for target in meant.targets} | {verb for verb in meant.verbs if "." in verb}
    return Success(keys_of(meant), frozenset(named), meant.effect)


def after_success(error: OpenError, success: Success) -> OpenError | None:
    """The error after a successful call: None if that closed it."""
    if _rechecked(error, success):
        return None
    met = {*error.met, *(key for key in error.keys if any(_same(key, other) for other in success.keys))}
    if error.keys and met.issuperset(error.keys):
        return None
    return replace(error, met=tuple(sorted(met))) if len(met) > len(error.met) else error


def after_changes(error: OpenError, changes: tuple[Change, ...]) -> OpenError | None:
    """The error after files changed: None if its target went, or the file it missed came."""
    for change in changes:
        name = base(change.path)
        if not change.after and change.before and (name in error.files or _about(error, name)):
            return None
        if change.after and not change.before and name in error.files and error.of_the_system:
            return None
    return error


def _rechecked(error: OpenError, success: Success) -> bool:
    """The call worked with a file that the error names: one that was missing may be merely looked at."""
    if error.of_the_system:
        return error.signature.rpartition(": ")[0] in success.named
    return success.effect is Effect.RUN and not success.named.isdisjoint(error.files)


def _same(failed: str, succeeded: str) -> bool:
    stem, rest = _apart(failed)
    other, operands = _apart(succeeded)
    if stem != other:
        return bool(rest) and rest == operands  # done by another program
    return rest == operands or not rest.isdisjoint(operands) or (not operands and stem in WHOLE)


def _apart(key: str) -> tuple[str, frozenset[str]]:
    words = key.split(" ")
    size = 2 if " ".join(words[:2]) in WHOLE else 1
    return " ".join(words[:size]), frozenset(words[size:])


def _about(error: OpenError, name: str) -> bool:
    return any(name in (base(word) for word in key.split()) for key in error.keys)
