"""What a strict OpenAI-compatible provider refuses in a chat completion request, in its words.

`validate` raises for what every provider refuses, and returns remarks for what only some do.
"""

from __future__ import annotations

import json
import re
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ROLES = ("system", "developer", "user", "assistant", "tool")
PARTS = {"user": {"text", "image_url", "input_audio", "file"}, "assistant": {"text", "refusal"}}
KNOWN = frozenset(
    """model messages tools tool_choice parallel_tool_calls stream stream_options temperature top_p max_tokens
    max_completion_tokens n stop presence_penalty frequency_penalty seed response_format reasoning_effort user
    prompt_cache_key""".split()  # noqa: SIM905
)
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)
Json = Any


class Invalid(Exception):
    """The request would be refused with 400. `code` as in the provider's error object."""

    def __init__(self, message: str, param: str, code: str | None = None) -> None:
        super().__init__(message)
        self.param, self.code = param, code


def text_of(content: Json) -> str:
    """The text of a message's content, be it a string or parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def validate(body: Json, max_chars: int | None = None) -> list[str]:
    """Remarks on a request that is accepted. Raises Invalid; `max_chars` is the context in characters."""
    if not isinstance(body, dict):
        raise Invalid("We could not parse the JSON body of your request.", "")
    _settings(body)
    _tools(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Invalid("[] is too short - 'messages'", "messages")
    history = _History()
    for index, message in enumerate(messages):
        history.take(f"messages.[{index}]", message, first=index == 0)
    history.end()
    size = len(json.dumps(body.get("tools") or "")) + history.size
    if max_chars and size > max_chars:
        words = f"This model's maximum context length is {max_chars // 4} tokens. However, your messages resulted in "
        raise Invalid(f"{words}{size // 4} tokens.", "messages", "context_length_exceeded")
    return history.remarks + [f"unknown argument {name}" for name in body if name not in KNOWN]


def _settings(body: Json) -> None:
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise Invalid("you must provide a model parameter", "model")
    if body.get("stream_options") is not None and not body.get("stream"):
        raise Invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    for name, most in (("temperature", 2), ("top_p", 1)):
        value = body.get(name)
        if value is not None and not (isinstance(value, int | float) and 0 <= value <= most):
            raise Invalid(f"Invalid '{name}'", name)
    for name in ("max_tokens", "max_completion_tokens"):
        value = body.get(name)
        if value is not None and not (isinstance(value, int) and value >= 1):
            raise Invalid(f"Invalid '{name}'", name)
    if body.get("tool_choice") not in (None, "none") and not body.get("tools"):
        raise Invalid("'tool_choice' is only allowed when 'tools' are specified.", "tool_choice")


def _tools(body: Json) -> None:
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list) or not 1 <= len(tools) <= 128:
        raise Invalid("[] is too short or too long - 'tools'", "tools")
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        at = f"tools[{index}].function"
        function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
        if not isinstance(function, dict):
            raise Invalid(f"Missing or invalid '{at}'", at)
        name = _name(function, at)
        if name in seen:
            raise Invalid(f"Tool names must be unique: {name}", f"{at}.name")
        seen.add(name)
        schema = function.get("parameters", {"type": "object"})
        if not isinstance(schema, dict) or schema.get("type") != "object":
            raise _schema_error(name, "schema must be a JSON Schema of 'type: \"object\"'")
        _schema(schema, name)


def _name(function: Json, at: str) -> str:
    name = function.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise Invalid(f"Invalid '{at}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.", f"{at}.name")
    return name


def _schema_error(name: str, what: str) -> Invalid:
    return Invalid(f"Invalid schema for function '{name}': {what}", "tools", "invalid_function_parameters")


def _schema(schema: Json, name: str) -> None:
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array" and not {"items", "prefixItems"} & set(schema):
        raise _schema_error(name, "array schema missing items")
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise _schema_error(name, "'properties' must be an object")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(each, str) for each in required):
        raise _schema_error(name, "'required' must be an array of strings")
    for inner in [*properties.values(), schema.get("items")]:
        _schema(inner, name)


class _History:
    """Walks the messages: each call answered exactly once, before anything else is said."""

    def __init__(self) -> None:
        self.size = 0
        self.remarks: list[str] = []
        self._open: list[str] = []
        self._calls: set[str] = set()
        self._last = ""

    def take(self, at: str, message: Json, first: bool) -> None:
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ROLES:
            raise Invalid(f"Invalid value: '{role}'. Supported values are: {', '.join(ROLES)}.", f"{at}.role")
        if self._open and role != "tool":
            raise Invalid(UNANSWERED + ", ".join(self._open), f"{at}.role")
        self._content(at, role, message.get("content"), bool(message.get("tool_calls") or message.get("refusal")))
        if role == "assistant":
            self._assistant(at, message)
        elif role == "tool":
            self._result(at, message.get("tool_call_id"))
        elif role != "user" and not first:
            self.remarks.append("system message after the start")
        self._last = role

    def end(self) -> None:
        if self._open:
            raise Invalid(UNANSWERED + ", ".join(self._open), "messages")
        if self._last == "assistant":
            self.remarks.append("last message is from the assistant")

    def _content(self, at: str, role: str, content: Json, optional: bool) -> None:
        at += ".content"
        if content is None and not optional:
            raise Invalid("Invalid value for 'content': expected a string, got null.", at)
        if not isinstance(content, str | list | None):
            raise Invalid(f"Invalid type for '{at}': expected one of a string or array of objects", at)
        if content == []:
            raise Invalid(f"Invalid '{at}': empty array.", at)
        for part in content if isinstance(content, list) else []:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind not in PARTS.get(role, {"text"}) or (kind == "text" and not isinstance(part.get("text"), str)):
                raise Invalid(f"Invalid content part for role '{role}'", at)
        if role in ("user", "assistant") and not optional and not text_of(content).strip():
            self.remarks.append(f"empty {role} message")
        self.size += len(text_of(content))

    def _assistant(self, at: str, message: Json) -> None:
        if self._last == "assistant":
            self.remarks.append("consecutive assistant messages")
        calls = message.get("tool_calls", [None])
        if not isinstance(calls, list) or not calls:
            raise Invalid(f"Invalid '{at}.tool_calls': empty array.", f"{at}.tool_calls")
        self._open = [self._call(f"{at}.tool_calls", call) for call in calls if "tool_calls" in message]
        self._calls = set(self._open)
        if len(self._calls) != len(self._open):
            raise Invalid(f"Duplicate tool call ids in '{at}.tool_calls'", f"{at}.tool_calls")

    def _call(self, at: str, call: Json) -> str:
        function = call.get("function") if isinstance(call, dict) and call.get("type") == "function" else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str) or not call["id"]:
            raise Invalid(f"Missing required parameter: '{at}'", at)
        _name(function, at)
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            raise Invalid(f"Invalid type for '{at}.arguments': expected a string", at)
        self.size += len(arguments)
        try:
            if not isinstance(json.loads(arguments), dict):
                self.remarks.append("tool call arguments in history are not a JSON object")
        except ValueError:
            self.remarks.append("tool call arguments in history are not valid JSON")
        return str(call["id"])

    def _result(self, at: str, call_id: Json) -> None:
        if call_id in self._open:
            self._open.remove(call_id)
        elif call_id in self._calls:
            raise Invalid(f"Duplicate tool response for '{call_id}'", f"{at}.role")
        else:
            words = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
            raise Invalid(f"Invalid parameter: {words}", f"{at}.role")
