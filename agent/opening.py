"""How a leg opens: the system prompt, filled in, and the tool list, as the fixed prefix of its requests."""

from __future__ import annotations

import datetime
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.edges import Place
from agent.errors import ConfigError
from agent.messages import clip
from agent.ports import Tool
from agent.room import RATIO, affordable
from agent.steps import Opened
from agent.tiers import offered, tier_for
from agent.tool import spec
from agent.toolbox import MOST
from agent.window import Window

NOTES_FILE = "NOTES.md"
NOTES_BYTES = 4096
NOTES_SHARE = 8  # the notes may take one part in so many of the context
PROMPTS = Path(__file__).parent / "prompts"
LONGEST_PROMPT = 64_000  # bytes
_PLACE = re.compile(r"\{([a-z]+)\}")
BOXES = {
    "bubblewrap": "- Commands run in a sandbox unless a person lets one out: only the workspace can be written, there "
    "is no network, and /tmp is the sandbox's own: not the host's, and the file tools don't see it.",
    "landlock": "- Commands run in a sandbox unless a person lets one out: only the workspace and $TMPDIR can be "
    "written, /tmp can't, and there is no network.",
}


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens legs. `box` is the sandbox's name, "" where nothing is confined; `context` is the setting, in tokens.

    The same session, place and day give the same bytes, so that a leg only ends when something in it changed.
    """

    template: str
    tools: Sequence[Tool]
    model: str
    panel: str
    mode: str
    host: str
    zone: datetime.tzinfo
    tier: str = "mid"
    context: int = 0
    box: str = ""
    window: Window = field(default_factory=Window)
    more: Callable[[], Iterable[Tool]] = tuple  # what the registries hold at the moment

    def __call__(self, session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
        """The Opened of a leg at wall time `at`, for another model than the settings' where one is named, and for a
        context of fewer tokens where there are fewer."""
        model = model or self.model
        known = self.window.context(model, self.context)
        context = min(known, context) if known and context else known or context
        tier = tier_for(self.tier, context)
        day = datetime.datetime.fromtimestamp(at, self.zone).date().isoformat()
        nonce = hashlib.blake2b(session.encode(), digest_size=4, person=b"tail").hexdigest()
        notes = _notes(place.workspace, min(NOTES_BYTES, int(context * RATIO) // NOTES_SHARE or NOTES_BYTES))
        fields = {
            "host": self.host, "session": session, "day": day, "cwd": place.cwd, "nonce": nonce, "notes": notes,
            "tier": _packaged(tier.name), "box": "" if self.mode == "full" else BOXES.get(self.box, ""),
        }  # fmt: skip
        ratio = self.window.ratio(model)
        there = (*map(spec, offered(self.tools, tier)), *affordable(map(spec, self.more()), context, ratio))[:MOST]
        return Opened(
            at=at, prompt=_filled(self.template, fields), tools=there,
            model=model, panel=self.panel, day=day, cwd=place.cwd, nonce=nonce, workspace=place.workspace,
            mode=self.mode, tier=tier.name, context=context, ratio=ratio,
        )  # fmt: skip


def template_of(file: Path | None) -> str:
    """The system prompt before it is filled in: the user's own or the package's. Raises ConfigError for a file that
    can't be one: the rules that somebody gave the agent must not go missing in silence."""
    if file is None:
        return _packaged("system")
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as opened:
            raw = opened.read(LONGEST_PROMPT + 1)
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise _unusable(file, f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise _unusable(file, "is not UTF-8 text") from None
    if len(raw) > LONGEST_PROMPT:
        raise _unusable(file, f"has more than {LONGEST_PROMPT} bytes")
    if not text.strip():
        raise _unusable(file, "is empty")
    return text


def _unusable(file: Path, why: str) -> ConfigError:
    return ConfigError(
        f"The prompt file {file} {why}. Mend it, or unset JARVIS_RUN__PROMPT_FILE to use the prompt of the package."
    )


def _packaged(name: str) -> str:
    return (PROMPTS / f"{name}.md").read_text("utf-8").strip()


def _filled(template: str, fields: dict[str, str]) -> str:
    """Only our own placeholders are replaced, each once and none within what another brought: a user's prompt may hold
    any other braces. A line that held nothing but an empty one goes."""
    lines = []
    for line in template.splitlines():
        empty = line.startswith("{") and fields.get(line.strip("{} ")) == ""
        lines += [] if empty else [_PLACE.sub(lambda found: fields.get(found[1], found[0]), line)]
    return "\n".join(lines).strip()


def _notes(workspace: str, limit: int) -> str:
    """What the user's notes file says, capped; a missing or odd one is no notes."""
    try:
        handle = os.open(Path(workspace) / NOTES_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            text = file.read(limit + 4).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    return f"\nNotes that outlive a session ({NOTES_FILE} in the workspace; keep it short):\n{clip(text, limit)}"
