"""Why a run ended or waits, as the engine words it in the journal, in English: its own words."""

from __future__ import annotations


def reason(text: str) -> str:
    return text
