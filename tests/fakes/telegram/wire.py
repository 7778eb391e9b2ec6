"""The shapes on the wire: parameters by their types, refusals with the server's words, and the record of each call."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.http import Form, Request, Upload

Params = dict[str, Any]
Json = Any


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


JSON_FIELDS = words(
    "reply_markup entities caption_entities reply_parameters link_preview_options allowed_updates "
    "commands scope reaction"
)
INT_FIELDS = words("chat_id user_id message_id message_thread_id offset limit timeout reply_to_message_id draft_id")
BOOL_FIELDS = words("drop_pending_updates disable_notification allow_sending_without_reply show_alert")


class ApiError(Exception):
    """The server says no. `parameters` holds retry_after or migrate_to_chat_id."""

    def __init__(self, code: int, description: str, parameters: dict[str, int] | None = None) -> None:
        super().__init__(description)
        self.code, self.description, self.parameters = code, description, parameters or {}

    def body(self) -> Json:
        body = {"ok": False, "error_code": self.code, "description": self.description}
        return {**body, "parameters": self.parameters} if self.parameters else body


def bad(description: str, parameters: dict[str, int] | None = None) -> ApiError:
    return ApiError(400, "Bad Request: " + description, parameters)


@dataclass(slots=True)
class ApiCall:
    """One call of a method, in the order of arrival. Times are monotonic seconds; `status` 0 is a reset."""

    seq: int
    at: float
    method: str
    params: Params
    files: dict[str, Upload] = field(default_factory=dict)
    status: int | None = None  # None while it is being answered
    done_at: float | None = None
    result: Json = None
    error: str = ""

    @property
    def chat(self) -> int | None:
        return self.params.get("chat_id")

    @property
    def shown(self) -> str:
        """The text as a person reads it if the call succeeded, else as it was sent."""
        source = self.result if isinstance(self.result, dict) else self.params
        return str(source.get("text") or source.get("caption") or "")


def parameters(request: Request) -> tuple[Params, dict[str, Upload]]:
    """Query, form or JSON body as typed parameters, and the uploaded files. Raises ApiError."""
    form = Form()
    sent: Params = dict(request.query)
    if request.content_type == "application/json" and request.body:
        try:
            body = json.loads(request.body)
        except ValueError:
            raise bad("can't parse JSON object") from None
        if not isinstance(body, dict):
            raise bad("object expected as request")
        sent |= body
    else:
        form = request.form()
        sent |= form.fields
    return {name: _typed(name, value) for name, value in sent.items() if value != ""}, form.files


def _typed(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in JSON_FIELDS:
        try:
            return json.loads(value)
        except ValueError:
            raise bad(f"can't parse {name} JSON object") from None
    if name in INT_FIELDS and re.fullmatch(r"-?\d+", value):
        return int(value)
    return value.lower() in ("true", "1", "yes") if name in BOOL_FIELDS else value
