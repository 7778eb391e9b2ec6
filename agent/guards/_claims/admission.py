"""Whether a final text says itself that the work is not done, or asks the user something instead of claiming it."""

from __future__ import annotations

from agent.guards._claims.sentences import sentences
from agent.guards._claims.words import words

_ADMITS = words(
    r"\b(?:(?:could|can|did|does|do)(?: not|n['’]t)\b|cannot\b|unable to\b"
    r"|still (?:fail|broken|red|open|crash|not)\w*|(?:tests?|build|it) (?:now )?fails?\b"
    r"|not (?:yet )?(?:been )?(?:fixed|solved|finished|complete\w*|working|done)\b"
    r"|(?:g[ai]ve|giving) up\b|unresolved\b|leave it here\b|[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b"
    r"|(?:konnte|kann|können)\b[^.!?\n]{0,80}\b(?:nicht|kein\w*)\b|gelang\w* (?:mir |es )?nicht\b"
    r"|nicht (?:behoben|gelöst|fertig|möglich|geschafft|gelungen|bestanden|abgeschlossen)\b"
    r"|schl(?:ägt|agen)\b[^.!?\n]{0,60}\bfehl\b|(?:immer )?noch (?:rot|kaputt|offen)\b"
    r"|l(?:äuft|aufen) (?:noch |weiterhin )?nicht\b|gebe auf\b|aufgegeben\b)"
)
_DONE = words(
    r"\b(?:fixed|solved|done|completed?|finished|resolved|implemented|works? now|all tests|everything)\b"
    r"|\b(?:behoben|gelöst|fertig|erledigt|abgeschlossen|umgesetzt|alle tests|alles)\b"
)
_COURTESY = words(
    r"\b(?:anything else|something else|need more|any questions|help|further|else|noch etwas|sonst noch|weitere|helfen|"
    r"fragen)\b"
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
