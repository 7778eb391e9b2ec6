"""How a command ended, told apart as finely as its exit status, bash's PIPESTATUS and its own text allow. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.steps import Outcome

# Exit 1 of these is an answer ("no such line", "they differ"), 2 and up is trouble: POSIX says so for grep, diff, cmp
# and test; the others follow it.
ANSWERING = frozenset({
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "which", "type", "pgrep",
    "pidof", "expr", "command -v", "command -V", "git grep", "git diff", "git diff-index", "git check-ignore",
})  # fmt: skip
# Whoever stands before one of those with && and fails says so on stderr.
OUTSPOKEN = frozenset(
    {"cd", "ls", "cat", "echo", "printf", "pwd", "mkdir", "export", "source", ".", "set", "sleep", "true"}
)
CLOSING = frozenset({"fi", "done", "esac", "}"})
WRAPPERS = frozenset({
    "sudo", "env", "nice", "nohup", "stdbuf", "time", "timeout", "ionice", "setsid", "exec", "builtin", "!",
    "if", "then", "else", "elif", "do", "while", "until", "{", "(",
})  # fmt: skip
OPERATORS = frozenset({";", "&", ";;", "&&", "||", "|", "|&", "\n", "(", ")"})

# Signals that end a program; 128+n of others (git's usage error is 129) is just an exit code.
SIGNALS = frozenset({2, 3, 4, 6, 7, 8, 9, 11, 13, 14, 15, 24, 25, 31})
SIGPIPE = 13

_TOKEN = re.compile(
    r"[ \t\r]+|\\\n|(?<![^\s;|&()])#[^\n]*"
    r"|(?P<redirection>\d*(?:[<>]+&?|&>+)[ \t]*)"
    r"|(?P<operator>&&|\|\||\|&|;;|[;|&()\n])"
    r"""|(?P<word>(?:[^\s;|&()<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")++)""",
    re.DOTALL,
)
_ERROR_SHAPE = re.compile(
    r"^(?!.*\b(?:0|no) errors?\b).*?(?:"
    r"(?:^|[\s:\[(])(?:error|fatal|panic|exception|traceback|segmentation fault)(?:$|[\s:\])(])"
    r"|[a-z]+(?:error|exception):"
    r"|no such file or directory|permission denied|operation not permitted|command not found|no space left)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ending:
    """An exit code as a shell shows it ($?), the signal that ended the command if one did, and the outcome."""

    outcome: Outcome
    exit_code: int | None
    signal: int | None


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
    return any(_ERROR_SHAPE.match(line[:500]) for line in stderr.splitlines())


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


def last_chain(text: str) -> list[list[str]]:
    """The verbs of the last list of commands: pipelines joined by && or ||, each of verbs; empty if unreadable."""
    lists: list[list[list[str]]] = [[[]]]
    words: list[str] = []
    for token in [*tokens(text), ";"]:
        if token not in OPERATORS:
            words.append(token)
            continue
        if found := verb(words):
            lists[-1][-1].append(found)
        words = []
        if token in ("&&", "||"):
            lists[-1].append([])
        elif token not in ("|", "|&"):
            lists.append([[]])
    chains = [[pipeline for pipeline in chain if pipeline] for chain in lists]
    return next((chain for chain in reversed(chains) if chain), [])


def tokens(text: str) -> list[str]:
    """Words, quotes still on them, and operators; empty where the quoting can't be read."""
    found: list[str] = []
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return []
        place = token.end()
        if token.lastgroup:
            found.append(token[0])
    return found


def verb(words: list[str]) -> str:
    """The program of a simple command: assignments and wrappers (with their options and numbers) are skipped."""
    rest = list(words)
    wrapped = False
    while rest:
        word = rest[0].rpartition("/")[2] or rest[0]
        option = wrapped and (word.startswith("-") or word[:1].isdigit())
        if not (option or word in WRAPPERS or re.match(r"[A-Za-z_]\w*\+?=", rest[0])):
            break
        wrapped = True
        rest.pop(0)
    else:
        return ""
    if word in CLOSING:
        return ""
    if word in ("git", "command") and len(rest) > 1:
        return f"{word} {rest[1]}"
    return word
