"""What the desk says, in English."""

from __future__ import annotations

HELLO = "I'm Jarvis, an agent on this server. Tell me what to do in plain words. /help shows the commands."
IN_GROUPS = "In a group I answer what names me with @, replies to me, and commands; each topic is a session of its own."
NEW = "A fresh session. I remember nothing of before, but NOTES.md in the workspace."
NOTHING_RUNS = "Nothing is running."
STOPPED = "Stopped. Nothing of it runs any more."
STOPPING = "Stopping; a command is being killed."
NOT_YOURS = "Only whoever asked for this run, or an admin, can stop it."
VIEWERS_READ = "You may look, not ask: your role here is viewer. The owner can change that: /users."
EXPIRED = "This button is no longer in use."
TOO_LATE = "That edit came after the run had ended, so nothing changes. Send a new message instead."
RESTARTED = (
    "I was restarted while a command was running. It may or may not have run to its end; I didn't start it again and "
    "go on from here."
)
BROKEN = "Something in Jarvis broke on this message, and I didn't act on it. The log has the details; please try again."
UNREADABLE = (
    "What was said here before can't be read any more, so I didn't act on this message. The log has the details. /new "
    "begins a fresh conversation."
)
NOTHING_SAID = "Yes? Write what you want done in the same message as my name."
ANONYMOUS = (
    "I can't tell who writes this: it comes in the name of the chat. Switch off “Remain anonymous”, or write as "
    "yourself; then I can act on it."
)
STOP_HINT = "The run reads that at its next step. /stop ends it at once."
STOPS = ("stop", "stop!", "halt", "cancel", "abort")
TOPIC_GONE = "(The topic that this belongs to is closed or gone.)"
UNREAD = (
    "Telegram sent something that I can't read. I set it aside and go on; the log says why. If you miss an answer, "
    "please write again. I say this once a day."
)
INVISIBLE = "The model's answer holds nothing that can be shown."
CUT = "(The answer was cut at the model's token limit.)"


def not_allowed(chat: str) -> str:
    return (
        f"You wrote to me in the group {chat}, which I don't serve, so I said nothing there. To let it in, put {chat} "
        "into JARVIS_ACCESS__CHATS and restart me."
    )


def elsewhere_running(count: int) -> str:
    return f"{count} run{'s go' if count > 1 else ' goes'} on in other topics of this group; say it there."


KINDS = {
    "animation": "an animation",
    "photo": "a photo",
    "audio": "an audio file",
    "video": "a video",
    "voice": "a voice message",
    "video_note": "a video note",
    "sticker": "a sticker",
    "location": "a location",
    "contact": "a contact",
    "poll": "a poll",
    "dice": "a dice",
    "game": "a game",
    "story": "a story",
    "checklist": "a checklist",
    "paid_media": "paid media",
    "invoice": "an invoice",
    "file": "a file",
    "giveaway": "a giveaway",
    "other": "a message of a kind I don't know",
}
PROBLEMS = {
    "unreachable": "Telegram can't be reached ({0}); trying again.",
    "conflict": "Another program polls with the same bot token (409 Conflict): stop it, or messages go there.",
    "unstored": "New messages can't be stored ({0}); trying again.",
}
WARNINGS = {"root": "I run as root: every command does too. A user of my own is safer."}


def unusable(kind: str) -> str:
    return f"I can't use {KINDS.get(kind, KINDS['other'])} yet. Please write it as text."


def unreachable(chat: str, why: str) -> str:
    return f"I can't write to chat {chat}: {why}. What I had to say there is kept and goes out once it can be reached."


def stopped(run: bool, jobs: int, left: int) -> str:
    """What a stop came to; `jobs` were ended in the background, `left` go on there."""
    parts = [STOPPED] if run else []
    parts += [f"{jobs} background job{'s' * (jobs > 1)} ended."] if jobs else []
    parts += [f"{left} begun earlier still run{'s' * (left == 1)}; /stop once more to end."] if left else []
    return " ".join(parts) or NOTHING_RUNS


def jobs_run(count: int) -> str:
    return f"{count} background job{'s run' if count > 1 else ' runs'}; /stop ends them when nothing else runs."


def stale(minutes: int) -> str:
    return f"This message waited {minutes} min while I was away. I act on it now; /stop if that is too late."
