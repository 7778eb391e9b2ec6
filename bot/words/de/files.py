"""Files, voice messages and edits, in German."""

from __future__ import annotations

from collections.abc import Sequence

EDITED_COMMAND = "Eine Bearbeitung führt keinen Befehl aus. Schick ihn als neue Nachricht."
EDIT_STARTS_NOTHING = "Eine Bearbeitung beginnt nichts. Schick es als neue Nachricht."
CANNOT_HEAR = "Sprachnachrichten kann ich nicht hören: Hier ist keine Umschrift eingerichtet. Bitte schreib."


def too_large(name: str) -> str:
    return f"{name} kann ich nicht holen: Ein Bot darf höchstens 20 MB laden. Schick es kleiner oder als Link."


def not_fetched(name: str, why: str) -> str:
    return f"{name} konnte ich nicht von Telegram holen ({why}). Bitte schick es noch einmal."


def not_saved(name: str, why: str) -> str:
    return f"{name} konnte ich nicht in den Eingang des Arbeitsordners legen ({why})."


def not_heard(why: str) -> str:
    return f"Die Sprachnachricht war nicht zu verstehen ({why}). Bitte schick sie noch einmal, oder als Text."


def more_of_album(names: Sequence[str]) -> str:
    return f"Zum Album gelegt: {', '.join(names)}. Sag mir, ob ich es auch ansehen soll."


def file_lost(name: str) -> str:
    return f"{name} habe ich nicht geschickt: Die Datei wurde inzwischen geändert oder ist weg. Frag noch einmal."


def file_refused(name: str) -> str:
    why = "Der Dienst nahm sie nicht. Sie darf höchstens 50 MB haben, und der Chat muss Dateien erlauben."
    return f"(Die Datei {name} ließ sich nicht senden: {why})"
