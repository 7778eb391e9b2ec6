"""Waits, tries, failures and the choice of a model, in German."""

from __future__ import annotations

import datetime

from bot.words.de.times import number, span

CANCEL, TRY_AGAIN = "Abbrechen", "Noch einmal"
AGAIN = "Versuch es noch einmal, von da aus, wo du warst."
TRIES_AGAIN = "Neuer Versuch von da aus, wo es stehen blieb."
ALREADY_TRIED = "Das wurde schon noch einmal versucht, oder hier wurde Neueres verlangt."
RUN_GOES_ON = "Hier läuft schon etwas anderes. /stop, oder warte auf sein Ende."
NOT_WAITING = "Dieser Lauf wartet nicht mehr."
CANCELLED = "Abgebrochen. Ich warte nicht länger."
NEEDS_OWNER = "Das Modell lässt mich gerade nicht herein. Nur mein Besitzer kann das beheben; er weiß Bescheid."
OWNER_HINT = "Setz einen gültigen JARVIS_MODEL__API_KEY und starte mich neu; dann geht es mit „Noch einmal“ weiter."
USAGE = "/model zeigt die Modelle, /model NAME nimmt hier ein anderes, /model default wieder mein eigenes."
BAD_NAME = "Ein Modellname ist ein Wort von höchstens 200 Zeichen, wie qwen3:8b."
RESUMED = "↻ nach einem Neustart fortgesetzt"
DAYS = ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So")


def at_time(until: float, now: float, zone: datetime.tzinfo) -> str:
    end, today = (datetime.datetime.fromtimestamp(at, zone) for at in (until, now))
    clock = end.strftime("%H:%M")
    return clock if end.date() == today.date() else f"{DAYS[end.weekday()]} {end.day}.{end.month}. {clock}"


def retrying(attempt: int, attempts: int, seconds: float, why: str) -> str:
    when = f"in {span(seconds)}" if seconds >= 0.5 else "jetzt"
    return f"⚠ Versuch {attempt} von {attempts} {when}: {why}"


def asking_other(name: str, why: str) -> str:
    return f"⇄ {why}; ich frage {name}"


def answers_now(name: str, former: str) -> str:
    return f"⇄ jetzt antwortet {name}, anstelle von {former}"


def waits_until(when: str, why: str) -> str:
    return f"⏸ wartet bis {when}: {why}"


def queued(ahead: int) -> str:
    return f"… wartet auf das Modell: noch {ahead} davor"


def waits(why: str, until: float | None, now: float) -> str:
    return f"wartet{f' noch {span(until - now)}' if until else ''}: {why.rstrip('.')}"


def waiting(why: str) -> str:
    return f"⚠ wartet: {why}"


def parked(why: str, when: str) -> str:
    again = "Eine neue Nachricht tut das sofort; Abbrechen oder /stop beendet es."
    return f"{why} Ich warte und versuche es um {when} wieder. {again}"


def no_longer_parked(why: str, went_on: bool) -> str:
    return f"{why} {'Es ging weiter.' if went_on else 'Ich warte nicht mehr.'}"


def told_owner(chat: str, why: str) -> str:
    return f"Im Chat {chat}: {why} {OWNER_HINT}"


def cut(model: str, told: int, expected: int) -> str:
    return (
        f"Der Server von {model} las, sagt er, {number(told)} Tokens einer Anfrage von etwa {number(expected)}: "
        "Er schneidet offenbar ab, was ich schicke, und das Modell sieht vielleicht weder seine Anweisungen noch deine "
        "Worte. Gib dem Server mehr Kontext (bei Ollama: num_ctx), oder setz JARVIS_MODEL__CONTEXT_TOKENS auf "
        "das, was er wirklich nimmt. Ich sage das einmal."
    )


def leads(name: str, chosen: bool) -> str:
    return f"Modell: {name}{' (in diesem Chat gewählt)' if chosen else ''}"


def stands(name: str, seconds: float, why: str) -> str:
    return f"· {name}: ruht noch {span(seconds)}. {why}".rstrip() if seconds > 0 else f"· {name}: bereit"


def context(tokens: int) -> str:
    return f"Kontext: {number(tokens)} Tokens, laut Einstellungen"


def chosen(name: str, runs: bool) -> str:
    when = "Ab dem nächsten Abschnitt dieses Laufs" if runs else "Ab deiner nächsten Nachricht"
    return f"{when} nimmt dieser Chat {name}. /model default führt zu meinem eigenen zurück."


def back(name: str, runs: bool) -> str:
    when = "Ab dem nächsten Abschnitt dieses Laufs" if runs else "Ab deiner nächsten Nachricht"
    return f"{when} nimmt dieser Chat wieder {name}, mein eigenes Modell."


def already(name: str) -> str:
    return f"Dieser Chat nimmt schon {name}."
