"""Judges a shell script: each of its commands by the rule for its program, with all that the command starts."""

from __future__ import annotations

import re
from dataclasses import replace

from agent.acts import Act
from agent.policy import awk, code, finding, git, leavers, readers, sed, subcommands, variables, wrappers, writers
from agent.policy.effects import Effects, Rule, changes, unclear
from agent.policy.marks import MARKS, UNKNOWN, is_known, joined
from agent.policy.names import names
from agent.policy.notes import Notes
from agent.policy.paths import resolved
from agent.policy.reading import read
from agent.policy.script import Simple, set_by

DEEPEST = 8  # commands within commands
MOST_SPELLED = 500  # words of a text that can't be parsed

# A name in two tables: the later table knows more of it.
RULES: dict[str, Rule] = {
    **leavers.RULES,
    **readers.RULES,
    **writers.RULES,
    **subcommands.RULES,
    **code.RULES,
    **wrappers.RULES,
    **git.RULES,
    **finding.RULES,
    **sed.RULES,
    **awk.RULES,
}
_SEPARATORS = re.compile(r"[\s;|&()<>\"'`]+")
_VERSION = re.compile(r"-?[0-9]+(?:\.[0-9]+){0,3}\Z")
_SYSTEM = ("/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/snap/bin")
_MULTI_CALL = names("busybox toybox coreutils")
_NO_PATHS = names("echo printf true false : sleep seq kill expr exit return break continue shift wait set [[ let yes")
_USES_KEYS = names("ssh ssh-add ssh-keygen ssh-copy-id kubectl helm scp sftp")
_OUTPUTS = re.compile(r"--(?:out[a-z-]*|prefix|dest[a-z-]*|target-dir|report[a-z-]*)(?:=(.*))?\Z", re.DOTALL)
# Programs of everyday work whose first operand is not a command.
_TOOLS = names(
    "pytest tox nox mypy ruff black isort flake8 pylint bandit coverage sphinx-build mkdocs pre-commit eslint "
    "prettier tsc jest vitest mocha webpack vite rollup esbuild gcc g++ cc c++ clang clang++ ld as rustc javac "
    "cmake ctest ninja meson autoconf automake configure gofmt gopls rustfmt clang-format clang-tidy mvn gradle ant "
    "sbt lein mix rake rspec rubocop phpunit protoc pandoc convert magick ffmpeg dot pdflatex xelatex "
    "latexmk cython gpg"
)


def script(text: str, cwds: tuple[str, ...], notes: Notes, depth: int = 0) -> None:
    """Note what a script would do when it is started in one of these folders."""
    if depth > DEEPEST:
        notes.findings += unclear(Act.WITHIN).findings
        return
    found = read(text, cwds, notes.scene.home)
    notes.findings += found.findings
    notes.functions |= found.functions
    if not found.parsed:  # then at least what is spelled plainly counts
        spelled = [word for word in _SEPARATORS.split(text) if "/" in word or word.startswith((".", "~"))]
        for word in (text, *spelled[:MOST_SPELLED]):
            notes.touch(word, cwds, ask=False)
    for simple in found.commands:
        command(simple, notes, depth)


def command(simple: Simple, notes: Notes, depth: int) -> None:
    """Note what one command would do."""
    if depth > DEEPEST:
        notes.findings += unclear(Act.WITHIN).findings
        return
    for name, value in simple.assigned:
        if name == "IFS" and set_by(simple.words):  # only for what `read` splits
            continue
        if found := variables.assigned(name, value):
            notes.findings.append(found)
        notes.touch(value, simple.cwds, ask=False)
    for name in set_by(simple.words):
        if found := variables.assigned(name, ""):
            notes.findings.append(found)
    for target in simple.writes:
        notes.write(target, simple.cwds)
    for source in simple.reads:
        notes.touch(source, simple.cwds)
    if simple.words:
        _program(simple, notes, depth)


def _program(simple: Simple, notes: Notes, depth: int) -> None:
    word = simple.words[0]
    notes.argv.append(simple.words)
    if simple.dynamic or not is_known(word):
        notes.findings += unclear(Act.FILLED_COMMAND).findings
    name = canonical(word)
    _screen(name, simple, notes)
    for known in (name, *_aliases(word, notes)):
        if rule := RULES.get(known):
            _apply(rule(replace(simple, words=(known, *simple.words[1:]))), simple, notes, depth)
    if "/" in word and not _is_system(word, simple, notes):
        notes.findings.append(changes(Act.RUNS_PROGRAM, word.rpartition("/")[2]))
        notes.execute(word, simple.cwds)
    elif name not in RULES and word not in notes.functions:  # a function's body is judged where it stands
        _apply(_unknown(simple), simple, notes, depth)


def canonical(word: str) -> str:
    """The name by which a program has its rule: without its folder and version."""
    name = word.rpartition("/")[2]
    return name if name in RULES else _VERSION.sub("", name)


def _aliases(word: str, notes: Notes) -> list[str]:
    """The name of what a path or an unknown name leads to."""
    world = notes.scene.world
    if "/" in word or canonical(word) not in RULES:
        notes.executables[word] = None
    real = world.executables.get(word) if world is not None else None
    name = canonical(real) if real else ""
    return [name] if name and name != canonical(word) and name not in _MULTI_CALL else []


def _is_system(word: str, simple: Simple, notes: Notes) -> bool:
    """Whether a program's path is one of the system's, from every folder."""
    paths = list(resolved(word, simple.cwds, notes.scene))
    return canonical(word) in RULES and all(path.rpartition("/")[0] in _SYSTEM for path in paths)


def _screen(name: str, simple: Simple, notes: Notes) -> None:
    """Every word may be a path that nobody may touch."""
    names_only = name in readers.METADATA or name in _USES_KEYS
    tool = name in subcommands.TOOLS or name in leavers.RULES or name in ("git", "make")
    for word in simple.words[1:]:
        ask = name not in _NO_PATHS and (not tool or "/" in word)
        notes.touch(word, simple.cwds, names_only=names_only, ask=ask)


def _unknown(simple: Simple) -> Effects:
    """A program without a rule: the sandbox bounds it; what it is told to write, and a command in its words, count."""
    name, words = simple.words[0].rpartition("/")[2], simple.words
    writes: list[str] = []
    for at, word in enumerate(words):
        found = _OUTPUTS.match(word)
        if word == "-o" or (found and found[1] is None):
            writes += words[at + 1 : at + 2]
        elif word.startswith("-o") and "/" in word:
            writes.append(word[2:])
        elif found:
            writes.append(found[1])
    first = next((at for at, word in enumerate(words) if at and not word.startswith("-") and "=" not in word), None)
    hidden = first is not None and canonical(name) not in _TOOLS and canonical(words[first]) in RULES
    runs = (words[first:],) if hidden and first is not None else ()
    return Effects((changes(Act.RUNS_PROGRAM, name),), tuple(writes), runs=runs)


def _apply(effects: Effects, simple: Simple, notes: Notes, depth: int) -> None:
    notes.findings += effects.findings
    for name, value in effects.assigned:
        if found := variables.assigned(name, value):
            notes.findings.append(found)
    cwds = simple.cwds
    for word in effects.writes:
        notes.write(word, cwds)
    for word in effects.deep:
        notes.take_all(word, cwds)
    for word in effects.scripts:
        notes.execute(word, cwds)
    if effects.cwd is not None:
        cwds = tuple(joined(cwd, effects.cwd) if MARKS.isdisjoint(effects.cwd) else "/" + UNKNOWN for cwd in cwds)
    for words in effects.runs:
        command(Simple(words, fed=simple.fed, cwds=cwds, dynamic=not is_known(words[0])), notes, depth + 1)
    for text in effects.texts:
        script(text, cwds, notes, depth + 1)
