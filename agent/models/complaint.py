"""What a provider says is wrong, read out of the many shapes in which providers say it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

MESSAGE_LIMIT = 200  # characters of a provider's words that may reach a person

_KEY = re.compile(r"\b(?:sk|pk|key|bearer|token)[-_ ][^\s,;'\"]{6,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error as the provider reported it. `status` is None in the middle of a stream; `words` is code, type and
    message in lower case, for recognising; `message` is for a person; `retry_after` is in seconds."""

    status: int | None
    words: str = ""
    message: str = ""
    retry_after: float | None = None


def complaint_of(status: int | None, body: object, headers: Mapping[str, str], now: float) -> Complaint:
    """Read a response with an error. `body` is parsed JSON or text; `now` is wall time, for an HTTP date."""
    error = _innermost(body)
    code = error.get("code")
    if status is None and isinstance(code, int) and 400 <= code < 600:
        status = code
    message = _first_text(error, "message", "detail", "error", "msg")
    metadata = error.get("metadata")
    raw = json.dumps(metadata, ensure_ascii=False, default=str) if isinstance(metadata, dict) else ""
    counts = " ".join(f"{name}={error[name]}" for name in ("n_prompt_tokens", "n_ctx") if name in error)
    place = error.get("param") or error.get("loc") or ("" if message else error.get("detail")) or ""
    where = json.dumps(place, ensure_ascii=False, default=str)[:2000]
    words = f"{code} {error.get('type')} {error.get('status')} {message[:2000]} {where} {raw[:2000]} {counts}".lower()
    return Complaint(status, words, clean(message), retry_after(headers, now))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait from `retry-after-ms` or `retry-after` (RFC 9110, 10.2.3: seconds or an HTTP date)."""
    exact = _seconds(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    value = headers.get("retry-after")
    seconds = _seconds(value)
    if seconds is not None or value is None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def clean(message: str) -> str:
    """A provider's words fit for a person: one line, no markup, no JSON, nothing shaped like a key."""
    if "<" in message and ">" in message:
        return ""
    line = " ".join(message.split("{", 1)[0].split())
    line = _KEY.sub("(key)", line).rstrip(" :,[")
    return line if len(line) <= MESSAGE_LIMIT else line[: MESSAGE_LIMIT - 1] + "…"


def _innermost(body: object) -> dict[str, object]:
    """The object that holds the message: under `error`, in a list, or the body itself."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return {"message": body} if isinstance(body, str) else {}
    error = body.get("error")
    if isinstance(error, dict):
        return error
    return body


def _first_text(error: Mapping[str, object], *names: str) -> str:
    return next((value for name in names if isinstance(value := error.get(name), str) and value), "")


def _seconds(value: str | None) -> float | None:
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
