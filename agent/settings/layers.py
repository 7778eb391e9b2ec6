"""Where settings are written down: the environment, config.toml, the usual names of others, and computed defaults."""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from agent.errors import ConfigError
from agent.settings.names import FALLBACKS, PREFIX, dotted, flat, nest

LISTS = frozenset({"access.admins", "access.operators", "access.viewers", "access.chats"})

Values = dict[str, object]  # by dotted name


class Layer(PydanticBaseSettingsSource):
    """One place that settings come from, as a source for pydantic-settings."""

    def __init__(self, tree: type[BaseSettings], values: Mapping[str, object]) -> None:
        super().__init__(tree)
        self._values = values

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return nest(self._values).get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return nest(self._values)


def from_environment(environ: Mapping[str, str]) -> Values:
    """Our own variables. A blank one counts as unset, except for a list of who may talk: there it says nobody."""
    found: Values = {}
    for variable, text in environ.items():
        if variable.startswith(PREFIX) and (text.strip() or dotted(variable) in LISTS):
            found[dotted(variable)] = text.strip()
    return found


def from_others(environ: Mapping[str, str]) -> tuple[Values, dict[str, str]]:
    """Variables that other programs use too, and which variable each setting came from."""
    found = {name: variable for variable, name in FALLBACKS.items() if environ.get(variable, "").strip()}
    return {name: environ[variable].strip() for name, variable in found.items()}, found


def from_file(path: Path, known: frozenset[str]) -> tuple[Values, list[str]]:
    """config.toml and warnings about it. Raises ConfigError where it is there and can't be read."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}, []
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {_place(error)}. Mend it, or move it away.") from None
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}. Mend its permissions, or move it away.") from None
    loose = f"{path} can be read by other users (mode {mode:04o}); it may hold secrets: chmod 600 it."
    return dict(flat(table, known)), [loose] if mode & 0o077 else []


def _place(error: ValueError) -> str:
    """What a parser complained about, without quoting the text, which may be a secret."""
    text = str(error)
    line = text[text.rfind("(at ") :] if "(at " in text else ""
    return f"{'it is not UTF-8' if isinstance(error, UnicodeDecodeError) else 'a mistake'} {line}".strip()
