"""How a leg opens: the system prompt, filled in, and the tool list, as the fixed prefix of its requests."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.edges import Place
from agent.messages import clip
from agent.ports import Tool
from agent.steps import Opened
from agent.tool import spec

NOTES_FILE = "NOTES.md"
NOTES_BYTES = 4096
PACKAGED = Path(__file__).parent / "prompts" / "system.md"


def opener(
    *, prompt: Path | None, tools: Sequence[Tool], model: str, panel: str, mode: str, host: str, zone: datetime.tzinfo
) -> Callable[[str, Place, float], Opened]:
    """A function that opens legs: (session, place, wall time) -> Opened. Raises OSError if the prompt can't be read.

    The same session, place and day give the same bytes, so that a leg only ends when something in it changed.
    """
    template = (prompt or PACKAGED).read_text(encoding="utf-8")
    specs = tuple(spec(tool) for tool in tools)

    def opened(session: str, place: Place, at: float) -> Opened:
        day = datetime.datetime.fromtimestamp(at, zone).date().isoformat()
        nonce = hashlib.blake2b(session.encode(), digest_size=4, person=b"tail").hexdigest()
        fields = {"host": host, "session": session, "day": day, "cwd": place.cwd, "nonce": nonce}
        text = _filled(template, {**fields, "notes": _notes(place.workspace)})
        return Opened(
            at=at, prompt=text, tools=specs, model=model, panel=panel, day=day,
            cwd=place.cwd, nonce=nonce, workspace=place.workspace, mode=mode,
        )  # fmt: skip

    return opened


def _filled(template: str, fields: dict[str, str]) -> str:
    """Only our own placeholders are replaced: a user's prompt may hold any other braces."""
    for name, value in fields.items():
        template = template.replace("{" + name + "}", value)
    return template.strip()


def _notes(workspace: str) -> str:
    """What the user's notes file says, capped; a missing or odd one is no notes."""
    try:
        handle = os.open(Path(workspace) / NOTES_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            text = file.read(NOTES_BYTES + 4).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    return f"\nNotes that outlive a session ({NOTES_FILE} in the workspace; keep it short):\n{clip(text, NOTES_BYTES)}"
