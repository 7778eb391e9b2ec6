"""All words of Jarvis's own that a user reads. Short, plain, what happened and what to do next."""

from __future__ import annotations

COMMANDS: tuple[tuple[str, str], ...] = (
    ("help", "what I can do"),
    ("new", "start afresh; this chat's files stay"),
    ("stop", "stop the run and everything it started"),
    ("status", "what is running"),
    ("start", "say hello"),
)

HELLO = "I'm Jarvis, an agent on this server. Tell me what to do in plain words. /help shows the commands."
NEW = "A fresh session. I remember nothing of before, but NOTES.md in the workspace."
NOTHING_RUNS = "Nothing is running."
STOPPED = "Stopped. Nothing of it runs any more."
STOPPING = "Stopping; a command is being killed."
NOT_YOURS = "Only whoever asked for this run, or an admin, can stop it."
VIEWERS_READ = "You may look, not ask: your role here is viewer. An admin can change that in the settings."
EXPIRED = "This button is no longer in use."
TOO_LATE = "That edit came after the run had ended, so nothing changes. Send a new message instead."
RESTARTED = (
    "I was restarted while a command was running. It may or may not have run to its end; I didn't start it again and "
    "go on from here."
)
INVISIBLE = "The model's answer holds nothing that can be shown."
CUT = "(The answer was cut at the model's token limit.)"


def unusable(what: str) -> str:
    return f"I can't use {what} yet. Please write it as text."


def unknown_command(name: str, nearest: str | None) -> str:
    hint = f" Did you mean /{nearest}?" if nearest else ""
    return f"I don't know /{name}.{hint} /help lists what I know."


def help_text() -> str:
    lines = [f"/{name} – {what}" for name, what in sorted(COMMANDS)]
    return "\n".join(["Write what you want done; while I work, a further message steers me.", "", *lines])


def unreachable(chat: str, why: str) -> str:
    return f"I can't write to chat {chat}: {why}. What I had to say there is kept and goes out once it can be reached."


def stale(minutes: int) -> str:
    return f"This message waited {minutes} min while I was away. I act on it now; /stop if that is too late."


def parked(why: str, seconds: float | None) -> str:
    if seconds is None:
        return why
    return f"{why} I wait and try again in {span(seconds)}. A new message tries at once, /stop ends it."


def span(seconds: float) -> str:
    """A length of time as a person says it."""
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s" if seconds % 60 else f"{seconds // 60} min"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def clock(seconds: float) -> str:
    """0:42, 12:05, 1:02:03."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# -- approvals ------------------------------------------------------------------------------------------------------
RUN_ONCE, DENY, THIS_SESSION, ASK_AGAIN = "Run once", "Deny", "This exact command, all session", "Ask again"
NOT_SHOWN = "(the guard that asks doesn't say what)"
ADMINS_DECIDE = "Only an admin or the owner can decide this."
SECOND_PERSON = "You asked for this yourself: somebody else, an admin or the owner, has to approve it."
ALREADY = "This has been decided already, or is no longer asked."
ALLOWED = "Approved: it runs now."
DENIED = "Denied. The model is told."
ASKED_AGAIN = "Asked again, below."
NO_LONGER = "■ No longer asked."
EXPIRED_CARD = "⌛ Nobody decided in time; the run waits."
ASKED_ELSEWHERE = "This needs an OK. I asked for it where it can be given; until then the run waits."


def needs_ok(reason: str) -> str:
    return f"Needs your OK: {reason}"


def asked_by(cwd: str, asker: str) -> str:
    return f"in {cwd or '/'} · asked by {asker or 'you'} · 15 min"


def in_full_above(length: int, digest: str) -> str:
    return f"⋯ {length:,} characters, all of them above · sha256 {digest} ⋯"


def person(author: str) -> str:
    """channel:id as a person reads it."""
    return author.partition(":")[2]


def decided(verdict: str, by: str, reason: str) -> str:
    match verdict:
        case "allow":
            return f"✓ Approved by {person(by)}{' for this session' if reason == 'session' else ''}."
        case "deny":
            return f"✗ Denied by {person(by)}."
        case _:
            return "■ Withdrawn by a message."
