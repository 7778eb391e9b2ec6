"""How much a request may hold: arithmetic over bytes and tokens, and the cut in the middle of what is too long. Pure.

There is no tokenizer here: a token is taken for 3.5 bytes, less where the replies of the model show that it is less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agent.ports import Message
from agent.steps import Opened, ToolSpec
from agent.tiers import tier_for

RATIO = 3.5  # bytes a token; English text has about 4, code about 3.2 to 3.6
LOWEST, HIGHEST = 1.0, 4.5  # a ratio beyond these is a server's mistake, or a prompt that it cut
REPLY = 8_192  # tokens that are kept free for the reply, at most
LEAST = 200  # bytes; a shorter rest of a message tells nothing
FREE = 2_000  # bytes beside the fixed part that are used even where nothing is left by our estimate
TAIL = 1_800  # bytes
UNBOUNDED = 1 << 50
OMITTED = "[Something that didn't fit into the context was left out here.]"
_MESSAGE, _CALL, _TOOL = 24, 48, 64  # bytes around the contents


@dataclass(frozen=True, slots=True)
class Room:
    """All in bytes but `tokens`: what the messages beside the system prompt may take in all (`free`), one result, one
    message, a checkpoint; `fixed` is what prompt and tools take. `tokens` is what a whole request may have before it is
    handed on."""

    free: int = UNBOUNDED
    result: int = UNBOUNDED
    message: int = UNBOUNDED
    checkpoint: int = UNBOUNDED
    fixed: int = 0
    tokens: int = UNBOUNDED


def room_of(opened: Opened) -> Room:
    """The room of a leg's requests, decided once by its Opened; unbounded where its context isn't known."""
    fixed = size_of(opened.prompt) + _MESSAGE + size_of_tools(opened.tools)
    if not opened.context:
        return Room(fixed=fixed)
    tier = tier_for(opened.tier, opened.context)
    free = max(int(budget(opened.context) * opened.ratio) - fixed - TAIL, FREE)
    return Room(
        free=free,
        result=min(tier.result, free // 4),
        message=min(tier.message, free // 3),
        checkpoint=free // 3,
        fixed=fixed,
        tokens=int(budget(opened.context) * tier.fill),
    )


def budget(context: int) -> int:
    """The tokens of a context that a request may take, so that the reply has room."""
    return context - min(context // 5, REPLY)


def size_of(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def size_of_tools(tools: tuple[ToolSpec, ...]) -> int:
    return sum(_TOOL + size_of(f"{tool.name}{tool.description}{tool.parameters}") for tool in tools)


def affordable(tools: Iterable[ToolSpec], context: int, ratio: float) -> tuple[ToolSpec, ...]:
    """Of tools beside the built-in ones those that a context of so many tokens can carry: in order, as long as all of
    them together take no more than a quarter of a request."""
    left = int(budget(context) * ratio) // 4 if context else UNBOUNDED
    kept = []
    for tool in tools:
        size = size_of_tools((tool,))
        if size <= left:
            kept.append(tool)
            left -= size
    return tuple(kept)


def size_of_message(message: Message) -> int:
    """Bytes that a message takes, its calls included, without what JSON adds by escaping."""
    called = [call["function"] for call in message.get("tool_calls") or ()]
    size = sum(_CALL + size_of(f"{function['name']}{function['arguments']}") for function in called)
    return _MESSAGE + size_of(message.get("content") or "") + size


def squeezed(text: str, limit: int) -> str:
    """`text` in at most `limit` bytes: two thirds of them its head, the rest its tail, and between them a line that
    says how much is missing. Below 200 bytes it is a remark that something was left out."""
    if len(text) * 4 <= limit or size_of(text) <= limit:
        return text
    if limit < LEAST:
        return OMITTED
    raw = text.encode("utf-8", "replace")
    keep = limit - 80
    head = raw[: keep * 2 // 3].decode("utf-8", "ignore")
    tail = raw[-(keep // 3) :].decode("utf-8", "ignore")
    missing = len(raw) - size_of(head) - size_of(tail)
    return f"{head}\n[… {missing} bytes left out here: too long for the context …]\n{tail}"
