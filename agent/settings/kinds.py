"""The value types of settings: what a person may write, and the sentence that says what is wrong with it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from agent.prices import Prices
from agent.settings.fallbacks import fallback

_ID = re.compile(r"-?[0-9]{1,18}")  # Telegram promises at most 52 significant bits


def shown(value: object) -> str:
    """A value as it may stand in a message: quoted, control characters escaped, at most 60 characters."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _numeric_id(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _ID.fullmatch(value.strip()):
        return int(value)
    named = isinstance(value, str) and any(letter.isalpha() for letter in value)
    raise ValueError(f"must be a numeric id; {shown(value)} is {'a name' if named else 'not one'}")


def _person(value: object) -> int:
    number = _numeric_id(value)
    if number <= 0:
        raise ValueError(f"must be the numeric id of a person; {number} is not one (ids of groups are negative)")
    return number


def _items(value: object) -> list[object]:
    match value:
        case str():
            return [part.strip() for part in value.split(",") if part.strip()]
        case list() | tuple():
            return list(value)
    return [value]


def _people(value: object) -> tuple[int, ...]:
    return tuple(_person(item) for item in _items(value))


def _chats(value: object) -> tuple[int, ...]:
    return tuple(_numeric_id(item) for item in _items(value))


def _names(value: object) -> tuple[str, ...]:
    items = _items(value)
    if not all(isinstance(item, str) for item in items):
        raise ValueError(f"must be names separated by commas; {shown(value)} is not")
    return tuple(str(item) for item in items)


def _fallbacks(value: object) -> tuple[str, ...]:
    names = _names(value)
    for name in names:
        fallback(name)
    return names


def _ops_chat(value: object) -> str:
    text = str(value).strip()
    chat, _, topic = text.partition(":")
    if text and not (_ID.fullmatch(chat) and (topic.isdecimal() or ":" not in text)):
        raise ValueError(f"must be a numeric chat id or chat:topic; {shown(value)} is neither")
    return text


def _token(value: SecretStr) -> SecretStr:
    if value.get_secret_value() and not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", value.get_secret_value()):
        raise ValueError("must be a bot token as @BotFather gives it, like 123456:ABC-def; copy it again")
    return value


def _webhook_secret(value: SecretStr) -> SecretStr:
    # the alphabet of secret_token in the Bot API's setWebhook
    if value.get_secret_value() and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", value.get_secret_value()):
        raise ValueError("must be 1 to 256 characters of A-Z, a-z, 0-9, _ and -")
    return value


def _url(value: str) -> str:
    try:
        parts = urlsplit(value)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if value and (not fine or re.search(r"[\s\x00-\x1f]", value)):
        raise ValueError("must be an address that begins with http:// or https:// and names a host")
    return value.rstrip("/")


def _store(value: SecretStr) -> SecretStr:
    text = value.get_secret_value()
    if text and not text.startswith(("sqlite:///", "postgresql://", "postgres://")):
        raise ValueError("must begin with sqlite:/// or postgresql://")
    return value


def _listen(value: str) -> str:
    host, _, port = value.rpartition(":")
    if value and not (host and port.isdecimal() and 0 < int(port) < 65536):
        raise ValueError(f"must be host:port; {shown(value)} is not")
    return value


def _absolute(value: Path) -> Path:
    if not value.is_absolute():
        raise ValueError(f"must be an absolute path (or begin with ~/); {shown(str(value))} is neither")
    return value


def _zone(value: str) -> str:
    try:
        if value:
            ZoneInfo(value)
    except (LookupError, OSError, ValueError):
        raise ValueError(f"must be a time zone like Europe/Berlin; {shown(value)} is not known") from None
    return value


def _json_object(value: object) -> object:
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except ValueError:
            raise ValueError("must be a JSON object; this is not valid JSON") from None
    if not isinstance(value, dict):
        raise ValueError("must be a JSON object, in braces")
    return value


def _prices(value: dict[str, Any]) -> dict[str, Any]:
    Prices.parse(value)
    return value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


Person = Annotated[int, BeforeValidator(_person)]
People = Annotated[tuple[int, ...], BeforeValidator(_people)]
Chats = Annotated[tuple[int, ...], BeforeValidator(_chats)]
Fallbacks = Annotated[tuple[str, ...], BeforeValidator(_fallbacks), Field(repr=False)]  # addresses may hold passwords
OpsChat = Annotated[str, BeforeValidator(_ops_chat)]
Token = Annotated[SecretStr, AfterValidator(_token)]
WebhookSecret = Annotated[SecretStr, AfterValidator(_webhook_secret)]
StoreUrl = Annotated[SecretStr, AfterValidator(_store)]
Url = Annotated[str, AfterValidator(_url), Field(repr=False)]  # it may hold a password
Listen = Annotated[str, AfterValidator(_listen)]
AbsolutePath = Annotated[Path, AfterValidator(_absolute)]
Zone = Annotated[str, AfterValidator(_zone)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(_json_object)]
PriceTable = Annotated[dict[str, Any], BeforeValidator(_json_object), AfterValidator(_prices)]
AnyCase = BeforeValidator(_lower)
Seconds = Annotated[float, Field(gt=0, le=10**7, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10**9)]
CountOrNone = Annotated[int, Field(ge=0, le=10**9)]
SecondsOrNone = Annotated[float, Field(ge=0, le=10**9, allow_inf_nan=False)]
Money = Annotated[float, Field(gt=0, allow_inf_nan=False)]
