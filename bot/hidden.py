"""A step with what is shaped like a key hidden in all that a person is shown of it, before any of it is cut to fit: a
half of a key is no longer known for one. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agent import steps as s

Mask = Callable[[str], str]


def hidden(step: s.Step, mask: Mask) -> s.Step:
    """The same step, `mask` done to its texts."""
    match step:
        case s.Asked() | s.Corrected():
            return replace(step, text=mask(step.text))
        case s.Said():
            calls = tuple(replace(call, arguments=mask(call.arguments)) for call in step.calls)
            return replace(step, text=mask(step.text), calls=calls)
        case s.Finished():
            return replace(step, details=mask(step.details))
        case s.Nudged():
            return replace(step, text=mask(step.text), data=mask(step.data))
        case s.Failed():
            return replace(step, text=mask(step.text), causes=mask(step.causes))
        case s.Parked():
            return replace(step, why=mask(step.why), causes=mask(step.causes))
        case _:
            return step
