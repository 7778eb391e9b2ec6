"""Whether a provider says that a request is too long for the model, and the numbers that it names. Pure.

The wordings are those of OpenAI, Azure, OpenRouter, Anthropic, Gemini, Mistral, Groq, DeepSeek, xAI, Cohere, Moonshot,
DashScope, GitHub Models, vLLM, SGLang, TGI, llama.cpp, llama-cpp-python, Ollama and LM Studio, as their servers send
them; the table in the tests holds one of each.
"""

from __future__ import annotations

import re

LEAST, MOST = 128, 50_000_000  # tokens; a context beyond these is some other number

_TOO_LONG = re.compile(
    r"context[_ ](length|window|size|limit|overflow)|n_ctx|max_seq_len|max_model_len|exceed_context"
    r"|(prompt|input|request|body|message)s?( is| are|)( too (long|large)|_too_(long|large))|input length"
    r"|maximum (prompt|input) length|too many (input |prompt )?tokens|reduce the length"
    r"|(token|context|model token) limit|maximum (number of )?tokens|tokens_limit_reached"
    r"|exceeds? (the )?(model'?s? )?max|longer than the (model|context)|must have less than \d+ tokens"
    r"|string too long|string_above_max_length|must be <= \d+\. given|range of input length"
    r"|too large for model"
)
_NUMBER = r"(\d[\d,_.]*)"
_LIMITS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\+ \d+ > {_NUMBER}",
        rf"n_ctx\W+{_NUMBER}",
        rf"context size \({_NUMBER}",
        rf"(?:context|maximum prompt|maximum input) (?:length|window|size|limit)(?: is| of|:)? (?:only )?{_NUMBER}",
        rf"context length \({_NUMBER}",
        rf"tokens? > {_NUMBER}",
        rf"maximum number of tokens allowed \({_NUMBER}",
        rf"model with {_NUMBER} max",
        rf"limit(?: is| of|:)? {_NUMBER}",
        rf"max(?:imum)?[_ ](?:size|seq_len|context length)\W+{_NUMBER}",
        rf"must be <= {_NUMBER}",
        rf"less than {_NUMBER} tokens",
        rf"input length should be \[\d+, ?{_NUMBER}",
    )
)
_ASKED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"n_prompt_tokens\W+{_NUMBER}",
        rf"request \({_NUMBER} tokens\)",
        rf"resulted in {_NUMBER}",
        rf"\({_NUMBER} (?:in your prompt|in the messages|of text input)",
        rf"(?:request has|passed) {_NUMBER} input tokens",
        rf"(?:token count \(|total length |prompt length |current length is |prompt contains ){_NUMBER}",
        rf"(?:request contains|requested:?|requested about|given:?|too long:) {_NUMBER}",
        rf"input \({_NUMBER} tokens",
    )
)


def too_long(words: str) -> bool:
    """Whether the words (in lower case) say so."""
    return _TOO_LONG.search(words) is not None


def limit_in(words: str) -> int | None:
    """The tokens that the model takes, where the words name them."""
    return _first(_LIMITS, words)


def asked_in(words: str) -> int | None:
    """The tokens that the request had, where the words name them."""
    return _first(_ASKED, words)


def _first(patterns: tuple[re.Pattern[str], ...], words: str) -> int | None:
    for pattern in patterns:
        if found := pattern.search(words):
            digits = re.sub(r"\D", "", found[1])
            if digits and LEAST <= int(digits[:12]) <= MOST:
                return int(digits[:12])
    return None
