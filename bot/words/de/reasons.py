"""Why a run ended or waits: the engine's sentences, which the journal keeps in English, in German."""

from __future__ import annotations

import re

SENTENCES: tuple[tuple[str, str], ...] = (
    (r"All (\d+) turns are used and nothing new came of them\. How shall I go on\?",
     r"Alle \1 Runden sind verbraucht, und es kam nichts Neues dabei heraus. Wie soll ich weitermachen?"),
    (r"All (\d+) turns are used, for the (\w+) time\. Shall I go on\?",
     r"Alle \1 Runden sind verbraucht, und das wiederholt (\2). Soll ich weitermachen?"),
    (r"Unresolved: an error is still open: (.*)", r"Ungelöst: Ein Fehler ist noch offen: \1"),
    (r"Unresolved: this came on the last of (\d+) turns, unchecked\.",
     r"Ungelöst: Das kam in der letzten von \1 Runden, ungeprüft."),
    (r"Nobody approved the call in time\. Write to me to go on without it\.",
     r"Niemand hat den Aufruf rechtzeitig freigegeben. Schreib mir, um ohne ihn weiterzumachen."),
    (r"This run was interrupted by a crash more than three times without getting anywhere, so I don't start it again\. "
     r"Write to me to go on\.",
     r"Dieser Lauf wurde mehr als dreimal von einem Absturz unterbrochen, ohne voranzukommen; ich starte ihn nicht "
     r"noch einmal. Schreib mir, um weiterzumachen."),
    (r"Something in Jarvis itself broke \((\w+)\); the log has the details\. Write to go on\.",
     r"In Jarvis selbst ist etwas kaputtgegangen (\1); Näheres steht im Log. Schreib, um weiterzumachen."),
)  # fmt: skip


def reason(text: str) -> str:
    """What isn't known here stays as it is."""
    for english, german in SENTENCES:
        if found := re.fullmatch(english, text, re.DOTALL):
            return found.expand(german)
    return text
