"""Whether a server has read what it was sent: its count of the prompt's tokens against our own estimate."""

from __future__ import annotations

import re

from agent.models.tokens import BYTES_A_TOKEN
from agent.steps import Usage

LEAST = 2_000  # tokens; the estimate of a shorter prompt says too little
SHARE = 0.5  # of the estimate: a server that counted less than this didn't read it all

_PICTURES = re.compile(rb'"data:[^"]*"')  # counted by their size on a screen, not by their bytes
_RUNS = re.compile(rb"(.)\1{2,}", re.DOTALL)  # indentation, rules: many bytes, few tokens


def expected_of(body: bytes, usage: Usage) -> int:
    """The tokens of a request by our estimate, where the server counted far less; else, or where it didn't count, 0."""
    counted = max(usage.prompt, usage.cached)
    if usage.estimated or not _is_less(counted, len(body)):
        return 0
    size = len(_RUNS.sub(rb"\1\1", _PICTURES.sub(b"", body)))  # this look costs time, and is hardly ever needed
    return size // BYTES_A_TOKEN if _is_less(counted, size) else 0


def _is_less(counted: int, size: int) -> bool:
    expected = size / BYTES_A_TOKEN
    return expected >= LEAST and counted < SHARE * expected
