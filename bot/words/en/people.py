"""Who may talk and who decides, in English."""

from __future__ import annotations

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


def only_you(chat: str) -> str:
    return (
        f"A run in the group {chat} waits for an OK that only you can give: the card is there. If you aren't in that "
        "group, make somebody in it an admin: /users and their id."
    )


def in_full_above(length: int, digest: str) -> str:
    return f"⋯ {length:,} characters, all of them above · sha256 {digest} ⋯"


def person(author: str) -> str:
    """channel:id as a person reads it."""
    return author.partition(":")[2]


def decided(verdict: str, who: str, reason: str) -> str:
    match verdict:
        case "allow":
            return f"✓ Approved by {who or 'you'}{' for this session' if reason == 'session' else ''}."
        case "deny":
            return f"✗ Denied by {who or 'you'}."
        case _:
            return "■ Withdrawn by a message."


CHOICES = {"admin": "Admin", "operator": "Operator", "viewer": "Viewer", "remove": "Remove", "ignore": "Ignore"}
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


def numbered(person: str, name: str) -> str:
    return f"id {person} ({name})" if name else f"id {person}"


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
