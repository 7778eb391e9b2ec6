"""From what a server says of its tools to what a model is offered: legal names, short words, sound schemas. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.mcp.configured import Configured
from agent.toolschema import CHOICES, Unfit, sound

NAME = 64  # characters; the longest that providers take
SERVER = 24  # of these for the server
DESCRIPTION = 400  # characters
DEEPEST = 10
ANYTHING = ["string", "number", "boolean", "object"]  # for what has no type

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool of a server as it is offered. `remote` is its name there, `schema` the checked JSON text."""

    name: str
    remote: str
    description: str
    schema: str
    reads: bool


def offers(
    server: Configured, tools: Sequence[Mapping[str, Any]], taken: Container[str]
) -> tuple[tuple[Offer, ...], tuple[tuple[str, str], ...]]:
    """Those of a server's tools that can be offered, and (name, why) of those that can't. `taken` are names that
    others have."""
    good: list[Offer] = []
    bad: list[tuple[str, str]] = []
    for tool in tools:
        remote = tool["name"]
        if not server.offers(remote):
            continue
        try:
            schema = sound(eased(tool["schema"])).text
        except Unfit as error:
            bad.append((remote, str(error)))
            continue
        name = _free(f"{prefix(server.name)}{legal(remote)}", remote, {offer.name for offer in good}, taken)
        reads = server.effect == "read" or (server.effect == "declared" and tool["reads"])
        good.append(Offer(name, remote, described(tool["description"], remote), schema, reads))
    return tuple(good), tuple(bad)


def prefix(server: str) -> str:
    """How the names of a server's tools begin."""
    return f"{legal(server)[:SERVER].strip('_-') or 'server'}_"


def legal(name: str) -> str:
    return _ILLEGAL.sub("_", name).strip("_") or "tool"


def _free(wanted: str, remote: str, own: Container[str], taken: Container[str]) -> str:
    """A name of at most 64 characters that nobody has. It depends on the remote name alone, so that it stays."""
    mark = hashlib.blake2b(remote.encode("utf-8", "replace"), digest_size=3).hexdigest()
    if len(wanted) > NAME or wanted in own or wanted in taken:
        wanted = f"{wanted[: NAME - 7]}_{mark}"
    number = 2
    name = wanted
    while name in own or name in taken:
        name, number = f"{wanted[: NAME - 4]}_{number}", number + 1
    return name


def described(text: str, remote: str) -> str:
    """In one paragraph; where a server says nothing, its own name must do."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if len(plain) > DESCRIPTION:
        plain = f"{plain[: DESCRIPTION - 1].rsplit(' ', 1)[0]}…"
    return plain or remote[:DESCRIPTION]


def eased(schema: object, depth: int = 0) -> Any:
    """What many servers leave out of a schema, put in where it can mean one thing: a type that other keywords give
    away, items of a list, required names that there aren't. Everything else is judged as it is."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return schema
    out = {key: value for key, value in schema.items() if value is not None or key in ("const", "default")}
    _typed(out, top=depth == 0)
    if out.get("type") == "array" and not out.get("items"):
        out["items"] = {"type": "string"}
    for key in ("properties", "$defs", "definitions"):
        if isinstance(out.get(key), dict):
            out[key] = {name: eased(each, depth + 1) for name, each in out[key].items()}
    for key in ("items", "additionalProperties", *CHOICES):
        if isinstance(out.get(key), list):
            out[key] = [eased(each, depth + 1) for each in out[key]]
        elif isinstance(out.get(key), dict):
            out[key] = eased(out[key], depth + 1)
    if isinstance(out.get("required"), list):
        known = out.get("properties")
        out["required"] = [name for name in out["required"] if isinstance(known, dict) and name in list(known)]
    return out


def _typed(out: dict[str, Any], *, top: bool) -> None:
    if "type" in out or any(key in out for key in (*CHOICES, "$ref", "enum", "const")):
        return
    if top or "properties" in out:
        out["type"] = "object"
    else:
        out["type"] = "array" if "items" in out else ANYTHING
