"""Checks of who may talk, who can approve, and what runs without asking."""

from __future__ import annotations

import time

from agent.settings import Settings
from agent.store.peek import Peek
from bot.doctor.finding import Finding, fail, ok, warn
from bot.doctorwords import said

MODES = ("sandbox", "ask", "full")


def mode(settings: Settings, store: Peek | None) -> list[Finding]:
    """The standing mode, what chat has set over it, and the lock."""
    standing = settings.run.mode
    text = said(f"mode {standing}")
    mend = said("mend mode full")
    out = [warn("mode", text, mend) if standing == "full" else ok("mode", text)]
    for switch in store.switches if store else ():
        temporary = switch.value.partition(" over ")[0]
        over = switch.until is not None and switch.until <= time.time()
        if switch.name == "mode" and temporary in MODES and temporary != standing and not over:
            told = said("mode for now", temporary, switch.by)
            if switch.until is not None:
                told = said("mode until", temporary, _clock(switch.until), switch.by)
            out.append(warn("mode", told))
        if switch.name == "lock" and switch.value == "on":
            out.append(warn("lock", said("locked", switch.by), said("mend locked")))
    return out


def owner(settings: Settings, store: Peek | None) -> list[Finding]:
    found = _owner(settings, store)
    if found is None:
        return [warn("owner", said("owner none"), said("mend owner none"))]
    where = "owner settings" if settings.access.owner is not None else "owner paired"
    others = len(approvers(settings, store)) - 1
    text = said(where, found, others)
    if settings.access.chats and not others:
        return [warn("owner", text, said("mend owner alone"))]
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
        return [ok("ops chat", said("ops chat none"))]
    if int(chat) not in settings.access.chats and int(chat) not in approvers(settings, store):
        mend = said("mend ops chat not allowed", chat)
        return [fail("ops chat", said("ops chat not allowed", chat), mend)]
    if not approvers(settings, store):
        return [fail("ops chat", said("ops chat nobody"), said("mend ops chat nobody"))]
    return [ok("ops chat", said("ops chat", settings.access.ops_chat))]


def _owner(settings: Settings, store: Peek | None) -> int | None:
    if settings.access.owner is not None:
        return settings.access.owner
    return next((p.id for p in (store.people if store else ()) if p.role == "owner"), None)


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
