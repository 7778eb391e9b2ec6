"""The models that the settings name, as one chain behind one port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from agent.models.chain import Chain, Member
from agent.models.chat import ModelSettings, OpenAIChat
from agent.models.priced import Priced
from agent.models.written import WrittenCalls
from agent.ports import Clock, Model
from agent.prices import Prices
from agent.settings import Settings
from agent.settings.fallbacks import Fallback, fallback
from agent.settings.model_rules import is_local, sees

LOCAL_FIRST_BYTE_S, FAR_FIRST_BYTE_S = 300.0, 60.0  # the defaults of FIRST_BYTE_TIMEOUT_S


def chain_of(settings: Settings, clock: Clock) -> tuple[Chain, OpenAIChat]:
    """The chain, and the model that leads it."""
    main = model_settings(settings)
    lead = OpenAIChat(main, clock)
    others = dict.fromkeys(_elsewhere(main, fallback(entry)) for entry in settings.model.fallbacks)
    others.pop(main, None)
    members = [Member(lead, _endpoint(main)), *(Member(OpenAIChat(each, clock), _endpoint(each)) for each in others)]
    return Chain(members, clock, lambda name: OpenAIChat(replace(main, name=name, sees=sees(name)), clock)), lead


def speaker(settings: Settings, model: Model) -> Callable[[str], Model]:
    """By the name that a chat chose, "" for the settings' own: the model as the engine asks it. Calls that it writes as
    text are read, and each reply carries what it cost."""
    prices = Prices.parse(settings.model.prices)

    def speak(name: str) -> Model:
        inner = model.led_by(name) if name and isinstance(model, Chain) else model
        return Priced(WrittenCalls(inner, settings.model.text_calls), prices)

    return speak


def model_settings(settings: Settings) -> ModelSettings:
    """Those of the main model."""
    model = settings.model
    return ModelSettings(
        base_url=model.base_url,
        name=model.name,
        api_key=model.api_key.get_secret_value(),
        first_byte_timeout_s=model.first_byte_timeout_s,
        idle_timeout_s=model.idle_timeout_s,
        total_timeout_s=model.total_timeout_s,
        sees=sees(model.name) if model.vision is None else model.vision,
    )


def _elsewhere(main: ModelSettings, other: Fallback) -> ModelSettings:
    """A fallback's own. The main key goes to the main host alone: elsewhere it would be given away."""
    if not other.base_url:
        return replace(main, name=other.name, sees=sees(other.name))
    key = other.key or (main.api_key if origin(other.base_url) == origin(main.base_url) else "")
    patience = main.first_byte_timeout_s
    if patience in (LOCAL_FIRST_BYTE_S, FAR_FIRST_BYTE_S):
        patience = LOCAL_FIRST_BYTE_S if is_local(other.base_url) else FAR_FIRST_BYTE_S
    return replace(
        main,
        name=other.name,
        base_url=other.base_url,
        api_key=key,
        first_byte_timeout_s=patience,
        sees=sees(other.name),
    )


def origin(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port of an address: where a key may go."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _endpoint(settings: ModelSettings) -> str:
    return f"{settings.base_url} {settings.api_key}"
