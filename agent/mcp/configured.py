"""The MCP servers of the settings, each checked by itself: a bad entry is told and costs no other. Pure.

`{"NAME": {"command": ..., "args": [...], "env": {...}, "cwd": ...}}` or `{"NAME": {"url": ..., "headers": {...}}}`,
each with "effect" (write: every call is asked for, the default; declared: what the server marks as read-only runs;
read: all of it runs), "tools" (name patterns of those to offer), "trusted" (its words taint no run) and "disabled".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

KNOWN = ("command", "args", "env", "cwd", "url", "headers", "effect", "tools", "trusted", "disabled")
IGNORED = ("type", "transport", "description")  # of other programs' files
EFFECTS = ("write", "declared", "read")
MOST = 32  # servers


@dataclass(frozen=True, slots=True)
class Configured:
    """One server. `given` is how it is reached; it holds keys, so it isn't shown."""

    name: str
    given: Mapping[str, Any]
    effect: str = "write"
    patterns: tuple[str, ...] = ("*",)
    trusted: bool = False

    def __repr__(self) -> str:
        return f"Configured({self.name!r}, {self.effect!r})"

    @property
    def where(self) -> str:
        """What a person knows it by: its command or its address, without keys."""
        return str(self.given.get("command") or str(self.given.get("url", "")).split("?")[0])

    def offers(self, tool: str) -> bool:
        return any(fnmatchcase(tool, pattern) for pattern in self.patterns)


def configured(servers: Mapping[str, object]) -> tuple[tuple[Configured, ...], tuple[tuple[str, str], ...]]:
    """The servers that can be tried, and (name, why) of entries that can't."""
    good: list[Configured] = []
    bad: list[tuple[str, str]] = []
    for name, raw in servers.items():
        why = _why_not(name, raw) or (f"there are more than {MOST} servers" if len(good) >= MOST else "")
        if why:
            bad.append((name, why))
        elif isinstance(raw, dict) and raw.get("disabled") is not True:
            given = {key: raw[key] for key in KNOWN[:6] if key in raw}
            patterns = tuple(raw.get("tools", ("*",)))
            good.append(Configured(name, given, raw.get("effect", "write"), patterns, raw.get("trusted") is True))
    return tuple(good), tuple(bad)


def _why_not(name: str, raw: object) -> str:
    """Why an entry is no server; "" if it may be one."""
    if not isinstance(raw, dict):
        return 'its entry must be an object with "command" or "url"'
    if not name.strip() or len(name) > 64:
        return "its name must have 1 to 64 characters"
    if unknown := [key for key in raw if key not in (*KNOWN, *IGNORED)]:
        near = get_close_matches(str(unknown[0])[:40], KNOWN, 1)
        return f"there is no setting {unknown[0][:40]!r}{f', did you mean {near[0]}?' if near else ''}"
    if ("command" in raw) == ("url" in raw):
        return 'it needs either "command" or "url"'
    if raw.get("effect", "write") not in EFFECTS:
        return f'its "effect" must be one of {", ".join(EFFECTS)}'
    for keys, fits, shape in _SHAPES:
        if wrong := [key for key in keys if key in raw and not fits(raw[key])]:
            return f'its "{wrong[0]}" must be {shape}'
    if "url" in raw and not raw["url"].startswith(("http://", "https://")):
        return 'its "url" must begin with http:// or https://'
    return ""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) and "\0" not in each for each in value)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and _are_texts(list(value.values())) and all(map(_is_text, value))


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_SHAPES: tuple[tuple[tuple[str, ...], Callable[[object], bool], str], ...] = (
    (("command", "url", "cwd"), _is_text, "a text"),
    (("args", "tools"), _are_texts, "a list of texts"),
    (("env", "headers"), _is_table, "an object of texts"),
    (("trusted", "disabled"), _is_flag, "true or false"),
)
