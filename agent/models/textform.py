"""A request for a model that has no tool calls of its own: the tools in words, calls and results as text. Pure.

The form is that of Hermes and Qwen, which most open models have seen. The same request gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from agent.fitting import short
from agent.ports import Message
from agent.steps import ToolSpec

RESULT = "tool_response"
_SECTION = """

Tools
To use a tool, end your reply with one call or more, each exactly like this, and write nothing after them:
<tool_call>
{"name": "NAME", "arguments": {"FIELD": "VALUE"}}
</tool_call>
The results come with the next message. A reply without a call is your answer to the user. The tools (? = optional):
"""


def spoken(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """The same conversation without tool calls and the role of their results; user and assistant take turns."""
    out: list[Message] = []
    for message in messages:
        said = _said(message)
        if message["role"] == "system" and tools and not out:
            said = {**said, "content": said["content"] + section(tuple(tools))}
        if out and said["role"] == out[-1]["role"] != "system":
            out[-1] = {"role": said["role"], "content": f"{out[-1]['content']}\n\n{said['content']}"}
        else:
            out.append(said)
    return out


@lru_cache(maxsize=64)
def section(tools: tuple[ToolSpec, ...]) -> str:
    """What the system prompt says of the tools and of how to call them."""
    return _SECTION + "\n".join(_tool(tool) for tool in tools)


def _tool(tool: ToolSpec) -> str:
    schema = json.loads(tool.parameters)
    notes = [f"  {name}: {text}" for name, each in schema.get("properties", {}).items() if (text := _note(each))]
    return "\n".join([f"- {short(tool.name, {'properties': {}, **schema})}: {tool.description}", *notes])


def _note(schema: Any) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return text if isinstance(text, str) else ""


def _said(message: Message) -> Message:
    match message:
        case {"role": "tool", "content": str(content)}:
            # What a command prints must not close its own result and speak for the user.
            inside = content.replace(f"</{RESULT}", f"<\\/{RESULT}")
            return {"role": "user", "content": f"<{RESULT}>\n{inside}\n</{RESULT}>"}
        case {"role": "assistant", "tool_calls": list(calls)}:
            parts = [message["content"]] if message.get("content") else []
            return {"role": "assistant", "content": "\n".join(parts + [_call(each["function"]) for each in calls])}
        case _:
            return message


def _call(function: dict[str, str]) -> str:
    return (
        f'<tool_call>\n{{"name": {json.dumps(function["name"])}, "arguments": {function["arguments"]}}}\n</tool_call>'
    )
