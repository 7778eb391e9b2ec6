"""What to do about a value that can't be used: refuse where it guards access, else take the default and warn."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agent.errors import ConfigError
from agent.settings.kinds import shown
from agent.settings.names import SECRET, env_name, guards_access

_NUMBER = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of that size",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_parsing": "on or off",
    "bool_type": "on or off",
    "string_type": "text",
    "path_type": "a path",
}
_BOUND = {"greater_than": "more than {gt}", "greater_than_equal": "at least {ge}", "less_than_equal": "at most {le}"}


def sort_out(error: ValidationError, given: Collection[str]) -> dict[str, str]:
    """The settings to leave at their defaults, and a warning for each. Raises ConfigError if one guards access."""
    junk: dict[str, str] = {}
    refused: list[str] = []
    for detail in error.errors(include_url=False):
        name = _setting(detail, given)
        says = f"{env_name(name)} {_complaint(detail, secret=name in SECRET)}"
        if guards_access(name):
            refused.append(f"{says}.")
        junk[name] = f"{says}; the default is used."
    if refused:
        raise ConfigError(" ".join(dict.fromkeys(refused))) from None
    return junk


def _setting(detail: ErrorDetails, given: Collection[str]) -> str:
    """The setting or section that the complaint is about: its place may lead deeper, into a table."""
    path = [str(part) for part in detail["loc"]]
    for end in range(len(path), 0, -1):
        name = ".".join(path[:end])
        if name in given:
            return name
    return ".".join(path)


def _complaint(detail: ErrorDetails, secret: bool) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    value = "its value" if secret else shown(detail["input"])
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"must be {context['expected'].replace(chr(39), '')}; {value} is not"
    if kind in _NUMBER:
        return f"must be {_NUMBER[kind]}; {value} is not"
    if kind in _BOUND:
        return f"must be {_BOUND[kind].format(**context)}; {value} is not"
    return "can't be used as it is" if secret else f"can't be used: {detail['msg'].lower()}"


def without(values: Mapping[str, object], junk: Collection[str]) -> dict[str, object]:
    """The values whose settings aren't junk, nor inside a section that is."""
    return {k: v for k, v in values.items() if not any(k == j or k.startswith(f"{j}.") for j in junk)}
