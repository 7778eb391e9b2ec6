"""A shell command line, read as far as rules need it: which programs it runs, on what, and which files it redirects to.

Pure, and no shell: variables aren't expanded and nothing inside double quotes is run. What can't be read gives nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 4_000  # characters of a command that are looked at
MOST = 40  # programs of a command line

WRAPPERS = frozenset({
    "sudo", "env", "nice", "nohup", "stdbuf", "time", "timeout", "ionice", "setsid", "exec", "builtin", "runuser",
    "doas", "unbuffer", "!", "if", "then", "else", "elif", "do", "while", "until", "{", "(",
})  # fmt: skip
# Options of wrappers that take the next word.
TAKES_WORD = frozenset({
    "sudo -u", "sudo -g", "sudo -h", "sudo -p", "sudo -U", "doas -u", "env -u", "env -C", "timeout -s", "timeout -k",
    "nice -n", "runuser -u", "runuser -g", "exec -a",
})  # fmt: skip
CLOSING = frozenset({"fi", "done", "esac", "}"})
HEADERS = frozenset({"for", "case", "select", "function", "in"})
# The second word of these says what is done.
WITH_SUBCOMMAND = frozenset({
    "git", "command", "npm", "yarn", "pnpm", "pip", "pip3", "cargo", "go", "docker", "podman", "apt-get", "apt", "dnf",
    "yum", "apk", "brew", "conda", "systemctl", "service", "kubectl", "helm", "terraform", "poetry", "uv", "gem",
    "bundle", "rustup", "dotnet", "gh", "ip", "npm run", "pnpm run", "yarn run", "docker compose", "uv pip",
})  # fmt: skip
# A script that these are given is the program that runs.
INTERPRETERS = frozenset(
    {"python", "python3", "bash", "sh", "dash", "zsh", "node", "ruby", "perl", "php", "lua", "source", "."}
)
# `npx jest` is jest, `python -m pytest` is pytest.
LAUNCHERS = frozenset({"npx", "pnpx", "bunx", "uvx", "python -m", "python3 -m", "uv run", "poetry run", "bundle exec"})
NO_PROGRAM = CLOSING | HEADERS
LAUNCHING = INTERPRETERS | LAUNCHERS

# Blanks and comments, then a redirection, an operator, a word, or what can't be read.
_TOKEN = re.compile(
    r"(?:[ \t\r]++|\\\n|(?<![^\s;|&()])#[^\n]*+)*+"
    r"(?:(\d{0,3}(?:[<>]++[&|]?|&>++))[ \t]*+"
    r"|(&&|\|\||\|&|;;|[;|&()\n])"
    r"""|((?:[^\s;|&()<>'"\\]++|\\.|'[^']*+'|"(?:[^"\\]++|\\.)*+")++)"""
    r"|\Z|(.))",
    re.DOTALL,
)
_END = ("", ";", "", "")
_QUOTED = re.compile(r"""'([^']*+)'|"((?:[^"\\]|\\.)*+)"|\\(.)""", re.DOTALL)
_ASSIGNMENT = re.compile(r"\A[A-Za-z_]\w{0,200}\+?=")
_SHELL_C = re.compile(r"\A(?:ba|da|z)?sh -[a-z]{0,5}c")
_CODE = re.compile(r"-[a-z]*+(?<=[cem])")
_HEREDOC = re.compile(r"""<<-?[ \t]*+\\?(['"]?)([A-Za-z_]\w{0,40})\1""")


@dataclass(frozen=True, slots=True)
class Simple:
    """One program with its words. `stem` names it as a person would; `writes` are the files it redirects into."""

    stem: str
    words: tuple[str, ...]  # after wrappers, quotes taken off; the first is the program
    writes: tuple[str, ...] = ()
    piped: bool = False  # reads another's output

    @property
    def operands(self) -> tuple[str, ...]:
        """The words that aren't options, nor part of the stem."""
        taken = self.stem.split()[1:]
        return tuple(w for w in self.words[1:] if w and not w.startswith("-") and w not in taken)


def simple_commands(text: str) -> tuple[Simple, ...]:
    """Every program of a command line, in order; those given to `bash -c` and xargs too."""
    return _programs(text[:LONGEST], 0)


@lru_cache(maxsize=512)
def _programs(text: str, depth: int) -> tuple[Simple, ...]:
    found: list[Simple] = []
    for group in _groups(text)[:MOST]:
        rest, inner = group.rest, ""
        stem = verb(rest) if rest else ""
        if stem in LAUNCHING or stem == "xargs":
            rest = launched(rest)
            stem, inner = verb(rest), _given(rest) if depth < 2 else ""
        if inner:
            found += _programs(inner, depth + 1)
        elif rest or group.writes:
            found.append(Simple(stem, tuple(rest), tuple(group.writes), group.piped))
    return tuple(found)


def last_chain(text: str) -> list[list[str]]:
    """The programs of the last list of commands: pipelines joined by && or ||; empty if there is none or unreadable."""
    lists: list[list[list[str]]] = [[[]]]
    for group in _groups(text):
        if group.rest:
            lists[-1][-1].append(verb(group.rest))
        if group.closed_by in ("&&", "||"):
            lists[-1].append([])
        elif group.closed_by not in ("|", "|&"):
            lists.append([[]])
    chains = [[pipeline for pipeline in chain if pipeline] for chain in lists]
    return next((chain for chain in reversed(chains) if chain), [])


@dataclass(slots=True)
class _Group:
    """The words between two operators."""

    rest: list[str]  # unwrapped; empty for `done`, `for` and the like
    writes: list[str]
    piped: bool
    closed_by: str


def _groups(text: str) -> list[_Group]:
    """The groups of a command line; none where the quoting can't be read."""
    found: list[_Group] = []
    words: list[str] = []
    writes: list[str] = []
    target, piped = "", False
    for redirection, operator, word, unread in (*_TOKEN.findall(without_heredocs(text[:LONGEST])), _END):
        if word and not target:
            words.append(unquoted(word) if "'" in word or '"' in word or "\\" in word else word)
        elif operator:
            rest = unwrapped(words) if words else words
            found.append(_Group([] if rest and rest[0] in NO_PROGRAM else rest, writes, piped, operator))
            words, writes, target, piped = [], [], "", operator in ("|", "|&")
        elif redirection:
            target = redirection
        elif word:
            if ">" in target and target[-1] != "&" and not word.startswith("/dev/"):
                writes.append(unquoted(word))
            target = ""
        elif unread:
            return []
    return found


def _given(rest: list[str]) -> str:
    """The command line that a program was given to run, if it was."""
    if len(rest) > 1 and " -" in rest[0] and _SHELL_C.fullmatch(rest[0]):
        return rest[1]
    if rest and rest[0] == "xargs":
        words = iter(rest[1:])
        for word in words:
            if word in ("-I", "-n", "-P", "-d", "-L", "-s", "-a"):
                next(words, None)
            elif not word.startswith("-"):
                return " ".join([word, *words])
    return ""


def without_heredocs(text: str) -> str:
    """The command line without the text of its here-documents (their `<<WORD` stays)."""
    if "<<" not in text:
        return text
    kept: list[str] = []
    ends: list[str] = []
    for line in text.split("\n"):
        if ends:
            if line.strip() == ends[0]:
                ends.pop(0)
            continue
        kept.append(line)
        ends = [found[2] for found in _HEREDOC.finditer(line) if line[found.start() - 1 : found.start()] != "<"]
    return "\n".join(kept)


def unquoted(word: str) -> str:
    """The word without its quotes; inside double quotes backslashes stay."""
    if (word[:1] == "'" or word[:1] == '"') and word.find(word[0], 1) == len(word) - 1:
        return word[1:-1]
    return _QUOTED.sub(lambda found: found[1] or found[2] or found[3] or "", word)


def unwrapped(words: list[str]) -> list[str]:
    """The words without assignments and wrappers (with their options and numbers) before the program."""
    if words and words[0] not in WRAPPERS and "=" not in words[0] and "/" not in words[0]:
        return words
    rest = list(words)
    wrapper = ""
    while rest:
        word = rest[0].rpartition("/")[2] or rest[0]
        if wrapper and f"{wrapper} {word}" in TAKES_WORD:
            del rest[:2]
        elif (wrapper and (word[:1] == "-" or word[:1].isdigit())) or _ASSIGNMENT.match(rest[0]):
            del rest[0]
        elif word in WRAPPERS:
            wrapper = word
            del rest[0]
        else:
            break
    return rest


def launched(rest: list[str]) -> list[str]:
    """`python -m pytest x` and `npx pytest x` run `pytest x`; `python train.py x` runs `train.py x`."""
    if not rest or (name := verb(rest)) not in LAUNCHING:
        return rest
    skipped = len(name.split())
    for place, word in enumerate(rest[skipped:], start=skipped):
        if word == "-m" and f"{name} -m" in LAUNCHERS:
            return rest[place + 1 :] or rest
        if word[:1] == "-" and _CODE.fullmatch(word):
            return [f"{name} {word}", *rest[place + 1 :]]
        if not word.startswith("-"):
            return rest[place:] if name in INTERPRETERS else launched(rest[place:])
    return rest


def verb(rest: list[str]) -> str:
    """The program's name as a person would say it, with its subcommand if it has such; `rest` isn't empty."""
    name = rest[0].rpartition("/")[2] or rest[0]
    if name not in WITH_SUBCOMMAND:
        return name
    words = iter(rest[1:])
    for word in words:
        if word in ("-C", "-c", "--prefix", "-f", "-n", "-H") and name != "command":
            next(words, None)
        elif name == "command" or not word.startswith("-"):
            name = f"{name} {word}"
            if name not in WITH_SUBCOMMAND:
                return name
    return name
