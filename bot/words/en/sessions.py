"""Sessions, their details, logs and checkpoints by command, in English."""

from __future__ import annotations

from bot.words.en.times import span

# -- new and forget -------------------------------------------------------------------------------------------------
NEW_USAGE = "Write /new to start afresh, or /new forget to delete this chat's conversation for good."
FORGET_DO, KEEP = "Delete for good", "Keep"
FORGET_KEPT = "Kept; nothing was deleted."
FORGET_ADMINS = "In a group only an admin can delete the conversation; it is everybody's."
FORGOTTEN = "Deleted for good: what was said here, what I did, and the checkpoints. A fresh session begins."


def forget_offer(sessions: int) -> str:
    what = "this chat's session" if sessions == 1 else f"all {sessions} sessions of this chat"
    return (
        f"Delete {what} for good: messages, steps, checkpoints? It can't be taken back. A run that goes on is stopped. "
        "Files in the workspace stay, and so do the messages on your screen and the sums of /usage."
    )


# -- sessions -------------------------------------------------------------------------------------------------------
SESSIONS = "Sessions of this chat, the newest first:"
SESSIONS_TAP = "A tap takes one up again."
NO_SESSIONS = "This chat has no session yet. Write to me to begin one."
SESSION_IS_CURRENT = "You are in this session already."
SESSION_RUNS = "A run goes on here. /stop it first, then take up the other session."


def session_is(seconds: float, current: bool) -> str:
    return f"{ago(seconds)}{' · current' if current else ''}"


def ago(seconds: float) -> str:
    if seconds < 60:
        return "just now"
    if seconds < 86_400:
        return f"{span(seconds // 60 * 60)} ago"
    days = round(seconds / 86_400)
    return "1 day ago" if days == 1 else f"{days} days ago"


def session_resumed(title: str) -> str:
    return f"Back in: {title}\nWrite to go on from there."


# -- details, log and checkpoint ------------------------------------------------------------------------------------
LOG = {
    "opened": "opened  model {0}, panel {1}, mode {2}, {3}",
    "offered": "offered  tools added: {0}, dropped: {1}",
    "asked": "asked  {0}",
    "corrected": "corrected  {0}",
    "said": "said  {0}, {1} tokens, {2}",
    "failed": "failed  {0}, {1}",
    "proposed": "proposed  {0} {1} ({2})",
    "started": "started  {0}",
    "finished": "finished  {0} {1}: {2}, {3}",
    "nudged": "nudged  {0} {1}",
    "looking": "looking  {0} {1}",
    "seen": "seen  {0} {1}",
    "decided": "decided  {0} {1} by {2}",
    "commanded": "commanded  {0} {1} by {2}",
    "handed": "handed  {0}",
    "parked": "parked",
    "parked until": "parked  until {0}",
    "resumed": "resumed  {0}",
    "purged": "purged  {0} up to {1}",
    "ended": "ended  {0}",
}
NO_DETAILS = "Nothing has been done yet."
OLDER, NEWER = "‹ Older", "Newer ›"
NO_LOG = "Nothing has happened in this session yet."
NO_CHECKPOINT = "Nothing has been asked in this session yet, so there is nothing to keep."
CHECKPOINT_NOW = "Checkpoint, as it stands now"


def details(page: int, pages: int, text: str) -> str:
    return f"Details · page {page} of {pages}\n\n{text}" if pages > 1 else f"Details\n\n{text}"


def detail_said(turn: int, text: str) -> str:
    return f"Turn {turn}: {text}"


def log_caption(steps: int, *, cut: bool) -> str:
    what = f"{steps} step{'s' * (steps != 1)} of this session"
    return f"{what}; the oldest are cut off" if cut else what


# -- doctor ---------------------------------------------------------------------------------------------------------
DOCTOR_BEGUN = "Checking each part of me. With a slow model that takes a few minutes; the report comes by itself."
DOCTOR_BUSY = "I'm checking already; the report comes by itself."
