"""What guards know of drift between files: the newest answer of the probe in words, and whether it is out of date."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from agent.causes import Cause, because, masked
from agent.drift.paths import is_source
from agent.messages import clip
from agent.steps import Asked, Change, Ended, Finished, Looking, Seen, Step
from agent.why import Why

PROBE = "drift"
LINE = 200  # bytes of a mismatch in words
GIVEN = 6  # real names in it


@dataclass(slots=True)
class Names:
    """Fold each step. `causes` are the mismatches; `stale`: sources changed since they were looked for; `open` are the
    looks without an answer."""

    causes: tuple[Cause, ...] = ()
    stale: bool = False
    open: set[str] = field(default_factory=set)
    running: bool = False

    def fold(self, step: Step) -> None:
        match step:
            case Finished(files=files) if files:
                self.stale = self.stale or any(map(is_drifting, files))
            case Looking(probe=probe, look=look) if probe == PROBE:
                self.open.add(look)
            case Seen(look=look) if look in self.open:
                self.open.discard(look)
                self.causes, self.stale = mismatches(step), False
            case Asked() if not self.running:
                self.causes, self.stale, self.running = (), False, True
                self.open.clear()
            case Ended():
                self.running = False
            case _:
                pass

    @property
    def found(self) -> tuple[str, ...]:
        """The mismatches in words."""
        return tuple(clip(str(cause), LINE) for cause in self.causes)


def is_drifting(change: Change) -> bool:
    """Whether names may have come or gone by it."""
    return is_source(change.path) and (change.before is None or change.before != change.after)


def mismatches(seen: Seen) -> tuple[Cause, ...]:
    """What the probe found; nothing where it had no answer."""
    try:
        value = json.loads(seen.value) if seen.status == "ok" else None
    except ValueError:
        return ()
    found = value.get("found") if isinstance(value, dict) else None
    return tuple(_mismatch(each) for each in found if isinstance(each, dict)) if isinstance(found, list) else ()


def _mismatch(found: dict[str, Any]) -> Cause:
    where, module, symbol = f"{found.get('file')}:{found.get('line')}", str(found.get("module")), found.get("symbol")
    if not symbol:
        return masked(because(Why.NO_SUCH_FILE, where, module), _plain)
    given, target = [str(each) for each in found.get("gives") or ()], str(found.get("target"))
    names: Cause | str = ", ".join(given[:GIVEN]) or because(Why.NOTHING)
    if len(given) > GIVEN:
        names = because(Why.AND_MORE, ", ".join(given[:GIVEN]), len(given) - GIVEN)
    if symbol == "default":
        return masked(because(Why.NO_DEFAULT, where, module, target, names), _plain)
    return masked(because(Why.NO_EXPORT, where, str(symbol), module, target, names), _plain)


def _plain(text: str) -> str:
    return clip("".join(each if each.isprintable() else "?" for each in text), LINE)
