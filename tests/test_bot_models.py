"""The chain that the settings ask for: which addresses, whose keys, how long it waits for each."""

from __future__ import annotations

from typing import Any

import pytest

from agent.models.chain import Member
from agent.models.chat import ModelSettings, OpenAIChat
from agent.settings import Loaded, load, render, secrets
from agent.settings.fallbacks import Fallback, fallback
from bot.models import chain_of, speaker
from tests.fakes.clock import HandClock

FAR, LOCAL = "https://api.example.com/v1", "http://127.0.0.1:11434/v1"
KEY = "sk-main-0123456789"


def loaded(fallbacks: str, url: str = FAR, **more: str) -> Loaded:
    return load(
        {
            "HOME": "/nowhere",
            "JARVIS_MODEL__BASE_URL": url,
            "JARVIS_MODEL__NAME": "main",
            "JARVIS_MODEL__API_KEY": KEY,
            "JARVIS_MODEL__FALLBACKS": fallbacks,
            **more,
        }
    )


def members(fallbacks: str, url: str = FAR, **more: str) -> list[ModelSettings]:
    chain, lead = chain_of(loaded(fallbacks, url, **more).settings, HandClock())
    models: list[Member] = chain.order("")
    assert models[0].model is lead
    return [each.model._settings for each in models if isinstance(each.model, OpenAIChat)]


@pytest.mark.parametrize(
    ("entry", "read"),
    [
        ("qwen3:8b", Fallback("qwen3:8b")),
        ("@cf/meta/llama-3", Fallback("@cf/meta/llama-3")),
        ("a@b", Fallback("a@b")),
        (f"small@{LOCAL}", Fallback("small", LOCAL)),
        (f"small@{LOCAL}/", Fallback("small", LOCAL)),
        ("@cf/m@https://h/v1", Fallback("@cf/m", "https://h/v1")),
        ("m@https://:sk-other@h:8443/v1", Fallback("m", "https://h:8443/v1", "sk-other")),
        ("m@https://:a%2Fb%40c@h/v1", Fallback("m", "https://h/v1", "a/b@c")),
    ],
)
def test_an_entry(entry: str, read: Fallback) -> None:
    assert fallback(entry) == read


@pytest.mark.parametrize("junk", ["m@https://", "m@http://:0/v1", "m@http://h:99999/v1", "m@http://[x/v1", "a\x00b"])
def test_a_junk_entry_is_warned_of_and_there_are_no_fallbacks(junk: str) -> None:
    got = loaded(f"good,{junk}")
    assert got.settings.model.fallbacks == ()
    assert any("JARVIS_MODEL__FALLBACKS" in warning for warning in got.warnings)


def test_they_stand_in_the_order_of_the_list_and_once() -> None:
    assert [each.name for each in members(" b , main, c,b,")] == ["main", "b", "c"]


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ("b", KEY),
        ("b@https://api.example.com/other", KEY),
        ("b@https://api.example.com:443/v1", KEY),
        ("b@http://api.example.com/v1", ""),  # without encryption it is another place
        ("b@https://api.example.org/v1", ""),
        ("b@https://api.example.com.evil.org/v1", ""),
        (f"b@{LOCAL}", ""),
        ("b@https://:sk-other-123@api.example.org/v1", "sk-other-123"),
    ],
)
def test_the_key_goes_to_its_own_host_alone(entry: str, key: str) -> None:
    assert members(entry)[1].api_key == key


@pytest.mark.parametrize(
    ("url", "entry", "more", "expected"),
    [
        (FAR, "b", {}, [60, 60]),
        (FAR, f"b@{LOCAL}", {}, [60, 300]),
        (LOCAL, "b", {}, [300, 300]),
        (LOCAL, f"b@{FAR}", {}, [300, 60]),
        (FAR, f"b@{LOCAL}", {"JARVIS_MODEL__FIRST_BYTE_TIMEOUT_S": "20"}, [20, 20]),
    ],
)
def test_each_has_the_patience_of_its_address(
    url: str, entry: str, more: dict[str, str], expected: list[float]
) -> None:
    assert [each.first_byte_timeout_s for each in members(entry, url, **more)] == expected


def test_the_key_of_a_fallback_is_a_secret() -> None:
    got = loaded("b@https://:sk-other%2F123@api.example.org/v1")
    assert {"sk-other/123", "sk-other%2F123", KEY} <= set(secrets(got.settings))
    assert "sk-other" not in render(got)
    assert "sk-other" not in repr(got.settings)


def test_deadlines_are_those_of_the_settings() -> None:
    names = {"FIRST_BYTE": 7.0, "IDLE": 8.0, "TOTAL": 9.0}
    (main,) = members("", **{f"JARVIS_MODEL__{name}_TIMEOUT_S": str(value) for name, value in names.items()})
    assert [main.first_byte_timeout_s, main.idle_timeout_s, main.total_timeout_s] == list(names.values())


def test_a_chats_choice_leads_the_chain() -> None:
    settings = loaded("b").settings
    chain, _ = chain_of(settings, HandClock())
    speak: Any = speaker(settings, chain)
    assert [speak(name).name for name in ("", "b", "other")] == ["main", "b", "other"]
