"""`jarvis demo`: the real core, tools and journal, with a scripted model; no account, no key, no network."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent import Store, steps
from agent.clock import SystemClock
from agent.host.local import LocalHost
from agent.log import setup
from agent.models.scripted import Line, ScriptedModel, Slow, call
from agent.ports import Message
from agent.redact import Redactor
from agent.settings import base_environment, load
from agent.steps import ToolSpec
from agent.store.memory import MemoryStore
from bot.access import trusted_everywhere
from bot.channels.console import ConsoleChannel
from bot.service import Parts, Service

TASK = "Write a script that reports this machine's kernel, CPUs and free disk space, and run it."
SCRIPT = """\
#!/bin/bash
echo "kernel: $(uname -sr)"
echo "cpus:   $(nproc)"
echo "disk:   $(df -h --output=avail / | tail -1 | tr -d ' ') free on /"
"""
THINKING_S = 0.8  # so that a person can follow


async def play() -> None:
    """One task from the message to the answer, shown as a chat; then what the journal says of it."""
    setup("error")
    with tempfile.TemporaryDirectory(prefix="jarvis-demo-") as folder:
        home, workspace = Path(folder) / "home", Path(folder) / "workspace"
        names = {"JARVIS_HOME": home, "JARVIS_RUN__WORKSPACE": workspace, "HOME": folder, "JARVIS_RUN__MODE": "full"}
        settings = load({name: str(value) for name, value in names.items()}).settings
        clock, redactor, store = SystemClock(), Redactor([]), MemoryStore()
        model = ScriptedModel([Slow(THINKING_S, line) for line in lines()], clock, "demo script")
        host = LocalHost(str(home), base_environment() | {"HOME": folder}, redactor)
        print(f"you    {TASK}\n", flush=True)  # noqa: T201 - the demo's screen
        stdin = typed(TASK)
        channel = ConsoleChannel(clock, stdin)
        try:
            parts = Parts(channel, store, model, host, trusted_everywhere(), clock, redactor)
            await Service(settings, parts).serve(asyncio.Event())
            print(await summary(store), flush=True)  # noqa: T201
        finally:
            await host.close()


def typed(text: str) -> int:
    """A file descriptor from which `text` can be read, as if somebody had typed it and left."""
    reader, writer = os.pipe()
    os.write(writer, f"{text}\n".encode())
    os.close(writer)
    return reader


def lines() -> list[Line]:
    """What the scripted model does: two calls, then an answer made of what it really saw."""

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Line:
        output = str(messages[-1]["content"] if messages[-1]["role"] == "tool" else messages[-2]["content"])
        seen = [line for line in output.splitlines() if ":" in line and not line.startswith(("---", "ok"))]
        return "I wrote `machine.sh` and ran it:\n```\n" + "\n".join(seen) + "\n```"

    return [
        [call("write_file", {"path": "machine.sh", "content": SCRIPT, "mode": "755"})],
        [call("shell", {"command": "./machine.sh"})],
        answer,
    ]


async def summary(store: Store) -> str:
    """A small table from the journal of the console's session."""
    session = await store.route("console:0:0:")
    facts = [step for _, step in await store.read(session or "")]
    turns = sum(isinstance(fact, steps.Said) for fact in facts)
    calls = sum(isinstance(fact, steps.Finished) for fact in facts)
    ends = ", ".join(fact.end.value for fact in facts if isinstance(fact, steps.Ended))
    return f"\nturns  calls  outcome\n{turns:>5}  {calls:>5}  {ends or 'not ended'}"
