"""Providers' complaints, as they word them, and the class and sentence that a person gets."""

from __future__ import annotations

from typing import Any

import pytest

from agent.models.complaint import clean, complaint_of, retry_after
from agent.models.verdict import judge
from agent.steps import Trouble

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


def error(message: str = "", **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


RETRY, WAIT, USER = Trouble.RETRY, Trouble.WAIT, Trouble.USER
REFUSED, BUG, OVERFLOW = Trouble.REFUSED, Trouble.BUG, Trouble.OVERFLOW
LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
FILTERED = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
NO_CREDIT = "Your credit balance is too low to access the API."
UPSTREAM = {"message": "Provider returned error", "code": 400, "metadata": {"raw": '{"message":"context window"}'}}

CASES: list[tuple[int | None, Any, Trouble, str]] = [
    (401, error("Incorrect API key provided: sk-abc."), USER, "key"),
    (401, "<html>", USER, "key"),
    (403, error("Country, region, or territory not supported"), USER, "key was rejected"),
    (402, error("Insufficient credits"), USER, "credit"),
    (402, "", USER, "credit"),
    (429, error("You exceeded your current quota.", code="insufficient_quota"), USER, "credit"),
    (429, error("x", type="insufficient_quota"), USER, "credit"),
    (400, error(NO_CREDIT, type="invalid_request_error"), USER, "credit"),
    (404, error("The model `m-1` does not exist", code="model_not_found"), USER, "m-1 is not known"),
    (404, "404 page not found", USER, "address"),
    (404, {"error": 'model "m-1" not found, try pulling it first'}, USER, "not known"),
    (400, error("m-1 is not a valid model ID"), USER, "not known"),
    (400, {"error": "registry/library/m-1 does not support tools"}, USER, "can't call tools"),
    (404, error("No endpoints found that support tool use."), USER, "JARVIS_MODEL__TEXT_CALLS=on"),
    (500, error("tools param requires --jinja flag"), USER, "JARVIS_MODEL__TEXT_CALLS=on"),
    (400, error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'), USER, "TEXT_CALLS=on"),
    (400, error("This model doesn't support function calling"), USER, "can't call tools"),
    (400, error("Unsupported parameter: 'tools' is not supported with this model."), USER, "can't call tools"),
    (400, error("Unrecognized request argument supplied: tools"), USER, "can't call tools"),
    (400, error("'tools[0].function.strict' is not supported"), BUG, "invalid"),
    (429, error("Rate limit reached", code="rate_limit_exceeded"), WAIT, "later"),
    (429, "", WAIT, "later"),
    (503, error("no capacity"), RETRY, "overloaded"),
    (529, error("Overloaded", type="overloaded_error"), RETRY, "overloaded"),
    (500, error("The engine is overloaded"), RETRY, "overloaded"),
    (404, error("The model does not exist", code="model_not_found"), USER, "/model"),
    (429, error("You exceeded your current quota", status="RESOURCE_EXHAUSTED"), WAIT, "later"),
    (429, error("Too many tokens, please wait before trying again."), WAIT, "later"),
    (429, error("Request too large for gpt on tokens per min: Limit 10, Requested 20"), OVERFLOW, "shortened"),
    (400, error(LONG, code="context_length_exceeded"), OVERFLOW, "shortened"),
    (400, error(LONG), OVERFLOW, "shortened"),
    (400, error("prompt is too long: 210000 tokens > 200000 maximum"), OVERFLOW, "shortened"),
    (400, error("the request exceeds the available context size", type="exceed_context_size_error"), OVERFLOW, "short"),
    (400, {"object": "error", "message": LONG, "code": 400}, OVERFLOW, "shortened"),
    (400, [error("The input token count (9) exceeds the maximum number of tokens allowed (8).")], OVERFLOW, "short"),
    (400, error("Trying to keep the first 9 tokens when context the overflows. n_ctx: 8"), OVERFLOW, "shortened"),
    (400, {"error": UPSTREAM}, OVERFLOW, "shortened"),
    (400, error("Invalid: string too long.", code="string_above_max_length"), OVERFLOW, "shortened"),
    (413, "<html>413 Request Entity Too Large</html>", OVERFLOW, "shortened"),
    (500, error("the request exceeds the available context size"), OVERFLOW, "shortened"),
    (400, error(FILTERED, code="content_filter"), REFUSED, "content policy"),
    (400, error("Rejected as a result of our safety system", code="content_policy_violation"), REFUSED, "content"),
    (403, error("Input was flagged", metadata={"reasons": ["violence"]}), REFUSED, "content policy"),
    (451, "", REFUSED, "content policy"),
    (400, error("Invalid schema for function 'shell': array schema missing items"), BUG, "'shell'"),
    (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, BUG, "invalid"),
    (400, "", BUG, "invalid"),
    (418, "", BUG, "418"),
    (408, "", RETRY, "408"),
    (409, "", RETRY, "409"),
    (425, "", RETRY, "425"),
    (500, error("The server had an error", type="server_error"), RETRY, "500"),
    (502, "<html><h1>502 Bad Gateway</h1></html>", RETRY, "502"),
    (503, {}, RETRY, "503"),
    (529, error("Overloaded", type="overloaded_error"), RETRY, "529"),
    (301, "", USER, "address"),
    (405, "", USER, "address"),
    (None, error("boom", code=502), RETRY, "502"),
    (None, error("boom", code=429), WAIT, "later"),
    (None, error("boom", code="rate_limit_exceeded"), WAIT, "later"),
    (None, error("boom", code="invalid_api_key"), USER, "key"),
    (None, error(LONG), OVERFLOW, "shortened"),
    (None, error("boom", code="server_error"), RETRY, "error"),
    (None, {"error": "boom"}, RETRY, "error"),
    (None, {"error": True}, RETRY, "error"),
    (None, "boom", RETRY, "error"),
    (None, None, RETRY, "error"),
    (None, [], RETRY, "error"),
]


@pytest.mark.parametrize(("status", "body", "trouble", "word"), CASES)
def test_a_complaint_has_its_class_and_sentence(status: int | None, body: Any, trouble: Trouble, word: str) -> None:
    fault = judge(complaint_of(status, body, {}, NOW), "m-1")
    assert fault.trouble is trouble
    assert word in fault.text
    assert "m-1" in fault.text
    assert fault.text.endswith(".")
    assert not set("{}<>") & set(fault.text)
    assert "sk-" not in fault.text
    assert len(fault.text) < 400


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "600"}, 600.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30 GMT"}, 10.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:10 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
    fault = judge(complaint_of(429, error("slow down"), headers, NOW), "m-1")
    assert fault.retry_after == seconds
    assert ("It asks to wait" in fault.text) is (seconds is not None)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Invalid  schema\nfor x.", "Invalid schema for x."),
        ('Invalid body: {"a": 1}', "Invalid body"),
        ("<html><b>oops</b>", ""),
        ("key sk-1234567890 is bad", "(key) is bad"),
        ("use Bearer abcdefghij, please", "use (key), please"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        ("", ""),
    ],
)
def test_a_providers_words_are_cleaned(message: str, expected: str) -> None:
    assert clean(message) == expected
