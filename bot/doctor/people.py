"""Checks of who may talk, who can approve, and what runs without asking."""

from __future__ import annotations

import time

from agent.settings import Settings
from agent.store.peek import Peek
from bot.doctor.finding import Finding, fail, ok, warn

MEANING = {
    "sandbox": "work in the workspace runs by itself, the rest is asked for",
    "ask": "all but reading is asked for",
    "full": "everything runs without asking, for everybody from operator up",
}


def mode(settings: Settings, store: Peek | None) -> list[Finding]:
    """The standing mode, what chat has set over it, and the lock."""
    standing = settings.run.mode
    text = f"{standing}: {MEANING[standing]}"
    mend = "Meant so? Else set JARVIS_RUN__MODE=sandbox."
    out = [warn("mode", text, mend) if standing == "full" else ok("mode", text)]
    for switch in store.switches if store else ():
        temporary = switch.value.partition(" over ")[0]
        over = switch.until is not None and switch.until <= time.time()
        if switch.name == "mode" and temporary in MEANING and temporary != standing and not over:
            until = "until it is changed" if switch.until is None else f"until {_clock(switch.until)}"
            out.append(warn("mode", f"now {temporary}, {until}, set in chat by {switch.by}"))
        if switch.name == "lock" and switch.value == "on":
            out.append(
                warn("lock", f"locked by {switch.by}: only the owner may talk", "The owner opens with /lock off.")
            )
    return out


def owner(settings: Settings, store: Peek | None) -> list[Finding]:
    found = _owner(settings, store)
    if found is None:
        return [
            warn("owner", "none yet", "Start jarvis run and send the code that it prints; or JARVIS_ACCESS__OWNER.")
        ]
    where = "settings" if settings.access.owner is not None else "paired"
    others = len(approvers(settings, store)) - 1
    text = f"{found} ({where}); {others} more who can approve"
    if settings.access.chats and not others:
        mend = (
            "In a group what you ask for yourself wants no second person, what operators ask for waits for you alone."
        )
        return [warn("owner", text, f"{mend} JARVIS_ACCESS__ADMINS adds approvers.")]
    return [ok("owner", text)]


def approvers(settings: Settings, store: Peek | None) -> frozenset[int]:
    """Everybody from admin up."""
    listed = settings.access
    named = {*listed.admins, *listed.operators, *listed.viewers}
    tapped = {p.id for p in (store.people if store else ()) if p.role == "admin" and p.id not in named}
    one = _owner(settings, store)
    return frozenset({*listed.admins, *tapped, *({one} if one is not None else ())})


def ops_chat(settings: Settings, store: Peek | None) -> list[Finding]:
    """Whether somebody who may press is to be expected there; who really is a member is asked of Telegram."""
    chat = settings.access.ops_chat.partition(":")[0]
    if not chat:
        return [ok("ops chat", "none: approvals go to the run's chat or to the owner")]
    if int(chat) not in settings.access.chats and int(chat) not in approvers(settings, store):
        mend = f"Add {chat} to JARVIS_ACCESS__CHATS, or nobody can press a button there."
        return [fail("ops chat", f"{chat} is no allowed group and nobody who can approve", mend)]
    if not approvers(settings, store):
        return [fail("ops chat", "nobody at all can approve", "Set JARVIS_ACCESS__OWNER or JARVIS_ACCESS__ADMINS.")]
    return [ok("ops chat", settings.access.ops_chat)]


def _owner(settings: Settings, store: Peek | None) -> int | None:
    if settings.access.owner is not None:
        return settings.access.owner
    return next((p.id for p in (store.people if store else ()) if p.role == "owner"), None)


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
