"""What must be set before the bot can start, and which values are secret."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from agent.settings.fallbacks import fallback
from agent.settings.names import env_name
from agent.settings.tree import Settings

SHORTEST = 6  # characters; a shorter value would black out ordinary words wherever it occurs


def missing(settings: Settings) -> list[str]:
    """The variables of required settings that are unset. An address without a key counts as configured (Ollama), and
    a key without an address means OpenAI's."""
    hook = settings.telegram.mode == "webhook"
    needed = {
        "telegram.token": bool(settings.telegram.token.get_secret_value()),
        "telegram.webhook_url": bool(settings.telegram.webhook_url) or not hook,
        "telegram.webhook_secret": bool(settings.telegram.webhook_secret.get_secret_value()) or not hook,
        "model.base_url": bool(settings.model.base_url),
        "model.name": bool(settings.model.name),
    }
    return [env_name(name) for name, there in needed.items() if not there]


def nothing_set(settings: Settings) -> bool:
    """Whether neither the chat nor the model was configured in any part: a first start."""
    model = settings.model
    return not (settings.telegram.token.get_secret_value() or model.base_url or model.name)


def secrets(settings: Settings) -> tuple[str, ...]:
    """Every secret value, for the redactor, the longest first."""
    telegram, model, tools = settings.telegram, settings.model, settings.tools
    plain = [telegram.token, telegram.webhook_secret, model.api_key, tools.search_key]
    found = {secret.get_secret_value() for secret in plain}
    store = settings.store.url.get_secret_value()
    addresses = [settings.model.base_url, settings.tools.search_url, settings.tools.transcribe_url, store]
    for address in addresses:
        if password := urlsplit(address).password:
            found |= {password, unquote(password)}
            found |= {store} if address == store else set()
    for key in (fallback(entry).key for entry in settings.model.fallbacks):
        found |= {key, quote(key, safe="")}
    found |= set(_words(settings.tools.mcp, under_env=False))
    return tuple(sorted((s for s in found if len(s) >= SHORTEST), key=len, reverse=True))


def _words(value: object, under_env: bool) -> list[str]:
    """The strings in the `env` and `headers` tables of tool servers: that is where their keys are written."""
    match value:
        case str() if under_env:
            return [value]
        case dict():
            return [w for k, v in value.items() for w in _words(v, under_env or k in ("env", "headers"))]
        case list():
            return [w for v in value for w in _words(v, under_env)]
    return []
