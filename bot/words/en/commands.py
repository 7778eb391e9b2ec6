"""The commands, their help and their answers, in English."""

from __future__ import annotations

from collections.abc import Sequence

from bot.words.en.times import span

HELP = {
    "status": "what is running",
    "stop": "stop the run and everything it started",
    "pause": "hold the run before its next step",
    "resume": "let a paused run go on",
    "new": "start afresh; /new forget deletes this chat's conversation",
    "sessions": "earlier conversations, to take up again",
    "checkpoint": "what is done and what is open, to go on from later",
    "undo": "take back what the last run wrote",
    "plan": "the steps of the task, and what shows that each is done",
    "usage": "what the model took: tokens, money, budgets",
    "model": "how the models stand; another one for this chat",
    "mode": "what runs without asking: sandbox, ask or full",
    "tools": "what I can use, and what of yours I can't",
    "verbosity": "how much I tell: quiet, normal or full",
    "log": "this session's steps as a file",
    "users": "who may talk to me",
    "lock": "panic: stop everything, let nobody but the owner in",
    "doctor": "check each part of me, and how to mend it",
    "help": "what I can do",
    "start": "say hello",
}


def unknown_command(name: str, nearest: str | None) -> str:
    hint = f" Did you mean /{nearest}?" if nearest else ""
    return f"I don't know /{name}.{hint} /help lists what I know."


def help_text(commands: Sequence[tuple[str, str]]) -> str:
    lines = [f"/{name} – {what}" for name, what in commands]
    return "\n".join(["Write what you want done; while I work, a further message steers me.", "", *lines])


NOT_OFFERED = "⚠ Not offered:"
NO_TOOLS = "none"


def built_in_tools(names: str) -> str:
    return f"Built in: {names}"


REGISTRIES = {"Custom": "Custom", "MCP": "MCP"}


def about_tools(text: str) -> str:
    return f"⚠ {text}"


MODES = {
    "sandbox": "work inside the workspace runs by itself, what leaves the box needs an OK",
    "ask": "reading runs by itself, everything else needs an OK",
    "full": "everything runs without asking",
}
MODE_USAGE = "Write /mode sandbox, /mode ask or /mode full, with a time if you like: /mode full 2h (8h at most)."
FULL_IN_PRIVATE = "Only the owner can set mode full, and only in a private chat with me."
OWNER_LOOSENS = "Only the owner can loosen the mode; an admin can tighten it."
MODE_TOO_LONG = "At most 8 h: /mode full 8h. For longer, set JARVIS_RUN__MODE on the server."
MODE_OVER = "That message waited while I was away, and the time it asked for is over. Nothing changes."
LOCK_USAGE = "Write /lock to stop everything, /lock off (the owner alone) to open again."
UNLOCKED = "Unlocked. Everybody who may talk to me can do so again."
LOCKED = "⚠ Locked: only the owner may talk to me, until /lock off."
PRIVACY = "In groups I see commands, replies to me and mentions only (Telegram's privacy mode)."
LOCKED_OUT = "I'm locked. Only the owner may talk to me until they say /lock off."


def mode_is(mode: str, standing: str, until: str) -> str:
    if mode == standing and not until:
        return f"Mode {mode}: {MODES[mode]}."
    back = (
        f"until {until}; then {standing} again" if until else f"until somebody changes it; the settings say {standing}"
    )
    return f"Mode {mode}, {back}. {mode.capitalize()}: {MODES[mode]}."


def until(mode: str, when: str) -> str:
    return f"{mode} until {when}"


def mode_back(mode: str) -> str:
    return f"The time is over: mode {mode} again. {mode.capitalize()}: {MODES[mode]}."


def locked(stopped: int) -> str:
    runs = "Nothing was running." if not stopped else f"{stopped} run{'s' * (stopped > 1)} stopped."
    return f"Locked. {runs} Only the owner may talk to me now, until /lock off."


# -- pause and status -----------------------------------------------------------------------------------------------
UNDER_WAY = "Under way; the store is slow to take it."
PAUSED_ALREADY = "The run is paused already. /resume or a message lets it go on."
NOT_PAUSED = "The run isn't paused; it goes on."
GOES_ON_NOW = "Going on."
PAUSED = "paused"
WAITS_FOR_OK = "waiting for an OK"
CARD_PAUSED = "⏸ paused"
PAUSE, RESUME, DETAILS = "Pause", "Resume", "Details"
NO_SANDBOX = "none: changes in the workspace are asked for"


def paused(busy: bool) -> str:
    """`busy`: a step has begun and isn't cut short."""
    when = "Pausing: the step that runs now is finished first." if busy else "Paused."
    return f"{when} /resume or a message lets it go on."


def turn_of(turn: int, turns: int) -> str:
    return f"turn {turn} of {turns}"


def working(seconds: float, doing: str) -> str:
    return f"Working for {span(seconds)}, {doing}."


def stands(model: str, mode: str, sandbox: str) -> str:
    return f"Model {model} · mode {mode} · sandbox {sandbox}"


def up(seconds: float, running: int) -> str:
    return f"Up {span(seconds)} · {running} running in all"


def unsent(count: int) -> str:
    return "1 message waits to be sent." if count == 1 else f"{count} messages wait to be sent."


def warning(text: str) -> str:
    return f"⚠ {text}"
