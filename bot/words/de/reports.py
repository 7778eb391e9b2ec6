"""Usage, the roster, undo and the footer, in German."""

from __future__ import annotations

from bot.words.de.times import number

USAGE_HERE, USAGE_ALL, USAGE_YOURS = "Verbrauch, dieser Chat", "Verbrauch, alle Chats", "Verbrauch, deiner"
BY_PERSON, BY_MODEL, ALL_CHATS, BUDGETS = "Je Person, 30 Tage", "Je Modell, 30 Tage", "Alle Chats", "Budgets"
YOU, UNKNOWN, COST_UNKNOWN = "du", "unbekannt", "Kosten unbekannt"
SPENDERS = {"critic": "Durchsichten", "subagent": "Unteragenten", "debate": "Debatten"}
NOTHING_SPENT = "Noch wurde nichts verbraucht."
IN_PRIVATE = "deines: frag mich privat"
PERIODS = {1: "Heute", 7: "7 Tage", 30: "30 Tage"}
MEASURES = {"tokens": "Tokens", "calls": "Aufrufe", "money": "Geld"}
BUDGET = {"run": "ein Lauf", "user_day": "du", "day": "alle"}


def day_begins(zone: str) -> str:
    return f"Ein Tag beginnt um 00:00 {zone}."


def calls(figure: str, count: int) -> str:
    return f"{figure} {'Aufruf' if count == 1 else 'Aufrufe'}"


def in_and_out(prompt: str, cached: str, completion: str) -> str:
    return f"{prompt} rein{f' ({cached} Cache)' if cached else ''} · {completion} raus"


def tokens_of(figure: str) -> str:
    return f"{figure} Tokens"


def seconds_of_work(figure: float) -> str:
    return f"{number(figure)} s Arbeit"


def and_unknown(cost: str) -> str:
    return f"{cost} + unbekannt"


def share_of(percent: str, measure: str) -> str:
    return f"{percent} ({MEASURES.get(measure, measure)})"


def used_of(used: str, limit: str, percent: str) -> str:
    return f"{used} von {limit}, {percent}"


def and_more_lines(count: int) -> str:
    return f"… und {count} mehr"


def files_changed(count: int) -> str:
    return ("1 Datei" if count == 1 else f"{count} Dateien") if count else ""


def commands_run(count: int) -> str:
    return ("1 Befehl" if count == 1 else f"{count} Befehle") if count else ""


ROSTER = "Wer mit mir reden darf"
ROLES = {
    "owner": "Besitzer",
    "admin": "Admin",
    "operator": "Operator",
    "viewer": "Viewer",
    "ignored": "ignoriert",
}
BY_SETTINGS = "Einstellungen"
MAY_NOT, WAITS = "darf nicht mit mir reden", "wartet auf deine Antwort"
NOT_IN_FORCE = "gilt nicht: die Einstellungen sagen anderes"


def groups(chats: str) -> str:
    return f"Gruppen: {chats}"


def waiting_people(people: str) -> str:
    return f"Wartet auf den Besitzer: {people}"


def ignored_people(people: str) -> str:
    return f"Ignoriert: {people}"


CANNOT = "Was ich nicht zurückholen kann:"
NOTHING_LEFT = "Sonst ist vom letzten Lauf nichts zurückzunehmen."
NOTHING_TO_UNDO = "Nichts zurückzunehmen: Die Dateien sind wie vor dem letzten Lauf."
UNDO_AGAIN = "Noch einmal /undo macht das rückgängig."
CHANGED_SINCE = "seither von anderen geändert; bleibt, wie es ist"
UNDO_REASONS = {
    "too large": "über 16 MB, keine Kopie aufgehoben",
    "special": "ein Gerät, eine Pipe oder ein Socket",
    "unreadable": "war nicht zu lesen, als es aufzuheben war",
    "over budget": "keine Kopie: Der Arbeitsordner ist zu groß, um alles aufzuheben",
    "no room": "keine Kopie: Die Platte war voll",
    "not kept": "was neu gemacht werden kann, wird nicht aufgehoben",
    "too many files": "zu viele Dateien darin",
    "unknown": "was vorher da war, ist nicht bekannt",
    "shared": "gleichzeitig lief ein Befehl einer anderen Sitzung; wessen Änderung es war, ist nicht bekannt",
    "no baseline": "ein Befehl lief, als nichts aufgehoben werden konnte; was er änderte, ist nicht bekannt",
    "damaged": "die Kopie ist beschädigt",
    "not empty": "enthält Dateien, die nicht der Lauf gemacht hat",
}


def elsewhere(root: str) -> str:
    return f"Was Befehle außerhalb von {root} geändert haben, ist nicht bekannt."


def would_restore(count: int) -> str:
    return f"Wird wieder, wie es war: {paths(count)}"


def would_delete(count: int) -> str:
    return f"Vom Lauf gemacht, kommt weg: {paths(count)}"


def undo_failed(count: int) -> str:
    return f"Nicht zurückgenommen: {paths(count)}:"


def undo_changed(count: int) -> str:
    return f"{paths(count)} {CHANGED_SINCE}:"


def undone(restored: int, deleted: int) -> str:
    if not restored and not deleted:
        return "Nichts wurde geändert."
    return f"Zurückgenommen: {paths(restored)} wiederhergestellt, {deleted} entfernt."


def paths(count: int) -> str:
    return "1 Pfad" if count == 1 else f"{count} Pfade"
