"""What `jarvis list --prompt` prints: the prompt and the schemas that a model is sent first, and the size of each."""

from __future__ import annotations

import json
import math
import socket
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from agent.catalogue import tools
from agent.edges import Place
from agent.models.request import body_of
from agent.opening import Opener, template_of
from agent.room import RATIO, size_of
from agent.settings import Settings
from agent.steps import Opened, ToolSpec

NAMES = ("small", "mid", "large")
SESSION = "00000000000000000000000000000000"


def first_request(settings: Settings, tier: str) -> Opened:
    """The fixed part of a session's first request in this tier. Raises ConfigError for a prompt file that is none."""
    opener = Opener(
        template=template_of(settings.run.prompt_file),
        tools=tools(),
        model=settings.model.name or "model",
        panel=settings.guards.panel,
        mode=settings.run.mode,
        host=socket.gethostname(),
        zone=UTC,
        tier=tier,
        box="bubblewrap",
    )
    workspace = str(settings.run.workspace)
    return opener(SESSION, Place(workspace, workspace), datetime.now(UTC).timestamp())


def bytes_of(opened: Opened) -> int:
    """The first request's body without a message of the user's, as it goes over the wire."""
    return len(body_of(opened.model, [{"role": "system", "content": opened.prompt}], opened.tools, usage=True))


def tokens(size: int) -> int:
    """An estimate without a tokenizer: 3.5 bytes a token, rounded up."""
    return math.ceil(size / RATIO)


def shown(settings: Settings, tier: str = "") -> str:
    """One tier in full, the settings' own if none is named, and the sizes of all."""
    named = tier or settings.model.tier
    opened = first_request(settings, named)
    schemas = [f"{tool.name}: {tool.description}\n  {tool.parameters}" for tool in opened.tools]
    sizes = [line for name in ((tier,) if tier else NAMES) for line in _sizes(name, first_request(settings, name))]
    parts = [f"# prompt, tier {named}", opened.prompt, f"# tools, tier {named}", *schemas, *sizes]
    return "\n\n".join(parts[:4]) + "".join(f"\n{part}" for part in parts[4:])


def _sizes(name: str, opened: Opened) -> Iterator[str]:
    yield f"\n# sizes, tier {name}: bytes, and tokens at {RATIO} bytes each"
    rows: Sequence[tuple[str, int]] = (
        ("prompt", size_of(opened.prompt)),
        *((tool.name, _bytes_of(tool)) for tool in opened.tools),
        ("in all", bytes_of(opened)),
    )
    for what, size in rows:
        yield f"  {what:<16} {size:>6} {tokens(size):>6}"


def _bytes_of(tool: ToolSpec) -> int:
    function = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}
    return size_of(json.dumps({"type": "function", "function": function}, ensure_ascii=False, separators=(",", ":")))
