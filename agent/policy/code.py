"""Interpreters, shells and build tools: what runs a file runs whatever is in it."""

from __future__ import annotations

from dataclasses import dataclass

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads, unclear
from agent.policy.marks import is_known
from agent.policy.options import Takes, parse
from agent.policy.script import Simple

_STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash")


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """`inline` are options whose value is code, or that make code of what follows."""

    takes: Takes
    inline: tuple[str, ...]


_INTERPRETERS = {
    "python": _Interpreter(Takes("cmWXQ", ("check-hash-based-pycs",)), ("c",)),
    "pypy": _Interpreter(Takes("cmWX"), ("c",)),
    "perl": _Interpreter(Takes("eEIMmFC"), ("e", "E", "M", "m", "n", "p", "i")),
    "ruby": _Interpreter(Takes("eIrCEFKTW"), ("e", "r", "n", "p", "i")),
    "node": _Interpreter(Takes("epr", ("eval", "print", "require", "import", "loader")),
                         ("e", "p", "eval", "print", "r", "require", "import", "loader")),
    "nodejs": _Interpreter(Takes("epr", ("eval", "print", "require")), ("e", "p", "eval", "print", "r", "require")),
    "php": _Interpreter(Takes("rBREfdcSt", ("run",)), ("r", "B", "R", "E", "run", "d")),
    "lua": _Interpreter(Takes("el"), ("e", "l")),
    "luajit": _Interpreter(Takes("el"), ("e", "l")),
    "tclsh": _Interpreter(Takes(), ()),
    "Rscript": _Interpreter(Takes("e"), ("e",)),
    "osascript": _Interpreter(Takes("el"), ("e",)),
    "java": _Interpreter(Takes("", ("class-path", "classpath", "module-path")), ()),
    "julia": _Interpreter(Takes("eEL", ("eval", "print", "load")), ("e", "E", "eval", "print", "L", "load")),
    "elixir": _Interpreter(Takes("er", ("eval",)), ("e", "eval", "r")),
    "guile": _Interpreter(Takes("cl"), ("c", "l")),
}  # fmt: skip


def interpreter(simple: Simple, name: str) -> Effects:
    """python, perl, node ...: a file, code in the command line, or code on standard input."""
    kind = _INTERPRETERS[name]
    line = parse(simple.words[1:], kind.takes, stop=True)
    if line.has(*kind.inline):
        return Effects((changes(Act.INLINE_CODE, name, once=True),))
    if line.operands[:1] and line.operands[0] != "-":
        return Effects((changes(Act.RUNS_PROGRAM, name),), scripts=line.operands[:1])
    if line.has("V", "version", "v", "h", "help") and not line.operands:
        return Effects((reads(),))
    if simple.fed is not None or line.operands[:1] == ("-",):
        return Effects((changes(Act.CODE_ON_INPUT, name, once=True),))
    # With nothing to read it ends at once, unless an option names code: `node --test` runs what it finds.
    return Effects((changes(Act.RUNS_PROGRAM, name) if line.options else reads(),))


def python(simple: Simple) -> Effects:
    """python, and its modules that are commands of their own."""
    line = parse(simple.words[1:], _INTERPRETERS["python"].takes, stop=True)
    module = next((value for option, value in line.options if option == "m"), None)
    if module is None:
        return interpreter(simple, "python")
    words = simple.words
    rest = next((words[at + 1 :] for at, word in enumerate(words) if word.endswith(module) and at), ())
    if module in ("pip", "pipx", "uv", "poetry", "pdm", "hatch", "conda"):
        return Effects((changes(Act.RUNS_PROGRAM, module),), runs=((module, *rest),))
    if module in ("http.server", "SimpleHTTPServer", "smtpd", "pydoc", "ftplib", "telnetlib"):
        return Effects((leaves(Act.NETWORK, f"python -m {module}"),))
    if module in ("venv", "virtualenv", "compileall", "zipapp"):
        return Effects((changes(Act.CHANGES_FILES_WITH, f"python -m {module}"),), tuple(rest[-1:]))
    known = is_known(module)
    return Effects((changes(Act.RUNS_PROGRAM, f"python -m {module}"),)) if known else unclear(Act.UNCLEAR, "python -m")


def shell(simple: Simple) -> Effects:
    """sh, bash and their like: text in the command line, on standard input, or in a file."""
    name = simple.words[0].rpartition("/")[2]
    line = parse(_without_plus(simple.words[1:]), Takes("oO", ("rcfile", "init-file")), stop=True)
    if line.has("rcfile", "init-file", "i"):
        return Effects((leaves(Act.STARTUP_FILES, name, once=True),), scripts=tuple(line.values("rcfile", "init-file")))
    if line.has("version", "help"):
        return Effects((reads(),))
    if line.has("c"):
        return _text(name, line.operands[0] if line.operands else None)
    if line.operands and not line.has("s") and line.operands[0] not in _STDIN:
        return Effects((changes(Act.RUNS_SCRIPT, name),), scripts=line.operands[:1])
    if simple.fed is None:
        return Effects((reads(),))
    return _text(name, simple.fed)


def _text(name: str, text: str | None) -> Effects:
    if text is None or not is_known(text):
        return unclear(Act.FILLED_BY_SHELL, name)
    open_ended = any(char in text for char in "$`")
    return Effects((changes(Act.RUNS_TEXT, name, once=True) if open_ended else reads(),), texts=(text,))


def _without_plus(words: tuple[str, ...]) -> tuple[str, ...]:
    """`+x` is an option of a shell, too."""
    return tuple(f"-{word[1:]}" if len(word) > 1 and word.startswith("+") else word for word in words)


def source(simple: Simple) -> Effects:
    """`source` and `.`: a script in this very shell."""
    if len(simple.words) < 2 or not is_known(simple.words[1]):
        return unclear(Act.FILLED_BY_SHELL, "source")
    return Effects((changes(Act.RUNS_SCRIPT, "source"),), scripts=simple.words[1:2])


def make(simple: Simple) -> Effects:
    """make: the commands stand in its file; a variable such as SHELL changes what they mean."""
    names = ("directory", "file", "makefile", "include-dir", "eval", "jobs", "old-file", "new-file", "assume-new")
    line = parse(simple.words[1:], Takes("CfIEoW", names))
    assigned = tuple(_pair(word) for word in line.operands if "=" in word)
    if line.has("E", "eval"):
        return unclear(Act.UNCLEAR, "make --eval")
    inside = next(line.values("C", "directory"), None)
    files = tuple(line.values("f", "file", "makefile")) or ("Makefile", "makefile", "GNUmakefile")
    if inside is not None:
        files = tuple(f"{inside}/{file}" for file in files)
    writes = (inside,) if inside is not None else ()
    return Effects((changes(Act.BUILDS, "make"),), writes, scripts=files, assigned=assigned)


def _pair(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    return name.rstrip(":+?!"), value


def _by_name(name: str) -> Rule:
    return lambda simple: interpreter(simple, name)


RULES: dict[str, Rule] = {
    **{name: _by_name(name) for name in _INTERPRETERS},
    **dict.fromkeys(_SHELLS, shell),
    "python": python,
    "source": source,
    ".": source,
    **dict.fromkeys(("make", "gmake"), make),
}
