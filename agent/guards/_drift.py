"""What guards know of drift between files: the newest answer of the probe in words, and whether it is out of date."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from agent.drift.paths import is_source
from agent.messages import clip
from agent.steps import Asked, Change, Ended, Finished, Looking, Seen, Step

PROBE = "drift"
LINE = 200  # bytes of a mismatch in words
GIVEN = 6  # real names in it


@dataclass(slots=True)
class Names:
    """Fold each step. `found` are the mismatches in words; `stale`: sources changed since they were looked for; `open`
    are the looks without an answer."""

    found: tuple[str, ...] = ()
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
                self.found, self.stale = lines_of(step), False
            case Asked() if not self.running:
                self.found, self.stale, self.running = (), False, True
                self.open.clear()
            case Ended():
                self.running = False
            case _:
                pass


def is_drifting(change: Change) -> bool:
    """Whether names may have come or gone by it."""
    return is_source(change.path) and (change.before is None or change.before != change.after)


def lines_of(seen: Seen) -> tuple[str, ...]:
    """The mismatches in words; none where the probe had no answer."""
    try:
        value = json.loads(seen.value) if seen.status == "ok" else None
    except ValueError:
        return ()
    found = value.get("found") if isinstance(value, dict) else None
    return tuple(_line(each) for each in found if isinstance(each, dict)) if isinstance(found, list) else ()


def _line(found: dict[str, Any]) -> str:
    where, module, symbol = f"{found.get('file')}:{found.get('line')}", found.get("module"), found.get("symbol")
    if not symbol:
        return _plain(f"{where} imports '{module}', and there is no such file")
    given = list(found.get("gives") or ())
    more = f" and {len(given) - GIVEN} more" if len(given) > GIVEN else ""
    names = f"{', '.join(map(str, given[:GIVEN]))}{more}" if given else "nothing"
    what = "a default export" if symbol == "default" else f"'{symbol}'"
    return _plain(f"{where} takes {what} from '{module}', but {found.get('target')} exports {names}")


def _plain(text: str) -> str:
    return clip("".join(each if each.isprintable() else "?" for each in text), LINE)
