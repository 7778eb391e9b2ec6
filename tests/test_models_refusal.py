"""What providers say of a tool that they don't take, and which one they mean."""

from __future__ import annotations

from typing import Any

import pytest

from agent.models.complaint import complaint_of
from agent.models.refusal import as_refusal
from agent.models.verdict import judge
from agent.steps import Trouble

NAMES = ["shell", "read_file", "search", "plan", "get-Weather", "greet"]


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


# (status, body, named, suspects); the wordings are those of the servers
TOLD: dict[str, tuple[int | None, Any, tuple[str, ...], tuple[str, ...]]] = {
    "openai schema": (
        400,
        error(
            "Invalid schema for function 'greet': In context=('properties', 'plan'), array schema missing items.",
            type="invalid_request_error", param="tools[5].function.parameters", code="invalid_function_parameters",
        ),
        ("greet",), (),
    ),
    "openai name": (
        400,
        error("Invalid 'tools[3].function.name': string does not match pattern.", param="tools[3].function.name"),
        (), ("plan",),
    ),
    "openai description": (
        400,
        error(
            "Invalid 'tools[2].function.description': string too long. Expected a string with maximum length 1024, but "
            "got a string with length 2000 instead.",
            param="tools[2].function.description", code="string_above_max_length",
        ),
        (), ("search",),
    ),
    "openai unnamed": (400, error("Invalid type for 'tools': expected an array", param="tools"), (), ()),
    "azure": (400, error("Invalid schema for function 'get-Weather': None is not 'object'"), ("get-Weather",), ()),
    "anthropic": (
        400,
        {"type": "error", **error("tools.1.custom.input_schema: JSON schema is invalid. It must match a draft")},
        (), ("read_file",),
    ),
    "anthropic property": (
        400,
        error("tools.5.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"),
        (), ("greet",),
    ),
    "bedrock": (
        400,
        error("The value at toolConfig.tools.4.toolSpec.inputSchema.json.type must be one of the following: object."),
        (), ("get-Weather",),
    ),
    "gemini": (
        400,
        error(
            "* GenerateContentRequest.tools[0].function_declarations[3].parameters.properties[x].items: missing field.",
            code=400, status="INVALID_ARGUMENT",
        ),
        (), ("plan",),
    ),
    "gemini, bare": (400, error("Request contains an invalid argument.", status="INVALID_ARGUMENT"), (), ()),
    "openrouter": (
        400,
        error("Provider returned error", code=400, metadata={"r": '"Invalid schema for function \'greet\'"'}),
        ("greet",), (),
    ),
    "openrouter, bare": (400, error("Provider returned error", code=400), (), ()),
    "openrouter, in the stream": (
        None,
        error("Invalid schema for function 'greet'", code=400),
        ("greet",), (),
    ),
    "vllm": (400, {"object": "error", "message": "Invalid tool `search`: no type", "code": 400}, ("search",), ()),
    "fastapi": (
        422,
        {"detail": [{"loc": ["body", "tools", 1, "function", "parameters"], "msg": "value is not a valid dict"}]},
        (), ("read_file",),
    ),
    "llama.cpp": (400, error("JSON schema conversion failed:\nUnrecognized schema: null", code=400), (), ()),
    "llama.cpp, older": (500, error("failed to parse grammar", code=500), (), ()),
    "groq": (
        400,
        error("invalid JSON schema for tool greet, tools[5].function.parameters: `/required` expected array"),
        (), ("greet",),
    ),
    "mistral": (422, {"detail": [{"loc": ["body", "tools", 0, "function", "name"], "msg": "bad"}]}, (), ("shell",)),
    "ollama": (
        400,
        {"error": "json: cannot unmarshal array into Go struct field .tools.function.parameters of type api.T"},
        (), (),
    ),
    "deepseek": (
        400,
        error("Failed to deserialize the JSON body into the target type: tools[5].function: missing field"),
        (), ("greet",),
    ),
    "a list of names": (400, error("These functions are not valid: read_file, greet"), (), ("read_file", "greet")),
    "no words at all": (400, {}, (), ()),
    "not even json": (400, "Bad Request", (), ()),
    "beyond the list": (400, error("tools[99] is invalid"), (), ()),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD)
def test_a_refused_tool_is_found_in_the_words(case: str) -> None:
    status, body, named, suspects = TOLD[case]
    fault = as_refusal(judge(complaint_of(status, body, {}, 0.0), "m"), NAMES, "m")
    assert (fault.trouble, fault.tools, fault.suspects) == (Trouble.TOOLS, named, suspects)
    assert fault.text.startswith("The provider of the model m refused a tool of the request (status ")
    assert "{" not in fault.text


OTHERS: dict[str, tuple[int | None, Any, Trouble]] = {
    "context": (
        400,
        error(
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the "
            "messages, 500 in the functions, 500 in the completion).",
            code="context_length_exceeded",
        ),
        Trouble.OVERFLOW,
    ),
    "orphan": (
        400,
        error("An assistant message with 'tool_calls' must be followed by tool messages responding to each one."),
        Trouble.BUG,
    ),
    "orphan, anthropic": (
        400,
        error("messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: call_1"),
        Trouble.BUG,
    ),
    "roles": (400, error("Conversation roles must alternate user/assistant/user/assistant/..."), Trouble.BUG),
    "role tool": (
        400,
        error("Invalid parameter: messages with role 'tool' must be a response to one", param="messages.[2].role"),
        Trouble.BUG,
    ),
    "temperature": (400, error("Invalid 'temperature'", param="temperature"), Trouble.BUG),
    "key": (401, error("Invalid schema for function 'greet'"), Trouble.USER),
    "money": (402, error("tools[1] cost too much"), Trouble.USER),
    "no tool support": (400, error("This model does not support tools"), Trouble.USER),
    "no model": (404, error("The model `greet` does not exist"), Trouble.USER),
    "busy": (429, error("Too many tools[0] requests"), Trouble.WAIT),
    "policy": (400, error("flagged by our content policy"), Trouble.REFUSED),
    "their fault": (500, error("The server had an error with a tool"), Trouble.RETRY),
    "bad gateway": (502, error("tools[1] bad"), Trouble.RETRY),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_about_something_else_stays_that(case: str) -> None:
    status, body, trouble = OTHERS[case]
    before = judge(complaint_of(status, body, {}, 0.0), "m")
    assert as_refusal(before, NAMES, "m") == before
    assert before.trouble is trouble


@pytest.mark.parametrize("case", TOLD)
def test_a_request_without_tools_has_none_refused(case: str) -> None:
    status, body, *_ = TOLD[case]
    assert as_refusal(judge(complaint_of(status, body, {}, 0.0), "m"), [], "m").trouble is not Trouble.TOOLS
