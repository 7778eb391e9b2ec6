"""No sandbox: for machines that have neither. Whoever asks sees `confines` False and lets a person decide."""

from __future__ import annotations

from collections.abc import Sequence

from agent.ports import Box


class Unconfined:
    """agent.ports.Sandbox that confines nothing."""

    name = "none"
    confines = False
    complaint = ""

    def wrap(self, argv: Sequence[str], box: Box) -> list[str]:
        return list(argv)
