"""Sessions, their details, logs and checkpoints by command, in German."""

from __future__ import annotations

from bot.words.de.times import span

NEW_USAGE = "Schreib /new, um neu anzufangen, oder /new forget, um das Gespräch dieses Chats endgültig zu löschen."
FORGET_DO, KEEP = "Endgültig löschen", "Behalten"
FORGET_KEPT = "Behalten; nichts wurde gelöscht."
FORGET_ADMINS = "In einer Gruppe kann nur ein Admin das Gespräch löschen; es gehört allen."
FORGOTTEN = "Endgültig gelöscht: was hier gesagt wurde, was ich tat, die Checkpoints. Eine frische Sitzung beginnt."


def forget_offer(sessions: int) -> str:
    what = "die Sitzung dieses Chats" if sessions == 1 else f"alle {sessions} Sitzungen dieses Chats"
    return (
        f"Soll ich {what} endgültig löschen: Nachrichten, Schritte, Checkpoints? Das lässt sich nicht zurücknehmen. "
        "Ein Lauf, der noch geht, wird gestoppt. Dateien im Arbeitsordner bleiben, ebenso die Nachrichten auf deinem "
        "Bildschirm und die Summen von /usage."
    )


SESSIONS = "Sitzungen dieses Chats, die neueste zuerst:"
SESSIONS_TAP = "Ein Tipp nimmt eine wieder auf."
NO_SESSIONS = "Dieser Chat hat noch keine Sitzung. Schreib mir, um eine zu beginnen."
SESSION_IS_CURRENT = "In dieser Sitzung bist du schon."
SESSION_RUNS = "Hier läuft gerade etwas. Erst /stop, dann die andere Sitzung aufnehmen."


def session_is(seconds: float, current: bool) -> str:
    return f"{ago(seconds)}{' · aktuell' if current else ''}"


def ago(seconds: float) -> str:
    if seconds < 60:
        return "gerade eben"
    if seconds < 86_400:
        return f"vor {span(seconds // 60 * 60)}"
    days = round(seconds / 86_400)
    return "vor 1 Tag" if days == 1 else f"vor {days} Tagen"


def session_resumed(title: str) -> str:
    return f"Wieder in: {title}\nSchreib, um dort weiterzumachen."


LOG = {
    "opened": "begonnen  Modell {0}, Panel {1}, Modus {2}, {3}",
    "offered": "angeboten  Werkzeuge neu: {0}, weg: {1}",
    "asked": "gefragt  {0}",
    "corrected": "berichtigt  {0}",
    "said": "gesagt  {0}, {1} Tokens, {2}",
    "failed": "gescheitert  {0}, {1}",
    "proposed": "vorgeschlagen  {0} {1} ({2})",
    "started": "gestartet  {0}",
    "finished": "beendet  {0} {1}: {2}, {3}",
    "nudged": "Hinweis  {0} {1}",
    "looking": "nachgesehen  {0} {1}",
    "seen": "gesehen  {0} {1}",
    "decided": "entschieden  {0} {1} von {2}",
    "commanded": "befohlen  {0} {1} von {2}",
    "handed": "übergeben  {0}",
    "parked": "wartet",
    "parked until": "wartet  bis {0}",
    "resumed": "fortgesetzt  {0}",
    "purged": "entfernt  {0} bis {1}",
    "ended": "Ende  {0}",
}
NO_DETAILS = "Noch ist nichts geschehen."
OLDER, NEWER = "‹ Älter", "Neuer ›"
NO_LOG = "In dieser Sitzung ist noch nichts geschehen."
NO_CHECKPOINT = "In dieser Sitzung wurde noch nichts verlangt, also gibt es nichts festzuhalten."
CHECKPOINT_NOW = "Checkpoint, wie es jetzt steht"


def details(page: int, pages: int, text: str) -> str:
    return f"Details · Seite {page} von {pages}\n\n{text}" if pages > 1 else f"Details\n\n{text}"


def detail_said(turn: int, text: str) -> str:
    return f"Runde {turn}: {text}"


def log_caption(steps: int, *, cut: bool) -> str:
    what = f"{steps} {'Schritt' if steps == 1 else 'Schritte'} dieser Sitzung"
    return f"{what}; die ältesten fehlen" if cut else what


DOCTOR_BEGUN = "Ich prüfe alle Teile. Mit einem langsamen Modell dauert das Minuten; der Bericht kommt von selbst."
DOCTOR_BUSY = "Ich prüfe schon; der Bericht kommt von selbst."
