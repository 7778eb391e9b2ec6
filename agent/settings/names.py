"""The names of settings: dotted in the program (run.turns), sections in config.toml, JARVIS_RUN__TURNS outside."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel

PREFIX = "JARVIS_"
FALLBACKS = {
    "TELEGRAM_BOT_TOKEN": "telegram.token",
    "OPENAI_API_KEY": "model.api_key",
    "OPENAI_BASE_URL": "model.base_url",
}
SECRET = frozenset(
    {"telegram.token", "telegram.webhook_secret", "model.api_key", "store.url", "tools.mcp", "tools.search_key"}
)
PATHS = frozenset({"home", "run.workspace", "run.prompt_file"})

# Junk here is never replaced by a default: a default could let in a stranger, leave the chosen place, or send
# prompts and keys to an address that nobody asked for.
_GUARDING = re.compile(
    r"home|telegram(\..*)?|access(\..*)?|run|run\.(mode|workspace|workspace_per_chat)|store(\..*)?"
    r"|model|model\.(base_url|api_key)"
)


def env_name(name: str) -> str:
    """run.turns -> JARVIS_RUN__TURNS"""
    return PREFIX + name.replace(".", "__").upper()


def dotted(variable: str) -> str:
    """JARVIS_RUN__TURNS -> run.turns"""
    return variable.removeprefix(PREFIX).replace("__", ".").lower()


def secret_variables() -> tuple[str, ...]:
    """The names in the environment that may carry a secret of ours."""
    return (*(env_name(name) for name in sorted(SECRET)), *(v for v, name in FALLBACKS.items() if name in SECRET))


def guards_access(name: str) -> bool:
    """Whether junk in this setting or section must keep the program from starting."""
    return _GUARDING.fullmatch(name) is not None


def leaves(tree: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """All dotted names of a tree of settings, in its order."""
    for key, field in tree.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from leaves(field.annotation, f"{prefix}{key}.")
        else:
            yield prefix + key


def flat(nested: Mapping[str, object], known: frozenset[str], prefix: str = "") -> Iterator[tuple[str, object]]:
    """(dotted name, value) of nested tables. A known name is a leaf even if its value is a table itself."""
    for key, value in nested.items():
        name = prefix + key.lower()
        if isinstance(value, Mapping) and name not in known:
            yield from flat(value, known, f"{name}.")
        else:
            yield name, value


def nest(values: Mapping[str, object]) -> dict[str, object]:
    """The inverse of `flat`."""
    out: dict[str, object] = {}
    for name, value in values.items():
        *path, last = name.split(".")
        table = out
        for key in path:
            inner = table.setdefault(key, {})
            table = inner if isinstance(inner, dict) else table
        table[last] = value
    return out


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, or "": one with the same last part, else one that looks like it."""
    names = list(known)
    same = [k for k in names if k.rpartition(".")[2] == name.rpartition(".")[2]]
    return next(iter(difflib.get_close_matches(name, same or names, n=1, cutoff=0.0 if same else 0.6)), "")
