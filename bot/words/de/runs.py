"""Checkpoints, nudges, plans, verdicts and the card, in German."""

from __future__ import annotations

from bot.words.de.commands import turn_of

CONTINUE, STOP = "Weitermachen", "Stopp"
GO_ON = "Mach vom Checkpoint aus weiter."
GOES_ON = "Von diesem Checkpoint geht es weiter."
PARTS = {
    "goal": "Ziel",
    "done": "Getan",
    "remaining": "Noch zu tun",
    "errors": "Offen",
    "failed": "Versucht und gescheitert",
    "facts": "Fakten",
}


def checkpoint(number: int, turns: int, limit: int) -> str:
    return f"Checkpoint {number} · {turns} von {limit} Runden verbraucht"


def shortened(number: int) -> str:
    return f"Checkpoint {number} · das Gespräch wurde dem Modell zu lang; von hier geht es weiter"


def part(name: str, text: str) -> str:
    return f"{PARTS[name]}: {text}"


def and_more(count: int) -> str:
    return f" … und {count} mehr"


def nudged(text: str, count: int) -> str:
    times = f" · {count}×" if count > 1 else ""
    return f"⚠ Dem Modell gesagt{times}: {text}"


NO_PLAN = "In dieser Sitzung gibt es keinen Plan. Das Modell führt einen bei Aufgaben mit mehreren Schritten."


def plan_head(done: int, total: int) -> str:
    return f"Plan: {done} von {total} getan"


def plan_check(command: str, *, inferred: bool) -> str:
    return f"    Prüfung{' (erschlossen)' if inferred else ''}: {command}"


def plan_files(names: str, *, inferred: bool) -> str:
    return f"    Dateien{' (erschlossen)' if inferred else ''}: {names}"


def verified(what: str) -> str:
    return f"✓ geprüft: {what}"


def unverified(what: str) -> str:
    return f"⚠ nicht geprüft: {what}"


def reviewed(line: str) -> str:
    return f"{line}; eine Durchsicht fand nichts Falsches" if line else "✓ eine Durchsicht fand nichts Falsches"


def wants_changes(what: str) -> str:
    return f"⚠ eine Durchsicht verlangt Änderungen: {what}"


def rejected(what: str) -> str:
    return f"✗ von einer Durchsicht verworfen: {what}"


UNDO_RUNS = "Hier läuft gerade etwas. Erst /stop, dann /undo."
UNDO_NOTHING = "In dieser Sitzung gibt es nichts zurückzunehmen."
UNDO_DO = "Zurücknehmen"
UNDO_STALE = "Diese Liste ist überholt. Schreib /undo für eine neue."
UNDO_DONE = "Zurückgenommen; siehe unten."

# -- verbosity ------------------------------------------------------------------------------------------------------
VERBOSITY_USAGE = "Schreib /verbosity quiet, /verbosity normal oder /verbosity full."
VERBOSITY = {
    "quiet": "die Karte, Antworten und Fragen; keine Hinweise, keine Checkpoints zwischendurch, keine Fußzeile",
    "normal": "auch Hinweise, die zählen, und Checkpoints, ohne Ton",
    "full": "jeder Hinweis, an Ort und Stelle gezählt",
}


def verbosity_is(level: str) -> str:
    return f"Ausführlichkeit {level}: {VERBOSITY[level]}."


# -- card -----------------------------------------------------------------------------------------------------------
ENDS = {
    "answered": "✓ fertig",
    "unresolved": "⚠ ungelöst",
    "blocked": "⚠ blockiert",
    "stopped": "■ gestoppt",
    "limit": "⚠ an der Grenze",
    "failed": "✗ gescheitert",
}
CALLS = {
    "shell": "Shell",
    "jobs": "Jobs",
    "read_file": "liest",
    "write_file": "schreibt",
    "edit_file": "ändert",
    "list_dir": "zeigt",
    "search": "sucht",
    "plan": "Plan",
    "task_complete": "meldet fertig",
    "blocked": "meldet Blockade",
    "save_tool": "speichert Werkzeug",
    "delete_tool": "löscht Werkzeug",
    "get_tool": "zeigt Werkzeug",
    "list_tools": "zeigt Werkzeuge",
    "recent_sessions": "letzte Sitzungen",
    "session_log": "Sitzungslog",
    "web_search": "sucht im Web",
    "web_fetch": "holt",
    "subagent": "Unteragent",
    "debate": "Debatte",
    "send_file": "sendet",
}
OUTCOMES = {
    "ok": "ok",
    "answered_no": "Antwort: nein",
    "warned": "ok, mit Warnungen",
    "failed": "gescheitert",
    "timed_out": "Zeit abgelaufen",
    "killed": "per Signal beendet",
    "not_started": "nicht gestartet",
    "bad_arguments": "falsche Argumente",
    "held": "zurückgehalten",
    "cancelled": "abgebrochen",
    "interrupted": "unterbrochen",
}
# What was done for the model: in a card these lines are counted.
NUDGES = {
    "nudge.failure": "einen Fehler erklärt",
    "nudge.repeated": "auf denselben Fehler hingewiesen",
    "nudge.streak": "vor Fehlern in Folge gewarnt",
    "nudge.loop": "vor einer Schleife gewarnt",
    "nudge.shellwrite": "zu write_file geraten",
    "stuck.halt": "auf Stillstand hingewiesen",
    "job.ended": "das Ende eines Jobs mitgeteilt",
    "sticky.surfaced": "an einen offenen Fehler erinnert",
    "gate.refused": "ein „fertig“ zurückgewiesen",
    "gate.early": "Prüfung vor „fertig“ verlangt",
    "claims.unverified": "einen Beleg verlangt",
    "critic.vote": "eine Durchsicht weitergegeben",
    "drift.found": "Widerspruch in Dateien gezeigt",
    "worldstate.regenerated": "den Stand der Dateien mitgeteilt",
    "budget.notice": "das restliche Budget mitgeteilt",
    "budget.stop": "gestoppt: Budget aufgebraucht",
    "tool.rejected": "einen Aufruf abgelehnt",
    "guard.fault": "Aufruf gestoppt: Prüfung defekt",
}


def outcome(name: str, exit_code: int | None) -> str:
    return f"Exit {exit_code}" if exit_code else OUTCOMES.get(name, name)


def card_head(title: str, clock: str, turn: int, turns: int) -> str:
    # Where the line is too long for a phone, it breaks before the time.
    return f"{title} · {clock}\u00a0·\u00a0{turn_of(turn, turns)}"


def job_ended(job: str, name: str, exit_code: int | None) -> str:
    how = outcome(name, exit_code)
    return f"✓ Hintergrundjob {job} ist fertig." if name == "ok" else f"✗ Hintergrundjob {job}: {how}"


def subagent(turn: int) -> str:
    return f"… Unteragent: Runde {turn}"


def nudge_line(event: str, count: int) -> str:
    times = f" ×{count}" if count > 1 else ""
    return f"⚠ {NUDGES.get(event, event)}{times}"
