"""The bytes of a chat-completions request: only fields that every server knows, the same bytes for the same tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from agent.models.unicode import mend
from agent.ports import Message
from agent.steps import ToolSpec


def body_of(model: str, messages: Sequence[Message], tools: Sequence[ToolSpec], usage: bool) -> bytes:
    """Encode a request; `usage` asks for a usage chunk at the end of the stream. Raises ValueError where a tool's
    parameters are no JSON, TypeError where a message holds something that JSON can't."""
    fields = [f'"model":{_json(model)}']
    if tools:
        fields.append(f'"tools":{_tools(tuple(tools))}')
    fields.append(f'"messages":{_json(list(messages))}')
    fields.append('"stream":true')
    if usage:
        fields.append('"stream_options":{"include_usage":true}')
    body = "{" + ",".join(fields) + "}"
    try:
        return body.encode()
    except UnicodeEncodeError:  # a lone surrogate, which no JSON parser has to take
        return mend(body).encode()


def call_ids(messages: Sequence[Message]) -> frozenset[str]:
    """The ids of all calls in a request."""
    return frozenset(
        call["id"]
        for message in messages
        for call in message.get("tool_calls") or ()
        if isinstance(call.get("id"), str)
    )


@lru_cache(maxsize=64)
def _tools(specs: tuple[ToolSpec, ...]) -> str:
    return _json(
        [
            {
                "type": "function",
                "function": {
                    "name": spec.name,
                    "description": spec.description,
                    "parameters": json.loads(spec.parameters),
                },
            }
            for spec in specs
        ]
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
