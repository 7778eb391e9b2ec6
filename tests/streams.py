"""Streams of chat completions as six servers and some providers word them, and what each amounts to.

Written after what OpenAI, OpenRouter, Ollama, vLLM, llama.cpp, LM Studio, DeepSeek and Gemini send: roles alone in a
first chunk, comments, reasoning fields, usage chunks, CRLF, calls in pieces or whole, signs cut into halves.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx2

FOLDER = Path(__file__).parent / "data" / "streams"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One stream: its bytes; the text, calls and finish that it amounts to."""

    name: str
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    finish: str = "stop"

    @property
    def bytes(self) -> bytes:
        return (FOLDER / f"{self.name}.sse").read_bytes()

    @property
    def end(self) -> int:
        """Where the chunk with the explicit end is complete: its blank line included."""
        raw = self.bytes
        nl = b"\r\n" if b"\r\n" in raw else b"\n"
        at = 0
        for event in raw.split(nl + nl):
            at += len(event) + 2 * len(nl)
            if _ends(event):
                return at
        raise AssertionError(f"{self.name} has no end")


def _ends(event: bytes) -> bool:
    if not event.startswith(b"data: {"):
        return False
    choices = json.loads(event.removeprefix(b"data: "))["choices"]
    return bool(choices and choices[0].get("finish_reason"))


CALLED = "tool_calls"
STREAMS = (
    Recorded("openai_text", "The disk is 91 % full."),
    Recorded("openai_call", calls=(("shell", '{"command":"df -h /"}'),), finish=CALLED),
    Recorded(
        "openai_parallel",
        calls=(("shell", '{"command":"uptime"}'), ("read_file", '{"path":"/etc/hosts"}')),
        finish=CALLED,
    ),
    Recorded("openai_refusal", "I'm sorry, I can't help with that.", finish="refusal"),
    Recorded("openai_length", calls=(("write_file", '{"path":"a.txt","content":"one\\ntwo'),), finish="length"),
    Recorded("openrouter_text", "Füße naß ☔ 好"),
    Recorded("openrouter_reasoning_call", calls=(("shell", '{"command": "ls"}'),), finish=CALLED),
    Recorded("ollama_text", "Hello wörld 👋🏽"),
    Recorded("ollama_call", calls=(("shell", '{"command":"echo \\"ü\\""}'),), finish=CALLED),
    Recorded("ollama_thinking", "Hi!"),
    Recorded("vllm_reasoning", "4"),
    Recorded("vllm_parallel", calls=(("shell", '{"command": "a; b"}'), ("shell", '{"command": "c"}')), finish=CALLED),
    Recorded("vllm_usage_each", "done ✓"),
    Recorded("llamacpp_text", "Yes, it runs."),
    Recorded("llamacpp_call", calls=(("read_file", '{"path":"notes.md"}'),), finish=CALLED),
    Recorded("llamacpp_think_tags", "Answer: 7"),
    Recorded("lmstudio_crlf_text", "Größe: 5äß €"),
    Recorded("lmstudio_crlf_call", calls=(("shell", '{"command":"ls"}'),), finish=CALLED),
    Recorded("deepseek_split_emoji", "ok 😀 !"),
    Recorded(
        "gemini_calls_no_index", calls=(("shell", '{"command":"id"}'), ("list_dir", '{"path":"."}')), finish=CALLED
    ),
)


class CutTransport(httpx2.AsyncBaseTransport):
    """Sends the first `cut` bytes of a stream, in two pieces, then its end or a reset."""

    def __init__(self, stream: bytes, reset: bool) -> None:
        self.stream, self.reset, self.cut = stream, reset, len(stream)
        self.requests: list[bytes] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request.content)
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=self._pieces(self.cut))

    async def _pieces(self, cut: int) -> AsyncIterator[bytes]:
        yield self.stream[: cut // 2]
        yield self.stream[cut // 2 : cut]
        if self.reset:
            raise httpx2.ReadError("connection reset")
