"""Rows of the fault table about the host and the secrets, on the real process (FAULTS H22, H24, S12, S16, S18,
S20, S24, S30)."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sqlite3
import stat
import sys
import zipfile
from pathlib import Path

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import KEY, Http, sh
from tests.fakes.process import jarvis
from tests.fakes.telegram import OWNER, Fault

pytestmark = pytest.mark.e2e

IN_SHELL = ("/bin/sh", "-c")


@pytest.mark.lab(command=(*IN_SHELL, f"exec {' '.join(jarvis('run'))} >/dev/full 2>&1"))
async def test_h22_a_log_that_cannot_be_written_costs_no_answer(lab: Lab) -> None:
    await lab.start()
    await lab.ask("hello", [sh("echo hi >> marks.txt"), "FINAL2"], "FINAL2")
    assert (lab.workspace / "marks.txt").read_text() == "hi\n"
    assert await lab.bot.stop() == 0


async def test_h24_the_network_is_gone_on_both_sides_and_comes_back(lab: Lab) -> None:
    await lab.start()
    await lab.ask("before", ["FINAL3"], "FINAL3")
    sides = [(each, each.port) for each in (lab.telegram.server, lab.model.server)]
    lab.send("during", [sh(f"echo mark >> marks.txt; {lab.nap(2)}"), "FINAL4"])
    await lab.until(lab.naps, "never started")
    for side, _ in sides:
        await side.stop()
    await asyncio.sleep(4)
    assert lab.bot.alive
    for side, port in sides:
        await side.start(port)
    await lab.wait_text("FINAL4", timeout=60)
    await lab.ask("after", ["FINAL5"], "FINAL5", timeout=60)
    assert (lab.workspace / "marks.txt").read_text() == "mark\n"
    assert [lab.copies(f"FINAL{number}") for number in (3, 4, 5)] == [1, 1, 1]


@pytest.mark.lab(env={"JARVIS_LOG__LEVEL": "debug"})
async def test_s12_no_token_or_key_is_in_the_log_or_the_store_while_everything_fails(lab: Lab) -> None:
    lab.telegram.faults.add(Fault(method="sendMessage", status=502, body="<html>Bad Gateway</html>"))
    lab.telegram.faults.add(Fault(method="editMessageText", reset=True, times=3))
    lab.telegram.faults.add(Fault(method="getUpdates", status=502, times=2))
    await lab.start()
    refused = Http(500, {"error": {"message": f"upstream of {KEY} failed"}})
    script = [[refused, sh(f"echo {KEY[:4]}; env")], "FINAL6"]
    sent = lab.send(f"my token is {lab.telegram.token}", script)
    await lab.wait_text("FINAL6", timeout=30)
    assert len(lab.requests(sent)) >= 2
    assert await lab.bot.stop() == 0
    kept = {path.name: path.read_bytes() for path in lab.home.rglob("*") if path.is_file()}
    kept[lab.bot.log.name] = lab.bot.log.read_bytes()
    assert len(kept["jarvis.db"]) > 0 and len(kept["bot.log"]) > 0
    secret = lab.telegram.token.partition(":")[2]
    assert [name for name, data in kept.items() if KEY.encode() in data or secret.encode() in data] == []


@pytest.mark.lab(command=(*IN_SHELL, f"umask 000; exec {' '.join(jarvis('run'))}"))
async def test_s16_the_state_is_private_whatever_the_umask(lab: Lab) -> None:
    await lab.start()
    await lab.ask("work", [sh("seq 1 20000; echo x > made.txt"), "FINAL7"], "FINAL7")
    await lab.wait_text("made.txt", after=lab.send("/undo").after)
    boxes = {path for path in (lab.home / "box").glob("*/*") for path in (path, *path.rglob("*"))}
    kept = {lab.home, *lab.home.rglob("*")} - boxes
    open_to_others = [
        f"{path.relative_to(lab.work)} {stat.S_IMODE(found.st_mode):o}"
        for path in sorted(kept)  # but for the boxes' /tmp and /dev/shm, which lie in a private folder
        if not stat.S_ISLNK((found := path.lstat()).st_mode) and found.st_mode & 0o077
    ]
    assert open_to_others == []


@pytest.mark.lab(env={"JARVIS_LOG__FORMAT": "json", "JARVIS_LOG__LEVEL": "debug"})
async def test_s18_each_log_record_is_one_line_of_json_whatever_names_and_texts_hold(lab: Lab) -> None:
    await lab.start()
    hostile = 'a\nb\r\n{"level": "critical"}\x1b[31m\u2028"}'
    lab.telegram.people.say(hostile, 4242)
    sent = lab.send(hostile, [sh("printf 'x\\n{}\\n' >&2; false"), "FINAL8"])
    await lab.wait_text("FINAL8", after=sent.after)
    lab.telegram.people.upload(b"x", 'n\n"ame.txt')
    await lab.wait_text("Nothing is running", after=lab.send("/status").after)
    assert await lab.bot.stop() == 0
    lines = lab.bot.log.read_text().splitlines()
    assert len(lines) > 2 and all({"ts", "level", "msg"} <= json.loads(line).keys() for line in lines)


async def test_s20_an_archive_that_is_sent_is_kept_as_it_is(lab: Lab) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../escaped.txt", "out")
        archive.writestr("bomb.txt", b"\0" * 10_000_000)
    await lab.start()
    lab.telegram.people.upload(packed.getvalue(), "files.zip", caption=f"look {lab.model.script('zip', ['FINAL9'])}")
    await lab.wait_text("FINAL9")
    there = [path for path in lab.work.rglob("*") if path.is_file() and lab.home not in path.parents]
    assert [path.name for path in there if path.suffix == ".zip"] == ["files.zip"]
    assert not any(path.name in ("escaped.txt", "bomb.txt") for path in there)


async def test_s24_a_flood_of_strangers_leaves_no_row_and_calls_no_model(lab: Lab) -> None:
    await lab.start()
    for number in range(300):
        lab.telegram.people.say(f"let me in {number}", 50_000 + number)
    await lab.ask("hello", ["FINAL10"], "FINAL10")
    assert len(lab.model.requests) == 1
    assert [chat for chat in range(50_000, 50_300) if lab.screen(chat)] == []
    assert await lab.bot.stop() == 0
    with sqlite3.connect(lab.home / "jarvis.db") as db:
        assert db.execute("SELECT DISTINCT chat FROM inbox").fetchall() == [(str(OWNER),)]


async def test_s30_nothing_that_lies_around_is_imported_or_run(lab: Lab, tmp_path: Path) -> None:
    mark = tmp_path / "imported"
    for folder in (lab.workspace, lab.work):
        for name in ("sitecustomize", "usercustomize", "agent", "bot", "telegram", "httpx", "conftest", "json"):
            (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write(__name__)\n")
        (folder / ".env").write_text("JARVIS_RUN__MODE=full\nTELEGRAM_BOT_TOKEN=1:stolen\n")
        (folder / "config.toml").write_text('[run]\nmode = "full"\n')
    for name in ("agent/tools", "agent/guards", ".git/hooks"):
        (lab.workspace / name).mkdir(parents=True)
    hook = lab.workspace / ".git/hooks/post-checkout"
    hook.write_text(f"#!/bin/sh\necho hook >> {mark}\n")
    hook.chmod(0o755)
    await lab.start()
    await lab.ask("look", [sh("true"), "FINAL11"], "FINAL11")
    assert await lab.bot.stop() == 0
    assert not mark.exists() and sys.executable and os.path.lexists(hook)
