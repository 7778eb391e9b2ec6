"""A model port that refuses tools: by the rules of the strictest providers, or those it is told to; in many words."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.models.complaint import complaint_of
from agent.models.refusal import as_refusal
from agent.models.request import body_of
from agent.models.verdict import judge
from agent.ports import Delta, Message
from agent.steps import Failed, Said, ToolSpec
from tests.fakes.model.validate import Invalid, validate

KEYWORDS = {"type", "description", "enum", "items", "properties", "required", "anyOf"}
TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
NAME = "test-model"


def strict(tools: Sequence[Any], messages: Sequence[Any] = ({"role": "user", "content": "x"},)) -> None:
    """Raises Invalid for what any provider that we know of refuses in a request's tools."""
    validate({"model": NAME, "messages": list(messages), **({"tools": list(tools)} if tools else {})})
    for tool in tools:
        function = tool["function"]
        if len(function.get("description", "")) > 1024:
            raise Invalid(f"Invalid schema for function '{function['name']}': description is too long", "tools")
        _schema(function["parameters"], function["name"], top=True)


def _schema(schema: Any, name: str, top: bool = False) -> None:
    if not isinstance(schema, dict):
        raise _refuse(name, "a schema must be an object")
    faults = {
        "unsupported keyword": set(schema) <= KEYWORDS,
        "unknown type": schema.get("type", "string") in TYPES,
        "a type is missing": "type" in schema or "anyOf" in schema,
        "must be of type object": not top or (schema.get("type") == "object" and not {"anyOf", "enum"} & set(schema)),
        "bad enum": _fine_enum(schema.get("enum", [1])),
        "required names an unknown property": set(schema.get("required", ())) <= set(schema.get("properties", ())),
        "an object without properties": schema.get("type") != "object" or isinstance(schema.get("properties"), dict),
        "array schema missing items": schema.get("type") != "array" or "items" in schema,
    }
    if why := next((why for why, fine in faults.items() if not fine), ""):
        raise _refuse(name, why)
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for each in [*inner, *([schema["items"]] if "items" in schema else [])]:
        _schema(each, name)


def _fine_enum(values: Any) -> bool:
    return bool(values) and not any(isinstance(value, dict | list) or value is None for value in values)


def _refuse(name: str, why: str) -> Invalid:
    return Invalid(f"Invalid schema for function '{name}': {why}", "tools", "invalid_function_parameters")


# How providers say it: (status, error object) of the refused tool at a place of the list.
Manner = Callable[[str, int], tuple[int, dict[str, Any]]]
MANNERS: dict[str, Manner] = {
    "name": lambda name, at: (400, {"message": f"Invalid schema for function '{name}': no.", "param": "tools"}),
    "param": lambda name, at: (400, {"message": "Invalid schema.", "param": f"tools[{at}].function.parameters"}),
    "place": lambda name, at: (400, {"message": f"tools.{at}.custom.input_schema: JSON schema is invalid"}),
    "gemini": lambda name, at: (
        400,
        {"message": f"* GenerateContentRequest.tools[0].function_declarations[{at}].parameters: bad", "status": "X"},
    ),
    "tools": lambda name, at: (400, {"message": "One of the tools is invalid."}),
    "nothing": lambda name, at: (400, {"message": "Provider returned error"}),
    "empty": lambda name, at: (422, {}),
}


@dataclass(slots=True)
class Refusing:
    """Implements agent.ports.Model. It refuses the tools of these names in the given manner, and whatever `strict`
    refuses; with `moody`, any request at that rate whatever is in it. Else it says the next of `lines`, at last "done".

    `requests` are the names of the tools of each request; of those that were refused in `refused`."""

    bad: set[str] = field(default_factory=set)
    bad_later: set[str] = field(default_factory=set)  # once the last of `lines` was said
    manner: Callable[[], str] = lambda: "name"
    lines: list[Said] = field(default_factory=list)
    moody: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    name: str = NAME
    requests: list[tuple[str, ...]] = field(default_factory=list)
    refused: list[tuple[str, ...]] = field(default_factory=list)
    real: list[tuple[tuple[ToolSpec, ...], list[Message]]] = field(default_factory=list)

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        names = tuple(tool.name for tool in tools)
        self.requests.append(names)
        if (refusal := self._refusal(messages, tools)) is not None:
            self.refused.append(names)
            status, error = refusal
            fault = as_refusal(judge(complaint_of(status, {"error": error}, {}, 0.0), NAME), names, NAME)
            yield Failed(
                at=0.0, trouble=fault.trouble, text=fault.text, status=status, model=NAME,
                tools=fault.tools, suspects=fault.suspects,
            )  # fmt: skip
            return
        trial = len(messages) == 1
        if not trial:
            self.real.append((tuple(tools), list(messages)))
        yield Delta("ok")
        line = self.lines.pop(0) if self.lines and not trial else Said(at=0.0, text="done", model=NAME)
        if not (self.lines or trial):
            self.bad |= self.bad_later
        yield line

    def _refusal(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> tuple[int, dict[str, Any]] | None:
        if self.moody and self.chance.random() < self.moody:
            return MANNERS[self.manner()](tools[0].name if tools else "", 0)
        for at, tool in enumerate(tools):
            if tool.name in self.bad:
                return MANNERS[self.manner()](tool.name, at)
        body = json.loads(body_of(NAME, messages, tools, usage=False))
        try:
            strict(body.get("tools", []), messages)
        except Invalid as error:
            return 400, {"message": str(error), "param": error.param, "code": error.code}
        return None
