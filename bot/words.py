"""All words of Jarvis's own that a user reads. Short, plain, what happened and what to do next."""

from __future__ import annotations

COMMANDS: tuple[tuple[str, str], ...] = (
    ("help", "what I can do"),
    ("new", "start afresh; this chat's files stay"),
    ("stop", "stop the run and everything it started"),
    ("status", "what is running"),
    ("start", "say hello"),
    ("mode", "what runs without asking: sandbox, ask or full"),
    ("users", "who may talk to me"),
    ("undo", "take back what the last run wrote"),
    ("usage", "what the model took: tokens, money, budgets"),
    ("tools", "what I can use, and what of yours I can't"),
    ("plan", "the steps of the task, and what shows that each is done"),
    ("model", "how the models stand; another one for this chat"),
    ("lock", "panic: stop everything, let nobody but the owner in"),
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
BROKEN = "Something in Jarvis broke on this message, and I didn't act on it. The log has the details; please try again."
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


# -- tools ----------------------------------------------------------------------------------------------------------
NOT_OFFERED = "⚠ Not offered:"
NO_TOOLS = "none"


def built_in_tools(names: str) -> str:
    return f"Built in: {names}"


def about_tools(text: str) -> str:
    return f"⚠ {text}"


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


# -- people ---------------------------------------------------------------------------------------------------------
OPERATOR, VIEWER, ADMIN, REMOVE, IGNORE = "Operator", "Viewer", "Admin", "Remove", "Ignore"
PAIRED = "You are my owner now. Tell me what to do in plain words. /users shows who may talk to me."
OWNER_DECIDES = "Only the owner decides who may talk to me."
IN_SETTINGS = "This person stands in the settings; chat can't change that."
USERS_USAGE = "Write /users for the list, or /users and a numeric id to let somebody in or change their role."


def only(least: str) -> str:
    who = "the owner" if least == "owner" else f"the owner or an {least}" if least[0] in "ao" else f"a {least}"
    return f"Only {who} can do that."


def pairing(code: str, bot: str, minutes: int) -> str:
    to = f"@{bot}" if bot else "the bot"
    return f"Pairing code: {code}\nSend it to {to} in a private chat within {minutes} minutes to become its owner."


def newcomer(person_id: int, name: str) -> str:
    who = f"id {person_id}, calls themselves: {name or '(no name)'}"
    return f"Someone new wants in.\n{who}\nLet them in only if you know them."


def about(person_id: int, name: str, role: str) -> str:
    return f"id {person_id}{f' ({name})' if name else ''}: {role}"


def now_is(person_id: int, name: str, role: str) -> str:
    match role:
        case "remove":
            return f"{about(person_id, name, 'may no longer talk to me')}."
        case "ignored":
            return f"{about(person_id, name, 'ignored')}. I won't ask about them again."
        case _:
            return f"{about(person_id, name, role)}, from now on."


def welcome(role: str) -> str:
    asks = "Tell me what to do in plain words." if role != "viewer" else "You may look: /status."
    return f"The owner has let you in as {role}. {asks} /help shows the commands."


def added(by: int | None, day: str) -> str:
    return f"added by {by}, {day}" if by is not None else f"paired by code, {day}"


# -- mode and lock --------------------------------------------------------------------------------------------------
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


def mode_back(mode: str) -> str:
    return f"The time is over: mode {mode} again. {mode.capitalize()}: {MODES[mode]}."


def locked(stopped: int) -> str:
    runs = "Nothing was running." if not stopped else f"{stopped} run{'s' * (stopped > 1)} stopped."
    return f"Locked. {runs} Only the owner may talk to me now, until /lock off."


# -- checkpoints and nudges -----------------------------------------------------------------------------------------
CONTINUE, STOP = "Continue", "Stop"
GO_ON = "Go on from the checkpoint."
GOES_ON = "Going on from this checkpoint."
PARTS = {
    "goal": "Goal",
    "done": "Done",
    "remaining": "Still to do",
    "errors": "Open",
    "failed": "Tried and failed",
    "facts": "Facts",
}


def checkpoint(number: int, turns: int, limit: int) -> str:
    return f"Checkpoint {number} · {turns} of {limit} turns used"


def shortened(number: int) -> str:
    return f"Checkpoint {number} · the conversation grew too long for the model; it goes on from here"


def part(name: str, text: str) -> str:
    return f"{PARTS[name]}: {text}"


def and_more(count: int) -> str:
    return f" … and {count} more"


def nudged(text: str, count: int) -> str:
    times = f" · {count}×" if count > 1 else ""
    return f"⚠ Told the model{times}: {text}"


# -- plan and verdict -----------------------------------------------------------------------------------------------
NO_PLAN = "There is no plan in this session. The model keeps one for tasks of several steps."


def plan_head(done: int, total: int) -> str:
    return f"Plan: {done} of {total} done"


def plan_check(command: str, *, inferred: bool) -> str:
    return f"    check{' (inferred)' if inferred else ''}: {command}"


def plan_files(names: str, *, inferred: bool) -> str:
    return f"    files{' (inferred)' if inferred else ''}: {names}"


def verified(what: str) -> str:
    return f"✓ verified: {what}"


def unverified(what: str) -> str:
    return f"⚠ not verified: {what}"


# -- undo -----------------------------------------------------------------------------------------------------------
UNDO_RUNS = "A run is going on here. /stop it first, then /undo."
UNDO_NOTHING = "There is nothing to undo in this session."
UNDO_DO = "Undo this"
UNDO_STALE = "This list is out of date. Write /undo for a new one."
UNDO_DONE = "Undone; see below."
