"""Which tier a model's name means, and which addresses count as our own machine or network."""

from __future__ import annotations

import pytest

from agent.settings import load
from agent.settings.model_rules import is_local, tier


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("qwen3:8b", "small"),
        ("gemma-2-9b-it", "small"),
        ("meta-llama/llama-3.1-10b", "mid"),
        ("qwen3-30b-a3b", "mid"),
        ("yi-40b", "mid"),
        ("llama-3.1-41b", "large"),
        ("mixtral-8x7b-instruct", "large"),
        ("qwen2.5-0.5B", "small"),
        ("phi-3-mini", "small"),
        ("gpt-4o-mini", "mid"),
        ("gpt-4o", "large"),
        ("claude-sonnet-4", "large"),
        ("gemini-2.5-flash", "mid"),
        ("deepseek-chat", "large"),
        ("something-new", "mid"),
        ("", "mid"),
    ],
)
def test_tier_by_name(name: str, expected: str) -> None:
    assert tier(name) == expected


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8000", True),
        ("http://10.1.2.3", True),
        ("http://192.168.0.9:1234/v1", True),
        ("http://172.32.0.1", False),
        ("http://100.64.0.5", True),
        ("http://ollama:11434", True),
        ("http://gpu.local", True),
        ("https://openrouter.ai/api/v1", False),
        ("https://8.8.8.8", False),
        ("", False),
        ("http://[bad", False),
    ],
)
def test_what_counts_as_private(url: str, local: bool) -> None:
    assert is_local(url) is local


@pytest.mark.parametrize(
    ("url", "extra", "expected"),
    [
        ("https://api.example.com/v1", {}, (60, 4)),
        ("http://127.0.0.1:8080/v1", {}, (300, 1)),
        ("http://127.0.0.1:8080/v1", {"JARVIS_MODEL__PARALLEL": "3"}, (300, 3)),
        ("http://127.0.0.1:8080/v1", {"JARVIS_MODEL__PARALLEL": "junk"}, (300, 1)),
    ],
)
def test_a_private_address_changes_the_defaults(url: str, extra: dict[str, str], expected: tuple[float, int]) -> None:
    model = load({"HOME": "/nowhere", "JARVIS_MODEL__BASE_URL": url, **extra}).settings.model
    assert (model.first_byte_timeout_s, model.parallel) == expected
