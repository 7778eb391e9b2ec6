"""Waits, tries, failures and the choice of a model, in English."""

from __future__ import annotations

import datetime

from bot.words.en.times import span

CANCEL, TRY_AGAIN = "Cancel", "Try again"
AGAIN = "Try again, from where you were."  # to the model
TRIES_AGAIN = "Trying again from where it stopped."
ALREADY_TRIED = "This was tried again already, or something newer has been asked here."
RUN_GOES_ON = "Another run goes on here. /stop it first, or wait for its end."
NOT_WAITING = "This run no longer waits."
CANCELLED = "Cancelled. I don't wait any longer."
NEEDS_OWNER = "The model doesn't let me in at the moment. Only my owner can mend that; they have been told."
OWNER_HINT = "Set a valid JARVIS_MODEL__API_KEY and restart me; then Try again goes on from there."
USAGE = "/model shows how the models stand, /model NAME uses another one in this chat, /model default my own again."
BAD_NAME = "A model's name is one word of at most 200 characters, like qwen3:8b."


def at_time(until: float, now: float, zone: datetime.tzinfo) -> str:
    """A wall time as a person says it: 14:32, or with the day where it isn't today."""
    end, today = (datetime.datetime.fromtimestamp(at, zone) for at in (until, now))
    return end.strftime("%H:%M" if end.date() == today.date() else "%a %d %b %H:%M")


# -- in the card ----------------------------------------------------------------------------------------------------
def retrying(attempt: int, attempts: int, seconds: float, why: str) -> str:
    when = f"in {span(seconds)}" if seconds >= 0.5 else "now"
    return f"⚠ retrying {attempt} of {attempts} {when}: {why}"


def asking_other(name: str, why: str) -> str:
    return f"⇄ {why}; asking {name}"


def answers_now(name: str, former: str) -> str:
    return f"⇄ {name} answers now, in place of {former}"


def waits_until(when: str, why: str) -> str:
    return f"⏸ waiting until {when}: {why}"


def queued(ahead: int) -> str:
    return f"… waiting for the model: {ahead} ahead"


def waits(why: str, until: float | None, now: float) -> str:
    return f"waiting{f' {span(until - now)} more' if until else ''}: {why.rstrip('.')}"


# -- in messages ----------------------------------------------------------------------------------------------------
def parked(why: str, when: str) -> str:
    return f"{why} I wait and try again at {when}. A new message tries at once; Cancel or /stop ends it."


def no_longer_parked(why: str, went_on: bool) -> str:
    return f"{why} {'I went on.' if went_on else 'I no longer wait.'}"


def told_owner(chat: str, why: str) -> str:
    return f"In chat {chat}: {why} {OWNER_HINT}"


def cut(model: str, told: int, expected: int) -> str:
    return (
        f"The server of {model} says that it read {told:,} tokens of a request of about {expected:,}: it seems to cut "
        "what I send, so the model may not see its instructions or your words. Give the server a larger context (with "
        "Ollama: num_ctx), or set JARVIS_MODEL__CONTEXT_TOKENS to what it really takes. I say this once."
    )


# -- /model ---------------------------------------------------------------------------------------------------------
def leads(name: str, chosen: bool) -> str:
    return f"Model: {name}{' (chosen in this chat)' if chosen else ''}"


def stands(name: str, seconds: float, why: str) -> str:
    return f"· {name}: rests {span(seconds)} more. {why}".rstrip() if seconds > 0 else f"· {name}: ready"


def context(tokens: int) -> str:
    return f"Context: {tokens:,} tokens, by the settings"


def chosen(name: str, runs: bool) -> str:
    from_when = "From the next leg of this run on" if runs else "From your next message on"
    return f"{from_when}, this chat uses {name}. /model default goes back to my own."


def back(name: str, runs: bool) -> str:
    from_when = "From the next leg of this run on" if runs else "From your next message on"
    return f"{from_when}, this chat uses {name} again, my own model."


def already(name: str) -> str:
    return f"This chat uses {name} already."


# -- in the card, from a step of the journal ------------------------------------------------------------------------
RESUMED = "↻ resumed after a restart"


def waiting(why: str) -> str:
    return f"⚠ waiting: {why}"
