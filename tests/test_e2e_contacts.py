"""Nothing but Telegram and the model is contacted: every address that the real process looks up or connects to."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import sh, use

pytestmark = pytest.mark.e2e

# The interpreter loads it before anything of ours (site), and tells it of every look-up and connection (audit hooks).
WATCHER = """
import json, sys
def note(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        where = args[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        where = args[:2]
    else:
        return
    if not where:  # a socket that is connected already
        return
    with open({path!r}, "a") as file:
        file.write(json.dumps([event, where if isinstance(where, str) else list(map(str, where))]) + "\\n")
sys.addaudithook(note)
"""


def watched(lab: Lab, folder: Path) -> Path:
    """Where the contacts of the bot will stand, a JSON line each."""
    path = folder / "contacts.jsonl"
    (folder / "hook").mkdir()
    (folder / "hook/sitecustomize.py").write_text(WATCHER.format(path=str(path)))
    lab.bot.env["PYTHONPATH"] = str(folder / "hook")
    return path


async def test_only_telegram_and_the_model_are_contacted(lab: Lab, tmp_path: Path) -> None:
    path = watched(lab, tmp_path)
    await lab.start()
    write = use("write_file", {"path": str(lab.workspace / "a.txt"), "content": "text"})
    await lab.ask("work", [write, sh("cat a.txt"), "DONE1 see https://example.com/page"], "DONE1")
    status = lab.send("/status")
    await lab.wait_text("Nothing is running", after=status.after)
    assert await lab.bot.stop() == 0
    seen = [json.loads(line) for line in path.read_text().splitlines()]
    ours = {urlsplit(lab.telegram.url).port, urlsplit(lab.model.url).port}
    assert {int(where[1]) for event, where in seen if event == "socket.connect" and isinstance(where, list)} == ours
    strangers = [each for each in seen if isinstance(each[1], list) and int(each[1][1] or 0) not in ours]
    assert strangers == []
    assert [each for each in seen if isinstance(each[1], str)] == []  # no UNIX socket by name either
