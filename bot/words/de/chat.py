"""What the desk says, in German."""

from __future__ import annotations

HELLO = "Ich bin Jarvis, ein Agent auf diesem Server. Sag mir einfach, was zu tun ist. /help zeigt die Befehle."
IN_GROUPS = (
    "In Gruppen antworte ich, wo ich mit @ genannt bin, auf Antworten an mich und auf Befehle; jedes Thema ist eine "
    "eigene Sitzung."
)
NEW = "Eine frische Sitzung. Von vorher weiß ich nichts mehr, außer NOTES.md im Arbeitsordner."
NOTHING_RUNS = "Es läuft nichts."
STOPPED = "Gestoppt. Davon läuft nichts mehr."
STOPPING = "Ich stoppe; ein Befehl wird gerade beendet."
NOT_YOURS = "Stoppen kann diesen Lauf nur, wer ihn wollte, oder ein Admin."
VIEWERS_READ = "Du darfst zusehen, nicht auftragen: Deine Rolle hier ist Viewer. Der Besitzer kann das ändern: /users."
EXPIRED = "Dieser Knopf gilt nicht mehr."
TOO_LATE = "Diese Änderung kam nach dem Ende des Laufs, deshalb ändert sich nichts. Schick eine neue Nachricht."
RESTARTED = (
    "Ich wurde neu gestartet, während ein Befehl lief. Vielleicht lief er bis zum Ende, vielleicht nicht; ich habe ihn "
    "nicht noch einmal gestartet und mache hier weiter."
)
BROKEN = (
    "Bei dieser Nachricht ist in Jarvis etwas kaputtgegangen; ich habe nichts getan. Näheres steht im Log; bitte "
    "versuch es noch einmal."
)
UNREADABLE = (
    "Was hier vorher gesagt wurde, ist nicht mehr lesbar; ich habe mit dieser Nachricht nichts getan. Näheres steht im "
    "Log. /new beginnt ein neues Gespräch."
)
NOTHING_SAID = "Ja? Schreib in dieselbe Nachricht wie meinen Namen, was zu tun ist."
ANONYMOUS = (
    "Ich kann nicht sehen, wer das schreibt: Es kommt im Namen des Chats. Schalte „Anonym bleiben“ aus oder schreib "
    "unter deinem Namen; dann kann ich etwas tun."
)
STOP_HINT = "Das liest der Lauf beim nächsten Schritt. /stop beendet ihn sofort."
STOPS = ("stop", "stopp", "stop!", "stopp!", "halt", "abbrechen", "abbruch")
TOPIC_GONE = "(Das Thema, zu dem das gehört, ist geschlossen oder weg.)"
UNREAD = (
    "Telegram hat etwas geschickt, das ich nicht lesen kann. Ich habe es beiseitegelegt und mache weiter; warum, steht "
    "im Log. Wenn eine Antwort fehlt, schreib bitte noch einmal. Ich sage das einmal am Tag."
)
INVISIBLE = "Die Antwort des Modells enthält nichts, was sich zeigen lässt."
CUT = "(Die Antwort wurde an der Token-Grenze des Modells abgeschnitten.)"


def not_allowed(chat: str) -> str:
    return (
        f"Du hast mir in der Gruppe {chat} geschrieben, für die ich nicht da bin; dort habe ich nichts gesagt. Trag "
        f"{chat} in JARVIS_ACCESS__CHATS ein und starte mich neu, dann bin ich es."
    )


def elsewhere_running(count: int) -> str:
    return f"In anderen Themen dieser Gruppe {'laufen' if count > 1 else 'läuft'} noch {count}; sag es dort."


KINDS = {
    "animation": "eine Animation",
    "photo": "ein Foto",
    "audio": "eine Tondatei",
    "video": "ein Video",
    "voice": "eine Sprachnachricht",
    "video_note": "eine Videonachricht",
    "sticker": "ein Sticker",
    "location": "ein Standort",
    "contact": "ein Kontakt",
    "poll": "eine Umfrage",
    "dice": "ein Würfel",
    "game": "ein Spiel",
    "story": "eine Story",
    "checklist": "eine Checkliste",
    "paid_media": "bezahlte Medien",
    "invoice": "eine Rechnung",
    "file": "eine Datei",
    "giveaway": "ein Gewinnspiel",
    "other": "eine Nachricht unbekannter Art",
}
PROBLEMS = {
    "unreachable": "Telegram ist nicht zu erreichen ({0}); ich versuche es weiter.",
    "conflict": (
        "Ein anderes Programm benutzt denselben Bot-Token (409 Conflict): Stopp es, sonst kommen Nachrichten dort an."
    ),
    "unstored": "Neue Nachrichten lassen sich nicht speichern ({0}); ich versuche es weiter.",
}
WARNINGS = {"root": "Ich laufe als root, also auch jeder Befehl. Ein eigener Benutzer ist sicherer."}


def unusable(kind: str) -> str:
    return f"Damit kann ich noch nichts anfangen ({KINDS.get(kind, KINDS['other'])}). Bitte schreib es als Text."


def unreachable(chat: str, why: str) -> str:
    return f"In den Chat {chat} kann ich nicht schreiben: {why}. Was dort zu sagen war, geht später hinaus."


def stopped(run: bool, jobs: int, left: int) -> str:
    parts = [STOPPED] if run else []
    parts += ["1 Hintergrundjob beendet." if jobs == 1 else f"{jobs} Hintergrundjobs beendet."] if jobs else []
    still = "1 früher begonnener läuft noch" if left == 1 else f"{left} früher begonnene laufen noch"
    parts += [f"{still}; noch einmal /stop beendet sie."] if left else []
    return " ".join(parts) or NOTHING_RUNS


def jobs_run(count: int) -> str:
    jobs = "1 Hintergrundjob läuft" if count == 1 else f"{count} Hintergrundjobs laufen"
    return f"{jobs}; /stop beendet sie, wenn sonst nichts läuft."


def stale(minutes: int) -> str:
    return f"Diese Nachricht wartete {minutes} min, während ich weg war. Ich fange jetzt an; /stop, falls zu spät."
