"""The root of the bot: the one place that wires settings, edges, engine and channel together."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from agent.clock import SystemClock
from agent.failpoints import reach_of
from agent.host.local import LocalHost
from agent.models.chat import OpenAIChat
from agent.policy import Scene, judge
from agent.redact import Redactor
from agent.sandbox import choose
from agent.settings import Settings, secrets
from agent.steps import Call
from agent.undo import UndoStore
from bot.access import Access, trusted_everywhere
from bot.markup import letters
from bot.models import chain_of
from bot.parts import Parts
from bot.service import Service

logger = logging.getLogger(__name__)
LATER_S = 3.0
THREADS = 64


async def run_bot(settings: Settings, environ: dict[str, str], warnings: Sequence[str]) -> None:
    """`jarvis run`. Raises JarvisError with the exit code that belongs to it."""
    from agent.store.sqlite import SqliteStore

    give_room()
    choosing = asyncio.get_running_loop().run_in_executor(None, choose, str(settings.home))  # it waits for processes
    clock, redactor = SystemClock(), Redactor(secrets(settings))
    model, lead = chain_of(settings, clock)
    from bot.channels.telegram import TelegramChannel  # half of the start's time

    # Not earlier: it takes the interpreter from what the first poll waits for.
    threading.Thread(target=warm, args=[lead], name="warm", daemon=True).start()
    token = settings.telegram.token.get_secret_value()
    channel = TelegramChannel(token, settings.telegram.api_url, clock, reach=reach_of(settings.failpoint))
    store = SqliteStore(settings.home / "jarvis.db")
    await store.open()
    sandbox = await choosing
    host = LocalHost(str(settings.home), environ, redactor, sandbox=sandbox)
    undo = UndoStore(settings.home / "undo")
    parts = Parts(
        channel, store, model, host, access_of(settings), clock, redactor, sandbox, undo, environ.get("HOME", "")
    )
    try:
        await Service(settings, parts, [*warnings, *root_warning()]).serve(on_signal())
    finally:
        await host.close()
        await store.close()
        await model.close()


def warm(model: OpenAIChat) -> None:
    """Load what the first answer needs, beside everything else: half a second of imports; what only an answer after
    work needs, a little later.

    The collector is off until then (see bot/cli.py): it would walk the same growing heap of modules again and again.
    """
    model.warm()
    import agent.ledger

    letters("warm")
    judge(Call("", "shell", '{"command": "true"}'), "write", Scene("/", "/"))
    # Frozen uncollected: a collection of all that was loaded would stop the loop for 40 ms.
    gc.freeze()
    gc.enable()
    time.sleep(LATER_S)
    import agent.guards._claims.admission
    import agent.guards._claims.facts  # noqa: F401


async def run_chat(settings: Settings, environ: dict[str, str], warnings: Sequence[str]) -> None:
    """`jarvis chat`: the same core in the terminal. Raises JarvisError."""
    from agent.store.sqlite import SqliteStore
    from bot.channels.console import ConsoleChannel

    give_room()
    clock, redactor = SystemClock(), Redactor(secrets(settings))
    store, (model, _) = SqliteStore(settings.home / "jarvis.db"), chain_of(settings, clock)
    await store.open()
    sandbox = choose(str(settings.home))
    host = LocalHost(str(settings.home), environ, redactor, sandbox=sandbox)
    undo = UndoStore(settings.home / "undo")
    parts = Parts(
        ConsoleChannel(clock),
        store,
        model,
        host,
        trusted_everywhere(),
        clock,
        redactor,
        sandbox,
        undo,
        environ.get("HOME", ""),
    )
    try:
        await Service(settings, parts, warnings).serve(on_signal())
    finally:
        await host.close()
        await store.close()
        await model.close()


def give_room() -> None:
    """Let enough blocking work go on at once. By default there are six threads on two cores: as many files on a dead
    network drive, or pages that take seconds to read, would hold up everybody's tools."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "beside"))


def on_signal() -> asyncio.Event:
    """Set at the first SIGTERM or SIGINT."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


def root_warning() -> list[str]:
    return ["root"] if os.geteuid() == 0 else []  # a key of words.WARNINGS


def access_of(settings: Settings) -> Access:
    access = settings.access
    return Access(
        owner=access.owner,
        admins=frozenset(access.admins),
        operators=frozenset(access.operators),
        viewers=frozenset(access.viewers),
        chats=frozenset(str(chat) for chat in access.chats),
    )


if __name__ == "__main__":
    from bot.cli import main

    main()
