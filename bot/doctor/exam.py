"""All checks in the order of the report. A check that breaks is a finding itself, and keeps no other from running."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from agent.catalogue import tools as offered
from agent.errors import StoreError
from agent.settings import Settings
from agent.store.peek import Peek, peek
from bot import words
from bot.doctor import context, host, people, remote
from bot.doctor import tools as shelf
from bot.doctor.finding import Finding, fail, ok, warn
from bot.doctorwords import said

Check = Callable[[], Sequence[Finding] | Awaitable[Sequence[Finding]]]


async def exam(settings: Settings, warnings: Sequence[str] = ()) -> list[Finding]:
    """Run every check; the remote ones side by side. Raises nothing."""
    found, store = _store(settings)
    here: list[tuple[str, Check]] = [
        ("home", lambda: host.home(settings.home)),
        ("files", lambda: host.files(settings.home)),
        ("disk", lambda: host.disk([settings.home, settings.run.workspace])),
        ("workspace", lambda: host.workspace(settings.run.workspace)),
        ("sandbox", lambda: host.sandbox(settings.home)),
        ("user", host.user),
        ("limits", host.limits),
        ("tools", lambda: shelf.tools(settings.home, [tool.name for tool in offered()])),
        ("clock", lambda: host.clock(settings.timezone)),
        ("mode", lambda: people.mode(settings, store)),
        ("owner", lambda: people.owner(settings, store)),
        ("ops chat", lambda: people.ops_chat(settings, store)),
    ]
    far: list[tuple[str, Check]] = [
        ("telegram", lambda: remote.telegram(settings, people.approvers(settings, store))),
        ("model", lambda: remote.model(settings)),
    ]
    results = [await _safely(name, check) for name, check in here]
    results += await asyncio.gather(*(_safely(name, check) for name, check in far))
    results.append(
        await _safely("context", lambda: context.context(settings))
    )  # not beside the other: one slot is usual
    told = [warn("settings", words.WARNINGS.get(each, each)) for each in warnings]
    return [*told, found, *(finding for result in results for finding in result)]


async def _safely(name: str, check: Check) -> Sequence[Finding]:
    try:
        found = check()
        return await found if isinstance(found, Awaitable) else found
    except Exception as error:
        return [fail(name, said("check failed", type(error).__name__), said("mend check failed"))]


def _store(settings: Settings) -> tuple[Finding, Peek | None]:
    try:
        seen = peek(settings.home / "jarvis.db")
    except StoreError as error:
        return fail("store", said("store unread", error), said("mend store unread")), None
    if seen is None:
        return ok("store", said("store later")), None
    return ok("store", said("store sound", seen.version, seen.unfinished, seen.waiting)), seen
