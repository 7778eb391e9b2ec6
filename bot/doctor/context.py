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
from bot import words
from bot.doctor.finding import Finding, ok, warn
from bot.doctorwords import said
from bot.models import model_settings

TOKENS = 6_000  # of the request, at most: beyond what servers cut at that nobody has set up
LONGEST_S = 120.0


async def context(settings: Settings) -> Sequence[Finding]:
    """One request of half the context that the settings tell. Nothing where the model can't be asked at all."""
    told = settings.model.context_tokens
    tokens = min(told // 2, TOKENS)
    if not settings.model.base_url or not settings.model.name:
        return []
    if tokens < LEAST * 5 // 4:
        return [ok("context", said("context small", number(told)))]
    chat = OpenAIChat(model_settings(settings), SystemClock())
    try:
        async with asyncio.timeout(LONGEST_S):
            end = [each async for each in chat.reply([{"role": "user", "content": _filler(tokens)}], [])][-1]
    except TimeoutError:
        return [ok("context", said("context slow", number(tokens), round(LONGEST_S)))]
    finally:
        await chat.close()
    return _judged(end, told, tokens)


def _judged(end: object, told: int, tokens: int) -> list[Finding]:
    match end:
        case Failed(trouble=Trouble.OVERFLOW):
            return [warn("context", said("context long", number(tokens), number(told)), said("mend context"))]
        case Said(usage=usage) if usage.expected:
            text = said("context cut", number(usage.prompt), number(usage.expected))
            return [warn("context", text, said("mend context"))]
        case Said(usage=usage) if usage.estimated:
            return [ok("context", said("context uncounted"))]
        case Said(usage=usage):
            return [ok("context", said("context whole", number(usage.prompt), number(told)))]
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


def number(tokens: int) -> str:
    return words.say(tokens, "n")
