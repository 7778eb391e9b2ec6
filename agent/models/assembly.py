"""A reply put together from the chunks of its stream, within bounds, and judged once the stream is over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from agent.causes import Cause, because
from agent.models.calls import CallDrafts
from agent.models.thinking import Thinking, after_thought
from agent.models.unicode import Halves, is_blank
from agent.models.verdict import Fault
from agent.steps import Call, Trouble
from agent.why import Why

OK = 200  # the status of a reply that says nothing usable: it is asked for again a few times, not for hours
_CUT_SHORT = {"length", "max_tokens", "max_output_tokens", "model_length"}
_FILTERED = {"content_filter", "safety", "recitation", "blocked", "prohibited_content", "sensitive"}
_EMPTY = "Your last reply was empty. Answer the user in words, or call a tool."
_BROKEN = {"error", "malformed_function_call", "network_error", "insufficient_system_resource"}


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is kept of one reply: bytes of text, bytes of all arguments, number of calls."""

    text: int = 400_000
    arguments: int = 2_000_000
    calls: int = 64


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply. finish: stop | tool_calls | length | cut (at our limits; carries no calls) | refusal."""

    text: str
    calls: tuple[Call, ...]
    finish: str


class Assembly:
    """Feed it the parsed chunks in order; `reply` tells what they amount to.

    `finished` is the explicit end of the reply: no call leaves here without it. `full` says that a limit was met and
    the rest is not worth reading.
    """

    def __init__(self, limits: Limits = Limits()) -> None:
        self._limits = limits
        self._calls = CallDrafts(limits.calls)
        self._text = _Capped(limits.text)
        self._refusal = _Capped(limits.text)
        self._thinking = Thinking()
        self._halves = Halves()
        self._finish = ""
        self.usage: object = None
        self._written = 0

    @property
    def finished(self) -> bool:
        return bool(self._finish)

    @property
    def full(self) -> bool:
        return self._text.full or self._refusal.full or self._calls.size > self._limits.arguments

    @property
    def received(self) -> int:
        """Bytes that the model wrote: text, thoughts, arguments."""
        return self._written + self._calls.size

    def add(self, chunk: Mapping[str, object]) -> str:
        """Take a chunk; returns the text that it adds to the screen."""
        self.usage = chunk.get("usage") or self.usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish.lower()
        match choice:
            case {"delta": dict(delta)}:
                return self._message(delta, whole=False)
            case {"message": dict(message)}:
                return self._message(message, whole=True)
        return ""

    def reply(self, taken: Collection[str], model: str) -> Reply | Fault:
        """What the stream amounts to, once it is over. `taken` are the call ids of the request."""
        self._text.add(self._thinking.feed(self._halves.close()) + self._thinking.close())
        text, refusal = after_thought(self._text.value), self._refusal.value
        if self.full:
            unrun = " Its tool calls were not run." if self._calls else ""
            return Reply(_noted(text or refusal, f"The reply was cut here: it grew too long.{unrun}"), (), "cut")
        if fault := self._fault(model):
            return fault
        calls = self._calls.finish(taken, whole=self._finish not in _CUT_SHORT)
        if not calls and not is_blank(refusal):
            return Reply(refusal, (), "refusal")
        if is_blank(text):
            text = ""
        if not calls and not text:
            return Fault(Trouble.RETRY, (self._nothing(model),), status=OK, hint=_EMPTY)
        if self._calls.dropped:
            asked = len(calls) + self._calls.dropped
            text = _noted(text, f"The reply had {asked} calls; only the first {len(calls)} are kept.")
        if self._finish in _CUT_SHORT:
            return Reply(text, calls, "length")
        return Reply(text, calls, "tool_calls" if calls else "stop")

    def _message(self, message: Mapping[str, object], whole: bool) -> str:
        calls = message.get("tool_calls")
        for place, entry in enumerate(calls if isinstance(calls, list) else ()):
            self._calls.add(entry, place if whole else None)
        refusal = _plain(message.get("refusal"))
        self._refusal.add(refusal)
        written = _plain(message.get("content"))
        thought = _plain(message.get("reasoning_content")) or _plain(message.get("reasoning"))
        self._written += len((written + thought + refusal).encode("utf-8", "replace"))
        return self._text.add(self._thinking.feed(self._halves.feed(written)))

    def _fault(self, model: str) -> Fault | None:
        if not self._finish:
            return Fault(Trouble.RETRY, (because(Why.REPLY_BROKE_OFF, model),))
        if self._finish in _BROKEN:
            return Fault(Trouble.RETRY, (because(Why.GAVE_UP, model), because(Why.ASK_AGAIN)))
        if self._finish in _FILTERED:
            return Fault(Trouble.REFUSED, (because(Why.REPLY_STOPPED, model), because(Why.SAY_OTHERWISE)))
        return None

    def _nothing(self, model: str) -> Cause:
        return because(Why.OUTPUT_USED_UP if self._finish in _CUT_SHORT else Why.SAID_NOTHING, model)


class _Capped:
    """Text up to a limit of UTF-8 bytes; a character is never cut in two."""

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._room = limit
        self.full = False

    @property
    def value(self) -> str:
        return "".join(self._parts)

    def add(self, piece: str) -> str:
        """Keep what has room of it, and return that."""
        if self.full or not piece:
            return ""
        raw = piece.encode("utf-8", "replace")
        if len(raw) > self._room:
            self.full = True
            piece = raw[: self._room].decode("utf-8", "ignore")
        self._room -= len(raw)
        self._parts.append(piece)
        return piece


def _plain(content: object) -> str:
    """Text of a content field: a string, or a list of parts of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return ""


def _noted(text: str, note: str) -> str:
    return f"{text}\n\n[{note}]" if text else f"[{note}]"
