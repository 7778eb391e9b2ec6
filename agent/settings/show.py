"""The tree of settings as `jarvis settings` prints it, laid out like config.toml; secrets only as set or unset."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from agent.settings.load import Loaded
from agent.settings.names import SECRET

HEAD = (
    "# Settings: environment over config.toml over default. [run] turns is JARVIS_RUN__TURNS in the environment.\n"
    "# The last column says where the value came from."
)


def render(loaded: Loaded) -> str:
    """The whole tree, one line a setting: name, value, source."""
    lines, section = [HEAD], ""
    for name, source in _in_order(loaded.sources):
        head, _, key = name.rpartition(".")
        if head != section:
            section = head
            lines += ["", f"[{section}]"]
        value = _value(loaded.settings, name)
        lines.append(f"{key:<21} = {value:<40}  # {source}")
    return "\n".join(lines) + "\n"


def _in_order(sources: Mapping[str, str]) -> list[tuple[str, str]]:
    """As the tree has them, but what stands outside of sections first, and each section in one piece."""
    heads = list(dict.fromkeys(name.rpartition(".")[0] for name in sources))
    return sorted(sources.items(), key=lambda item: heads.index(item[0].rpartition(".")[0]))


def _value(settings: BaseModel, name: str) -> str:
    value: object = settings
    for part in name.split("."):
        value = getattr(value, part)
    if name in SECRET:
        return "set (hidden)" if _is_set(value) else "unset"
    return _toml(value)


def _is_set(value: object) -> bool:
    hidden = getattr(value, "get_secret_value", None)
    return bool(hidden() if hidden else value)


def _toml(value: object) -> str:
    match value:
        case None | "":
            return "unset"
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:g}"
        case int():
            return str(value)
        case str() | Path():
            return json.dumps(re.sub(r"//[^/@\s]*@", "//***@", str(value)), ensure_ascii=not str(value).isprintable())
        case tuple():
            return f"[{', '.join(_toml(item) for item in value)}]"
    return json.dumps(value)
