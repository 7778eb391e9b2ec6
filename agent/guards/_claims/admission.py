"""Whether a final text says itself that the work is not done, or asks the user something instead of claiming it."""

from __future__ import annotations

import re

from agent.guards._claims.sentences import sentences

_ADMITS = re.compile(
    r"\b(?:could|can|did|does|do)(?: not|n['’]t)\b|\bcannot\b|\bunable to\b"
    r"|\bstill (?:fail|broken|red|open|crash|not)\w*|\b(?:tests?|build|it) (?:now )?fails?\b"
    r"|\bnot (?:yet )?(?:been )?(?:fixed|solved|finished|complete\w*|working|done)\b"
    r"|\b(?:g[ai]ve|giving) up\b|\bunresolved\b|\bleave it here\b|\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b"
    r"|\b(?:konnte|kann|können)\b[^.!?\n]{0,80}\b(?:nicht|kein\w*)\b|\bgelang\w* (?:mir |es )?nicht\b"
    r"|\bnicht (?:behoben|gelöst|fertig|möglich|geschafft|gelungen|bestanden|abgeschlossen)\b"
    r"|\bschl(?:ägt|agen)\b[^.!?\n]{0,60}\bfehl\b|\b(?:immer )?noch (?:rot|kaputt|offen)\b"
    r"|\bl(?:äuft|aufen) (?:noch |weiterhin )?nicht\b|\bgebe auf\b|\baufgegeben\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:fixed|solved|done|completed?|finished|resolved|implemented|works? now|all tests|everything)\b"
    r"|\b(?:behoben|gelöst|fertig|erledigt|abgeschlossen|umgesetzt|alle tests|alles)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\b(?:anything else|something else|need more|any questions|help|further|else|noch etwas|sonst noch|weitere|helfen|"
    r"fragen)\b",
    re.IGNORECASE,
)


def admits(text: str) -> bool:
    """It says that something isn't done or doesn't work, and doesn't say beside it that all is well."""
    told = list(sentences(text))
    admitted = [_ADMITS.search(each) is not None for each in told]
    done = any(_DONE.search(each) for each, admitting in zip(told, admitted, strict=True) if not admitting)
    return any(admitted) and not done


def asks(text: str) -> bool:
    """It ends with a question to the user that isn't mere courtesy."""
    told = list(sentences(text))
    return bool(told) and told[-1].rstrip(" *_`)").endswith("?") and not _COURTESY.search(told[-1])
