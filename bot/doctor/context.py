"""Whether the model's server reads all that it is sent: some cut a long prompt and say nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agent.clock import SystemClock
from agent.models.chat import OpenAIChat
from agent.models.cutting import LEAST
from agent.models.tokens import BYTES_A_TOKEN
from agent.settings import Settings
from agent.steps import Failed, Said, Trouble
from bot.doctor.finding import Finding, ok, warn
from bot.models import model_settings

TOKENS = 6_000  # of the request, at most: beyond what servers cut at that nobody has set up
LONGEST_S = 120.0
MEND = (
    "Give the server a larger context (Ollama: num_ctx, llama.cpp: --ctx-size), or set JARVIS_MODEL__CONTEXT_TOKENS to "
    "what it really takes."
)


async def context(settings: Settings) -> Sequence[Finding]:
    """One request of half the context that the settings tell. Nothing where the model can't be asked at all."""
    told = settings.model.context_tokens
    tokens = min(told // 2, TOKENS)
    if not settings.model.base_url or not settings.model.name:
        return []
    if tokens < LEAST * 5 // 4:
        return [ok("context", f"{told} tokens by the settings: too few to see whether the server cuts")]
    chat = OpenAIChat(model_settings(settings), SystemClock())
    try:
        async with asyncio.timeout(LONGEST_S):
            end = [each async for each in chat.reply([{"role": "user", "content": _filler(tokens)}], [])][-1]
    except TimeoutError:
        return [ok("context", f"not seen: a request of {tokens} tokens takes over {LONGEST_S:.0f} s")]
    finally:
        await chat.close()
    return _judged(end, told, tokens)


def _judged(end: object, told: int, tokens: int) -> list[Finding]:
    match end:
        case Failed(trouble=Trouble.OVERFLOW):
            return [warn("context", f"a request of {tokens} tokens is too long; the settings tell {told}", MEND)]
        case Said(usage=usage) if usage.expected:
            text = f"the server read {usage.prompt} of about {usage.expected} tokens: it cuts what it is sent"
            return [warn("context", text, MEND)]
        case Said(usage=usage) if usage.estimated:
            return [ok("context", "not seen: the server doesn't count tokens")]
        case Said(usage=usage):
            return [ok("context", f"a request of {usage.prompt} tokens arrives whole; the settings tell {told}")]
    return []


def _filler(tokens: int) -> str:
    """So many tokens of text, by our estimate, with the question at the end."""
    words = ("river", "stone", "window", "garden", "market", "letter", "silver", "morning", "bridge", "winter")
    ask = "Answer with the word yes and nothing else."
    parts: list[str] = []
    size = len(ask)
    while size < tokens * BYTES_A_TOKEN:
        number = len(parts)
        parts.append(f"{words[number % 10]} and {words[number // 10 % 10]}, {words[number // 100 % 10]};")
        size += len(parts[-1]) + 1
    return "\n".join([*parts, ask])
