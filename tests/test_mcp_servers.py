"""MCP servers at work through the real bridge: a published one, and hostile ones that cost nobody else anything."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from agent.clock import SystemClock
from agent.errors import ToolError
from agent.host import LocalHost
from agent.mcp import server as server_of
from agent.mcp.registry import McpRegistry
from agent.mcp.tool import McpTool
from agent.ports import Result
from agent.redact import Redactor
from agent.steps import Outcome
from agent.tool import BadArguments, spec
from tests.fakes.calls import context
from tests.fakes.clock import HandClock

ROOT = Path(__file__).parent.parent
FAKE = str(Path(__file__).parent / "fakes" / "mcp_server.py")
PATIENCE_S = 60.0


def fake(manner: str = "", *more: str, **settings: object) -> dict[str, Any]:
    return {"command": sys.executable, "args": [FAKE, manner, *more], **settings}


class Rig:
    """A registry over the real host. `up` waits for servers longer than a request would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = f"rig-{uuid.uuid4().hex}"
        self.host = LocalHost(self.home, {"HOME": str(folder), "SECRET_OF_OURS": "x"}, Redactor([]))
        self.registry: McpRegistry

    async def up(self, *names: str, **servers: object) -> None:
        self.registry = McpRegistry(servers, self.host, SystemClock(), lambda: ("shell", "busy_echo"))
        await self.registry.refresh()
        await asyncio.gather(
            *(
                asyncio.wait_for(each.settled(), PATIENCE_S)
                for each in self.registry._servers
                if each.configured.name in names
            )
        )

    def tool(self, name: str) -> McpTool:
        found = next(tool for tool in self.registry.tools() if tool.name == name)
        assert isinstance(found, McpTool)
        return found

    async def call(self, name: str, text: str = "hi", timeout_s: float = 30.0) -> Result:
        return await self.tool(name).run(context(self.folder, timeout_s=timeout_s), {"text": text})

    def processes(self) -> list[psutil.Process]:
        """Everything of this rig's: by the mark that commands and servers carry, but for zombies."""
        found = []
        for process in psutil.process_iter(["status"]):
            try:
                marked = self.home in process.environ().get("AGENT_CALL_ID", "")
            except psutil.Error:
                continue
            if marked and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process)
        return found

    async def none_left(self) -> bool:
        deadline = time.monotonic() + 10
        while self.processes() and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        return not self.processes()


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    made = Rig(tmp_path)
    yield made
    await made.registry.close()
    await made.host.close()
    assert await made.none_left()


# -- a published one ------------------------------------------------------------------------------------------------
async def test_a_published_server_is_offered_and_answers(rig: Rig) -> None:
    await rig.up("time", time={"command": sys.executable, "args": ["-m", "mcp_server_time"], "effect": "declared"})
    assert sorted(tool.name for tool in rig.registry.tools()) == ["time_convert_time", "time_get_current_time"]
    now = rig.tool("time_get_current_time")
    assert json.loads(spec(now).parameters)["required"] == ["timezone"]
    assert now.effect == "read"
    args = now.parse('{"timezone": "Europe/Prague"}')
    told = await now.run(context(rig.folder), args)
    assert json.loads(told.text)["timezone"] == "Europe/Prague"
    assert (told.outcome, told.tainted) == (Outcome.OK, True)
    assert isinstance(now.parse('{"zone": "x"}'), BadArguments)
    bad = await now.run(context(rig.folder), {"timezone": "Nowhere/None"})
    assert bad.outcome is Outcome.FAILED
    assert "Nowhere/None" in bad.text
    assert rig.registry.news() == []


async def test_a_server_over_http(rig: Rig) -> None:
    code = (
        "from mcp.server import MCPServer\n"
        "app = MCPServer('adder')\n"
        "@app.tool()\n"
        "def add(a: int, b: int) -> int:\n"
        "    'Adds.'\n"
        "    return a + b\n"
        "import socket, sys\n"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); port = s.getsockname()[1]; s.close()\n"
        "print(port, flush=True)\n"
        "app.run('streamable-http', host='127.0.0.1', port=port)\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        port = int(await asyncio.wait_for(process.stdout.readline(), PATIENCE_S))
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                break
            except OSError:
                await asyncio.sleep(0.1)
        url = f"http://127.0.0.1:{port}/mcp"
        await rig.up("web", "gone", web={"url": url, "trusted": True}, gone={"url": "http://127.0.0.1:9/mcp"})
        told = await rig.tool("web_add").run(context(rig.folder), {"a": 2, "b": 40})
        assert (told.text.split()[0], told.tainted) == ("42", False)
        assert dict(rig.registry.troubles()) == {"gone": "it is down: All connection attempts failed"}
        process.kill()
        await process.wait()
        try:
            failed = (await rig.tool("web_add").run(context(rig.folder, timeout_s=20.0), {"a": 1, "b": 1})).outcome
        except ToolError:
            failed = Outcome.FAILED
        assert failed in (Outcome.FAILED, Outcome.TIMED_OUT)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


# -- its manners ----------------------------------------------------------------------------------------------------
async def test_answers_of_every_kind_become_text(rig: Rig) -> None:
    await rig.up("s", s=fake(env={"KEY": "for the server"}, effect="declared"))
    assert (await rig.call("s_echo", "ž🦊\n'\"")).text == "echo: ž🦊\n'\""
    assert (await rig.call("s_image")).text == "[image, image/png, 3 bytes: not shown]"
    big = await rig.call("s_big")
    assert 60_000 <= len(big.text) < 60_100
    assert "characters left out" in big.text
    failed = await rig.call("s_write")
    assert (failed.outcome, failed.text, failed.files) == (Outcome.FAILED, "write: hi", None)
    assert (await rig.call("s_env", "KEY")).text == "for the server"
    assert (await rig.call("s_env", "SECRET_OF_OURS")).text == "unset"
    assert (rig.tool("s_echo").effect, rig.tool("s_write").effect) == ("read", "write")


async def test_calls_of_two_chats_go_on_side_by_side_with_other_servers(rig: Rig) -> None:
    await rig.up("a", "b", a=fake(), b=fake("hang on call"))
    hanging = asyncio.create_task(rig.call("b_echo", timeout_s=3.0))
    answers = await asyncio.gather(*(rig.call("a_echo", str(n)) for n in range(8)))
    assert [answer.text for answer in answers] == [f"echo: {n}" for n in range(8)]
    assert not hanging.done()
    told = await hanging
    assert told.outcome is Outcome.TIMED_OUT
    assert "gave no answer within 3 s. What it did by then is not known." in told.text


async def test_bad_entries_of_a_list_cost_only_themselves(rig: Rig) -> None:
    await rig.up("s", s=fake("bad"))
    names = [tool.name for tool in rig.registry.tools()]
    assert names == ["s_echo", "s_loose", "s_n_code_n_me"]
    assert (await rig.call("s_echo")).text == "echo: hi"
    told = rig.registry.news()
    assert len(told) == 1
    assert told[0].text.startswith("Trouble with MCP servers:\ns: 11 tools are left out (no_schema, text_schema, ")
    assert ("s: no_schema", "its inputSchema is no object") in rig.registry.troubles()
    assert len(rig.registry.troubles()) == 11
    assert rig.registry.news() == []


async def test_ten_thousand_tools_are_a_hundred_and_a_word(rig: Rig) -> None:
    await rig.up("s", s=fake("many"))
    assert len(rig.registry.tools()) == 128
    assert ("s", "it has more than 128 tools: the first 128 are offered") in rig.registry.troubles()


async def test_a_list_without_an_end_has_one(rig: Rig) -> None:
    await rig.up("s", s=fake("endless"))
    assert len(rig.registry.tools()) <= 128


async def test_names_that_others_have_are_left_to_them(rig: Rig) -> None:
    await rig.up("busy", "s", busy=fake(), s=fake("twins"))
    names = [tool.name for tool in rig.registry.tools()]
    assert "busy_echo" not in names
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 64


# -- hostile ones ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("manner", "why"),
    [
        ("die", "it ended with exit code 3: ImportError: no module named nothing"),
        ("junk", "it printed over 1000 lines that are no messages"),
        ("line", "it sent a line of over 8 MB"),
    ],
)
async def test_one_that_can_t_be_used_is_named_and_the_others_work(rig: Rig, manner: str, why: str) -> None:
    await rig.up("good", "bad", good=fake("greeting"), bad=fake(manner))
    assert (await rig.call("good_echo")).text == "echo: hi"
    assert dict(rig.registry.troubles()) == {"bad": f"it is down: {why}"}
    assert [news.text for news in rig.registry.news()] == [f"Trouble with MCP servers:\nbad: it is down: {why}"]


async def test_one_that_isn_t_there(rig: Rig) -> None:
    await rig.up("bad", bad={"command": "/nosuch/program"}, worse="npx thing")
    assert dict(rig.registry.troubles()) == {
        "bad": "it is down: it can't be started: /nosuch/program: No such file or directory",
        "worse": 'its entry must be an object with "command" or "url"',
    }


async def test_one_that_hangs_is_waited_for_a_moment_and_left_out(rig: Rig) -> None:
    began = time.monotonic()
    await rig.up("good", good=fake(), bad=fake("hang"))
    assert time.monotonic() - began < 30
    assert (await rig.call("good_echo")).text == "echo: hi"
    began = time.monotonic()
    await rig.registry.refresh()
    assert time.monotonic() - began < 1
    assert dict(rig.registry.troubles()) == {"bad": "it has not answered yet"}


async def test_one_that_is_late_comes_in_when_it_is_there(rig: Rig) -> None:
    await rig.up(s=fake("late"))
    before = [tool.name for tool in rig.registry.tools()]
    await asyncio.wait_for(rig.registry._servers[0].settled(), PATIENCE_S)
    assert before == []
    assert "s_echo" in [tool.name for tool in rig.registry.tools()]


@pytest.mark.parametrize("manner", ["die on call", "flood on call"])
async def test_one_that_goes_down_during_a_call_is_started_again_after_a_while(
    rig: Rig, manner: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server_of, "FIRST_BACK_S", 0.5)
    calls = tmp_path / "calls"
    await rig.up("s", "good", s=fake(manner, str(calls)), good=fake())
    with pytest.raises(
        ToolError, match=r"went down during the call: it (ended with exit code 7: gone for good|floods)"
    ):
        await rig.call("s_echo")
    assert len(calls.read_text().splitlines()) == 1  # never tried twice by itself
    assert (await rig.call("good_echo")).text == "echo: hi"
    assert "s_echo" in [tool.name for tool in rig.registry.tools()]  # the list stays, so that the prefix does
    await asyncio.sleep(2.5)
    await rig.registry.refresh()
    with pytest.raises(ToolError, match="went down during the call"):
        await rig.call("s_echo")
    assert len(calls.read_text().splitlines()) == 2


async def test_a_wrong_answer_is_a_failed_call(rig: Rig) -> None:
    await rig.up("s", s=fake("wrong answer"))
    told = await rig.call("s_echo")
    assert told.outcome is Outcome.FAILED
    assert "refused" in told.text


async def test_a_stop_in_the_middle_of_a_call_leaves_the_server_usable(rig: Rig) -> None:
    await rig.up("s", s=fake())
    work = asyncio.create_task(rig.call("s_slow"))
    await asyncio.sleep(0.3)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert (await rig.call("s_echo")).text == "echo: hi"


async def test_whatever_a_server_starts_ends_with_it(rig: Rig) -> None:
    await rig.up("s", s=fake())
    await rig.call("s_spawn", "61.5")
    assert len(rig.processes()) == 3  # the bridge, the server and its child
    await rig.registry.close()
    assert await rig.none_left()


async def test_nothing_is_started_before_somebody_asks(rig: Rig) -> None:
    rig.registry = McpRegistry({"s": fake()}, rig.host, SystemClock())
    assert rig.registry.tools() == []
    assert rig.registry.news() == []
    await asyncio.sleep(0.2)
    assert rig.processes() == []


async def test_the_waits_between_tries_grow_and_calls_meanwhile_say_so(rig: Rig) -> None:
    clock = HandClock()
    rig.registry = McpRegistry({"s": fake("die")}, rig.host, clock)
    (server,) = rig.registry._servers
    for wait in (2.0, 4.0, 8.0):
        server.wake()
        await asyncio.wait_for(server.settled(), PATIENCE_S)
        with pytest.raises(ToolError, match=rf"is down: it ended with .* tried again in {wait:.0f} s. Nothing was run"):
            await server.call("echo", {}, 5.0)
        server.wake()
        assert server.starting is None
        await clock.advance(wait)


def test_the_sdk_is_loaded_by_bridges_alone() -> None:
    code = (
        "import sys, agent.mcp.registry, bot.parts\n"
        "print([name for name in ('mcp', 'mcp_types', 'starlette', 'uvicorn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
