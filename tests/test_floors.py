"""Who may import whom, held against every file; and proof that the checker can fail."""

from __future__ import annotations

from statistics import median

import pytest

import agent
from tests.floors import LONGEST_FUNCTION, LONGEST_MODULE, Floor, Module, floor_of, modules, too_long, violations

EXPORTED = frozenset({"ConfigError", "Store"})
ALL = modules()


@pytest.mark.parametrize("module", ALL, ids=lambda m: m.name)
def test_each_file_imports_only_what_its_floor_may(module: Module) -> None:
    assert violations(module, frozenset(agent.__all__)) == []


@pytest.mark.parametrize("module", ALL, ids=lambda m: m.name)
def test_no_file_and_no_function_is_too_long(module: Module) -> None:
    assert too_long(module) == []


def test_the_median_file_is_short() -> None:
    assert median([m.source.count("\n") for m in ALL if m.source]) < 150


def test_the_engine_stays_small() -> None:
    lines = {m.name: m.source.count("\n") for m in ALL}
    assert lines.get("agent.loop", 0) < 100
    assert sum(lines.get(f"agent.{name}", 0) for name in ("loop", "session", "hub", "relay")) < 600


FORBIDDEN = [
    ("agent.steps", "import pydantic", "facts know the standard library alone"),
    ("agent.steps", "from agent.ports import Tool", "nothing above"),
    ("agent.panel", "import asyncio", "pure"),
    ("agent.panel", "import os.path", "pure"),
    ("agent.panel", "from time import time", "pure"),
    ("agent.relay", "def f():\n    import random", "pure, also inside of a function"),
    ("agent.guards.loops", "from agent.guards.streak import Streak", "a guard imports another"),
    ("agent.guards.loops", "from agent.store import codec", "a rule imports an edge"),
    ("agent.guards.loops", "import aiofiles", "a rule has no such library"),
    ("agent.store.journal", "from agent.models.sse import read", "an edge imports another"),
    ("agent.store.journal", "from agent.session import Session", "an edge imports the engine"),
    ("agent.store.journal", "import openai", "not its library"),
    ("agent.host.run", "from agent.settings import load", "a root is imported from below"),
    ("agent.host.run", "import os\nos.environ['HOME']", "the environment"),
    ("agent.host.run", "from os import getenv", "the environment"),
    ("agent.log", "import os\nx = os.getenv('A')", "the environment, even at the root"),
    ("agent.loop", "from agent.store import open_store", "the engine knows ports only"),
    ("agent.loop", "import telegram", "a chat word in the engine"),
    ("agent.loop", "from agent import store", "a package taken from the door"),
    ("agent", "from agent.settings import load", "the door leads to no root"),
    ("bot.desk", "from agent.hub import Hub", "the chat side uses the door"),
    ("bot.desk", "from agent import Conflict", "not exported"),
    ("bot.desk", "import agent.store", "agent internals"),
    ("bot.desk", "import telegram", "a chat library outside of channels"),
    ("bot.desk", "from bot.cli import main", "a root is imported from below"),
    ("bot.card", "import asyncio", "pure"),
    ("agent.tools.shell", "from . import _files", "relative"),
    ("agent.tools.shell", "import importlib", "hides the floor"),
    ("agent.helpers", "", "no floor"),
    ("agent.store.journal", "from agent.helpers import f", "what stands on no floor"),
]


@pytest.mark.parametrize(("name", "source", "why"), FORBIDDEN, ids=[f"{n}: {w}" for n, _, w in FORBIDDEN])
def test_the_checker_sees(name: str, source: str, why: str) -> None:
    assert len(violations(Module(name, source), EXPORTED)) >= 1


ALLOWED = [
    ("agent.steps", "from dataclasses import dataclass"),
    ("agent.panel", "from agent.ports import Guard\nfrom agent.steps import Step"),
    ("agent.panel", "import pydantic"),
    ("agent.guards.loops", "from agent.guards._windows import Window"),
    ("agent.guards.drift", "import tree_sitter_javascript"),
    ("agent.store.journal", "import asyncio\nimport asyncpg\nfrom agent.store.codec import encode"),
    ("agent.loop", "import asyncio\nfrom agent.session import Session"),
    ("bot.desk", "import asyncio\nfrom agent import Store"),
    ("bot.channels.telegram.wire", "import telegram"),
    ("bot.cli_chat", "from agent.settings import load\nfrom bot.desk import Desk"),
    ("agent.settings.load", "import os\nos.environ"),
    ("bot.__main__", "import importlib\nfrom agent.store import open_store"),
]


@pytest.mark.parametrize(("name", "source"), ALLOWED)
def test_the_checker_lets_pass(name: str, source: str) -> None:
    assert violations(Module(name, source), EXPORTED) == []


@pytest.mark.parametrize(("extra", "found"), [(0, 0), (1, 1)])
def test_a_function_may_have_forty_lines(extra: int, found: int) -> None:
    body = "    pass\n" * (LONGEST_FUNCTION - 1 + extra)
    assert len(too_long(Module("agent.x", f"def f():\n{body}"))) == found


@pytest.mark.parametrize(("extra", "found"), [(0, 0), (1, 1)])
def test_a_file_may_have_three_hundred_lines(extra: int, found: int) -> None:
    assert len(too_long(Module("agent.x", "x = 1\n" * (LONGEST_MODULE + extra)))) == found


def test_a_package_lends_its_floor_to_its_files() -> None:
    assert floor_of("agent.tools.shell") is Floor.EDGES
    assert floor_of("agent.nothing") is None
