"""Wordings of servers whose model can't hold a request, and the numbers that are read out of them."""

from __future__ import annotations

import pytest

from agent.models.complaint import complaint_of
from agent.models.overflow import LEAST, MOST, asked_in, limit_in, too_long
from agent.models.verdict import judge
from agent.steps import Trouble

OPENAI = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens (8500 in "
COMPLETION = (
    "This model's maximum context length is 4097 tokens, however you requested 4927 tokens (3927 in your prompt;"
)
OPENROUTER = (
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text "
    'input, 1000 of tool input). Please reduce the length of either one, or use the "middle-out" transform.'
)
VLLM = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages"
VLLM_PROMPT = "The prompt (total length 5000) is too long to fit into the model (context length 4096). Make sure that "
VLLM_MAX = (
    "'max_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 4000 "
    "input tokens (1000 > 4096 - 4000)."
)
VLLM_PASSED = (
    "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only 4096 "
    "tokens, resulting in a maximum input length of 3996 tokens."
)
LM_STUDIO = (
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length "
    "of only 4096 tokens, which is not enough. Try to load the model with a larger context length"
)
LM_STUDIO_KEEP = "The number of tokens to keep from the initial prompt is greater than the context length."
LM_STUDIO_MID = "Reached context length of 4096 tokens with model (arch: llama), but this model does not currently supp"
ANTHROPIC = "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length"
GEMINI = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
MISTRAL = "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
GROQ = "Request too large for model `x` in organization `o` on tokens per minute (TPM): Limit 6000, Requested 8000, ple"
COHERE = "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."
XAI = "This model's maximum prompt length is 131072 but the request contains 200000 tokens."
TGI = "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`"
SGLANG = "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 50"
CEREBRAS = "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192"
GITHUB = "Request body too large for gpt-4o model. Max size: 8000 tokens. tokens_limit_reached"
DASHSCOPE = "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"

WORDINGS: list[tuple[str, int | None, int | None]] = [
    (OPENAI, 8192, 9000),
    (COMPLETION, 4097, 3927),
    (OPENROUTER, 32768, 39000),
    (VLLM, 4096, 5000),
    (VLLM_PROMPT, 4096, 5000),
    (VLLM_MAX, 4096, 4000),
    (VLLM_PASSED, 4096, 5000),
    ("exceeds the available context size exceed_context_size_error n_prompt_tokens=5000 n_ctx=4096", 4096, 5000),
    ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096, 5000),
    ("Requested tokens (5000) exceed context window of 4096", 4096, None),
    ("the input length exceeds the context length", None, None),
    ("prompt too long; exceeded max context length by 100 tokens", None, None),
    (LM_STUDIO, 4096, None),
    (LM_STUDIO_KEEP, None, None),
    (LM_STUDIO_MID, 4096, None),
    ("prompt is too long: 205000 tokens > 200000 maximum", 200000, 205000),
    (ANTHROPIC, 200000, None),
    (GEMINI, 1048576, 1200000),
    (MISTRAL, 32768, 40000),
    ("Please reduce the length of the messages or completion. context_length_exceeded", None, None),
    (GROQ, 6000, 8000),
    (COHERE, None, None),
    (XAI, 131072, 200000),
    (TGI, 4097, 5000),
    ("Input validation error: `inputs` must have less than 4096 tokens. Given: 5000", 4096, 5000),
    ("The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096, 5000),
    (SGLANG, 4096, None),
    ("The prompt is too long: 40000, model maximum context length: 32767", 32767, 40000),
    (CEREBRAS, 8192, 9000),
    (GITHUB, 8000, None),
    (DASHSCOPE, 129024, None),
    ("Prompt exceeds max length", None, None),
    ("Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)", 8192, 9000),
    ("invalid params, context window exceeds limit (2013)", None, None),  # an error's number, not a limit
    ("Prompt length 5000 is greater than max_seq_len 4096", 4096, 5000),
    ("Input is too long for requested model.", None, None),
    ("context length is 1,048,576 tokens", 1048576, None),
]


@pytest.mark.parametrize(("words", "limit", "asked"), WORDINGS)
def test_what_a_server_says(words: str, limit: int | None, asked: int | None) -> None:
    lowered = words.lower()
    assert too_long(lowered)
    assert (limit_in(lowered), asked_in(lowered)) == (limit, asked)


@pytest.mark.parametrize(
    "words",
    [
        "the model does not exist",
        "rate limit reached for requests",
        "invalid schema for function 'x'",
        "incorrect api key provided",
        "temperature must be <= 2",
        "too many requests",
        "string does not match pattern",
    ],
)
def test_what_is_something_else(words: str) -> None:
    assert not too_long(words)


@pytest.mark.parametrize(
    ("tokens", "limit"), [(LEAST - 1, None), (LEAST, LEAST), (MOST, MOST), (MOST + 1, None), (10**30, None)]
)
def test_a_number_that_no_context_has_is_none(tokens: int, limit: int | None) -> None:
    assert limit_in(f"maximum context length is {tokens} tokens") == limit


def test_a_refusal_carries_the_numbers_and_nothing_else_does() -> None:
    refused = judge(complaint_of(400, {"error": {"message": OPENAI, "code": "context_length_exceeded"}}, {}, 0.0), "m")
    assert (refused.trouble, refused.limit, refused.asked) == (Trouble.OVERFLOW, 8192, 9000)
    other = judge(complaint_of(401, {"error": {"message": OPENAI}}, {}, 0.0), "m")
    assert (other.trouble, other.limit, other.asked) == (Trouble.USER, None, None)


def test_the_numbers_beside_the_message_count_too() -> None:
    body = {
        "error": {
            "code": 400,
            "message": "the request exceeds the available context size, try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 5000,
            "n_ctx": 4096,
        }
    }
    fault = judge(complaint_of(400, body, {}, 0.0), "m")
    assert (fault.trouble, fault.limit, fault.asked) == (Trouble.OVERFLOW, 4096, 5000)


def test_a_body_that_was_too_large_is_one_too() -> None:
    fault = judge(complaint_of(413, "<html><h1>413 Request Entity Too Large</h1></html>", {}, 0.0), "m")
    assert (fault.trouble, fault.limit) == (Trouble.OVERFLOW, None)
