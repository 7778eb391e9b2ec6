"""How a call ended, told apart as finely as its exit status, bash's PIPESTATUS and its own text allow. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.commandline import last_chain
from agent.complaint import Rank, complaint
from agent.intent import Effect, Intent, intent
from agent.steps import Finished, Outcome

# Exit 1 of these is an answer ("no such line", "they differ"), 2 and up is trouble: POSIX says so for grep, diff, cmp
# and test; the others follow it.
ANSWERING = frozenset({
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "which", "type", "pgrep",
    "pidof", "expr", "lsof", "ps", "jq", "command -v", "command -V", "git grep", "git diff", "git diff-index",
    "git check-ignore",
})  # fmt: skip
# Whoever stands before one of those with && and fails says so on stderr.
OUTSPOKEN = frozenset(
    {"cd", "ls", "cat", "echo", "printf", "pwd", "mkdir", "export", "source", ".", "set", "sleep", "true"}
)

# Signals that end a program; 128+n of others (git's usage error is 129) is just an exit code.
SIGNALS = frozenset({2, 3, 4, 6, 7, 8, 9, 11, 13, 14, 15, 24, 25, 31})
SIGPIPE = 13

FAILING = frozenset({Outcome.FAILED, Outcome.TIMED_OUT, Outcome.KILLED, Outcome.NOT_STARTED})
SUCCEEDING = frozenset({Outcome.OK, Outcome.ANSWERED_NO, Outcome.WARNED})


@dataclass(frozen=True, slots=True)
class Ending:
    """An exit code as a shell shows it ($?), the signal that ended the command if one did, and the outcome."""

    outcome: Outcome
    exit_code: int | None
    signal: int | None


@dataclass(frozen=True, slots=True)
class Judged:
    """How a call ended, and what it was meant to do."""

    outcome: Outcome
    intent: Intent

    @property
    def mutated(self) -> bool:
        """By the verb: it does what changes something. A failed call is taken to have changed nothing."""
        return self.intent.effect is Effect.MUTATE and self.outcome in SUCCEEDING


def goes_on(step: Finished) -> bool:
    """Whether the call only began a background command: nothing of its end is known, so it shows nothing to be fine."""
    return step.tool == "shell" and step.outcome is Outcome.OK and step.exit_code is None and step.stdout is None


def judge(
    tool: str,
    arguments: str,
    exit_code: int | None = None,
    signal: int | None = None,
    stdout: str = "",
    stderr: str = "",
    error: str = "",
    pipe: tuple[int, ...] = (),
) -> Judged:
    """Judge a call by what is recorded of it.

    `arguments` is the raw JSON text or a bare command line; `error` what a tool said that refused or broke; `pipe`
    bash's PIPESTATUS if known. Without exit code, signal and error the text alone decides (see `failed_text`).
    """
    meant = intent(tool, arguments)
    if error:
        return Judged(Outcome.FAILED, meant)
    if exit_code is None and signal is None:
        told = f"{stderr}\n{stdout}" if stderr else stdout
        return Judged(Outcome.FAILED if failed_text(told, meant) else Outcome.OK, meant)
    status = signal if signal else (exit_code or 0) << 8
    return Judged(ending(meant.text, status, pipe, stdout, stderr).outcome, meant)


def ending(text: str, status: int, pipe: tuple[int, ...], stdout: str, stderr: str) -> Ending:
    """Judge a command that came to its own end.

    `status` is a wait status (waitpid(2)), `pipe` bash's PIPESTATUS of the last pipeline that ran, empty if not known;
    `stdout` and `stderr` are what was kept of the streams.
    """
    number = status & 0x7F
    if number:
        return Ending(Outcome.KILLED, 128 + number, number)
    code = status >> 8
    if code == 0:
        return Ending(Outcome.WARNED if error_shaped(stderr) else Outcome.OK, 0, None)
    if code - 128 == SIGPIPE and len(pipe) > 1:
        # `find / | head -3`: the reader had enough, and everything behind the writer went well.
        return Ending(Outcome.OK, code, None)
    if code - 128 in SIGNALS:
        return Ending(Outcome.KILLED, code, code - 128)
    if code == 1 and answers_no(text, pipe, stdout, stderr):
        return Ending(Outcome.ANSWERED_NO, 1, None)
    return Ending(Outcome.FAILED, code, None)


def error_shaped(stderr: str) -> bool:
    """Whether a line of it says that something went wrong, though the exit code may not."""
    return complaint(stderr).rank >= Rank.ERROR


def answers_no(text: str, pipe: tuple[int, ...], stdout: str, stderr: str) -> bool:
    """Whether exit 1 is an answer of the last command, or of an earlier one that it was joined to with && or ||."""
    chain = last_chain(text)
    if stderr.strip() or not chain:
        return False
    *earlier, last = chain
    if answering(last, pipe) and all(verb in ANSWERING | OUTSPOKEN for pipeline in earlier for verb in pipeline):
        return True
    # `[ -f x ] && make`: had make run and failed, it would have printed something.
    return not stdout.strip() and any(answering(pipeline, pipe) for pipeline in chain)


def answering(pipeline: list[str], pipe: tuple[int, ...]) -> bool:
    """Whether each member that failed is of the answering kind; without PIPESTATUS the last member stands for all."""
    if len(pipe) != len(pipeline):
        return pipeline[-1] in ANSWERING and len(pipe) <= 1
    return all(verb in ANSWERING for verb, code in zip(pipeline, pipe, strict=True) if code)


# For recorded runs of other agents, where a step is only text. Found by reading: each sign is one that tools print
# about their own failure, not one that a file's content shows by chance.
_SAYS_CODE = re.compile(r"(?:exit|return|status)[ _]?(?:code|status)?\)?[:= ]{1,3}(?P<code>-?\d{1,5})\b", re.IGNORECASE)
_STARTS = (
    "error", "traceback (most recent", "exception", "invalid", "failed", "could not", "cannot", "unknown command",
    "usage:", "fatal", "your proposed edit has introduced new syntax", "command timed out", "execution timed out",
    "permission denied", "no such file", "bash:", "/bin/sh:", "/bin/bash:", "sh:", "file not found",
)  # fmt: skip
_SAYS = (
    "command not found",
    ": No such file or directory",
    ": Permission denied",
    ": not found\n",
    "Segmentation fault",
)
SHORT = 600  # characters of a text that is nothing but a message


def failed_text(text: str, meant: Intent) -> bool:
    """Whether the text that a step gave back tells of a failure of that step (heuristic, for foreign journals).

    In this order: an exit code named in the last 200 characters decides; a text that begins like an error, or as one
    of the step's own programs begins its errors; a traceback's last exception line near the end; a line of pip's; a
    shell's phrase. A step that only reads may show any words, so only a short text of its own counts there.
    """
    text = text.strip()
    if not text:
        return False
    if code := [found["code"] for found in _SAYS_CODE.finditer(text[-200:])]:
        return code[-1] != "0"
    if text[:120].lstrip("[(<{'\"* \n").lower().startswith(_STARTS):
        return True
    if text.startswith(tuple(f"{verb.partition(' ')[0]}: " for verb in meant.verbs if verb)) and len(text) < SHORT:
        return True
    ends = f"{text[:400]}{text[-1_000:]}\n"
    if meant.effect is Effect.READ:
        return len(text) < SHORT and any(sign in ends for sign in _SAYS)
    found = complaint(text[-4_000:])
    if found.rank is Rank.EXCEPTION:
        return found.line in text[-1_200:]
    return any(sign in ends for sign in (*_SAYS, "\nERROR: ")) or (len(text) < SHORT // 2 and found.rank >= Rank.ERROR)
