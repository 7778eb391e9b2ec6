"""MCP servers and search on the real process: offered in the first run, asked for in the sandbox, gone with the bot."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import psutil
import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import use

pytestmark = pytest.mark.e2e
FAKE = str(Path(__file__).parent / "fakes" / "mcp_server.py")


def fake(manner: str, **settings: object) -> dict[str, object]:
    return {"command": sys.executable, "args": [FAKE, manner], **settings}


def env(**servers: object) -> dict[str, str]:
    return {"JARVIS_TOOLS__MCP": json.dumps(servers)}


def of_the_lab(lab: Lab) -> list[psutil.Process]:
    """The fake servers of this lab, by the home in the mark that they carry."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        try:
            ours = str(lab.home) in process.environ().get("AGENT_CALL_ID", "") and FAKE in process.cmdline()
        except psutil.Error:
            continue
        if ours and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


async def offered(lab: Lab, *names: str) -> None:
    """Talk until the model is offered these tools: on a busy machine servers come in late."""
    for turn in range(20):
        sent = await lab.ask(f"hello {turn}", [f"HI{turn}"], f"HI{turn}", timeout=30)
        there = {tool["function"]["name"] for tool in lab.requests(sent)[-1].body["tools"]}
        if there.issuperset(names):
            return
        await asyncio.sleep(1.0)
    raise AssertionError(f"never offered: {set(names) - there}")


SERVERS = {
    "clock": {"command": sys.executable, "args": ["-m", "mcp_server_time"], "effect": "declared", "trusted": True},
    "good": fake("", env={"API_KEY": "key-of-the-server-5591"}),
    "bad": fake("bad"),
    "gone": fake("die"),
    "stuck": fake("hang"),
    "typo": {"comand": "x"},
}


@pytest.mark.lab(env=env(**SERVERS))
async def test_good_servers_are_offered_bad_ones_named_once_and_all_end_with_the_bot(lab: Lab) -> None:
    await lab.start()
    assert of_the_lab(lab) == []  # nothing before somebody asks
    await offered(lab, "good_echo", "good_env", "bad_echo", "clock_get_current_time")
    script = [
        use("good_echo", {"text": "one"}),
        use("good_env", {"text": "API_KEY"}),
        use("bad_echo", {"text": "two"}),
        "DONE1",
    ]
    sent = await lab.ask("try them", script, "DONE1", timeout=60)
    assert lab.results(sent)[-3:] == ["echo: one", "[jarvis:secret]", "echo: two"]
    told = "\n".join(text for text in lab.screen() if "Trouble with MCP servers" in text)
    words = ("typo: there is no setting 'comand'", "gone: it is down: it ended with exit code 3", "bad: 11 tools")
    assert [told.count(each) for each in words] == [1, 1, 1]
    clock = await lab.ask("time", [use("clock_get_current_time", {"timezone": "UTC"}), "DONE2"], "DONE2", timeout=30)
    assert json.loads(lab.results(clock)[-1])["timezone"] == "UTC"
    assert lab.faults() == []
    assert of_the_lab(lab)
    await lab.bot.kill(tree=False)
    await lab.until(lambda: not of_the_lab(lab), "outlived the bot")


@pytest.mark.lab(env={**env(good=fake("", effect="declared")), "JARVIS_RUN__MODE": "sandbox"})
async def test_in_the_sandbox_only_what_is_declared_to_read_runs_unasked(lab: Lab) -> None:
    await lab.start()
    await offered(lab, "good_echo", "good_write")
    script = [use("good_echo", {"text": "read"}), use("good_write", {"text": "write"}), "DONE1"]
    lab.send("try", script)
    button = await lab.wait_button("once", timeout=40)
    lab.press(button)
    await lab.wait_text("DONE1", timeout=30)
    assert any("good_write" in text for text in lab.screen())


@pytest.mark.lab(env=env(good=fake("hang on call")))
async def test_stop_ends_a_run_whose_server_hangs(lab: Lab) -> None:
    await lab.start()
    await offered(lab, "good_echo")
    lab.send("try", [use("good_echo", {"text": "x"}), "never"])
    await lab.wait_text("good echo", timeout=20)
    stop = lab.send("/stop")
    await lab.wait_text("Stopped", timeout=5, after=stop.after)


async def test_search_finds_what_was_written_and_never_our_own_state(lab: Lab) -> None:
    await lab.start()
    (lab.workspace / "src").mkdir()
    (lab.workspace / "src" / "a.py").write_text("needle = 1\n")
    script = [
        use("search", {"pattern": "needle", "glob": "*.py"}),
        use("search", {"pattern": "nothing like it"}),
        use("search", {"pattern": "sqlite", "path": str(lab.home)}),
        use("search", {"pattern": "("}),
        "DONE1",
    ]
    sent = await lab.ask("find it", script, "DONE1", timeout=30)
    found, nothing, ours, bad = lab.results(sent)[-4:]
    assert found == "1 line in 1 file\nsrc/a.py:1: needle = 1"
    assert nothing.startswith('No match for "nothing like it"')
    assert "out of reach" in ours
    assert "unterminated subpattern at position 0" in bad
