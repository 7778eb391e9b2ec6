"""The commands, their help and their answers, in German."""

from __future__ import annotations

from collections.abc import Sequence

from bot.words.de.times import span

HELP = {
    "status": "was gerade läuft",
    "stop": "den Lauf stoppen, mit allem, was er gestartet hat",
    "pause": "den Lauf vor dem nächsten Schritt anhalten",
    "resume": "einen angehaltenen Lauf fortsetzen",
    "new": "neu anfangen; /new forget löscht das Gespräch dieses Chats",
    "sessions": "frühere Gespräche, zum Wiederaufnehmen",
    "checkpoint": "was getan und was offen ist, um später hier weiterzumachen",
    "undo": "zurücknehmen, was der letzte Lauf geschrieben hat",
    "plan": "die Schritte der Aufgabe, und was zeigt, dass sie getan sind",
    "usage": "was das Modell verbraucht hat: Tokens, Geld, Budgets",
    "model": "wie es um die Modelle steht; ein anderes für diesen Chat",
    "mode": "was ohne Nachfrage läuft: sandbox, ask oder full",
    "tools": "was ich benutzen kann, und welche deiner Werkzeuge nicht gehen",
    "verbosity": "wie viel ich erzähle: quiet, normal oder full",
    "log": "die Schritte dieser Sitzung als Datei",
    "users": "wer mit mir reden darf",
    "lock": "Notfall: alles stoppen, nur der Besitzer kommt noch herein",
    "doctor": "alle Teile prüfen und sagen, was zu beheben ist",
    "help": "was ich kann",
    "start": "Hallo sagen",
}


def unknown_command(name: str, nearest: str | None) -> str:
    hint = f" Meintest du /{nearest}?" if nearest else ""
    return f"/{name} kenne ich nicht.{hint} /help zeigt, was ich kenne."


def help_text(commands: Sequence[tuple[str, str]]) -> str:
    lines = [f"/{name} – {what}" for name, what in commands]
    return "\n".join(["Schreib, was zu tun ist; während ich arbeite, lenkt mich jede weitere Nachricht.", "", *lines])


NOT_OFFERED = "⚠ Nicht im Angebot:"
NO_TOOLS = "keine"


def built_in_tools(names: str) -> str:
    return f"Eingebaut: {names}"


REGISTRIES = {"Custom": "Eigene", "MCP": "MCP"}
MODES = {
    "sandbox": "Arbeit im Arbeitsordner läuft von selbst, alles darüber hinaus braucht ein OK",
    "ask": "Lesen läuft von selbst, alles andere braucht ein OK",
    "full": "alles läuft ohne Nachfrage",
}
MODE_USAGE = "Schreib /mode sandbox, /mode ask oder /mode full, auf Wunsch mit Dauer: /mode full 2h (höchstens 8h)."
FULL_IN_PRIVATE = "Modus full kann nur der Besitzer setzen, und nur im privaten Chat mit mir."
OWNER_LOOSENS = "Nur der Besitzer kann den Modus lockern; ein Admin kann ihn verschärfen."
MODE_TOO_LONG = "Höchstens 8 h: /mode full 8h. Für länger setze JARVIS_RUN__MODE auf dem Server."
MODE_OVER = "Diese Nachricht wartete, während ich weg war, und ihre Zeit ist um. Es ändert sich nichts."
LOCK_USAGE = "Schreib /lock, um alles zu stoppen, /lock off (nur der Besitzer), um wieder zu öffnen."
UNLOCKED = "Entsperrt. Wer mit mir reden darf, kann es wieder."
LOCKED = "⚠ Gesperrt: Nur der Besitzer darf mit mir reden, bis /lock off."
PRIVACY = "In Gruppen sehe ich nur Befehle, Antworten an mich und Erwähnungen (Telegrams Privacy-Modus)."
LOCKED_OUT = "Ich bin gesperrt. Nur der Besitzer darf mit mir reden, bis er /lock off sagt."


def mode_is(mode: str, standing: str, until: str) -> str:
    if mode == standing and not until:
        return f"Modus {mode}: {MODES[mode]}."
    back = f"bis {until}; dann wieder {standing}" if until else f"bis ihn jemand ändert; eingestellt ist {standing}"
    return f"Modus {mode}, {back}. {mode.capitalize()}: {MODES[mode]}."


def until(mode: str, when: str) -> str:
    return f"{mode} bis {when}"


def mode_back(mode: str) -> str:
    return f"Die Zeit ist um: wieder Modus {mode}. {mode.capitalize()}: {MODES[mode]}."


def locked(stopped: int) -> str:
    runs = "1 Lauf gestoppt." if stopped == 1 else f"{stopped} Läufe gestoppt." if stopped else "Es lief nichts."
    return f"Gesperrt. {runs} Nur der Besitzer darf jetzt mit mir reden, bis /lock off."


# -- pause and status -----------------------------------------------------------------------------------------------
UNDER_WAY = "Ich bin dabei; der Speicher nimmt es nur langsam an."
PAUSED_ALREADY = "Der Lauf ist schon angehalten. /resume oder eine Nachricht setzt ihn fort."
NOT_PAUSED = "Der Lauf ist nicht angehalten; er geht weiter."
GOES_ON_NOW = "Es geht weiter."
PAUSED = "angehalten"
WAITS_FOR_OK = "warte auf ein OK"
CARD_PAUSED = "⏸ angehalten"
PAUSE, RESUME, DETAILS = "Anhalten", "Fortsetzen", "Details"
NO_SANDBOX = "keine: Für Änderungen im Arbeitsordner wird gefragt"


def paused(busy: bool) -> str:
    when = "Ich halte an: Der laufende Schritt wird noch fertig." if busy else "Angehalten."
    return f"{when} /resume oder eine Nachricht setzt fort."


def turn_of(turn: int, turns: int) -> str:
    return f"Runde {turn} von {turns}"


def working(seconds: float, doing: str) -> str:
    return f"Ich arbeite seit {span(seconds)}, {doing}."


def stands(model: str, mode: str, sandbox: str) -> str:
    return f"Modell {model} · Modus {mode} · Sandbox {sandbox}"


def up(seconds: float, running: int) -> str:
    return f"In Betrieb seit {span(seconds)} · insgesamt {running} {'Lauf' if running == 1 else 'Läufe'}"


def unsent(count: int) -> str:
    return "1 Nachricht wartet aufs Senden." if count == 1 else f"{count} Nachrichten warten aufs Senden."
