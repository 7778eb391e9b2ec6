"""The main job on the real process: a message becomes work on the host, and the answer comes once."""

from __future__ import annotations

import asyncio
import json
import stat
import time

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import KEY, Say, Turn, sh, unstable, use
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e
HELLO = '#!/bin/bash\necho "home=$HOME sum=$((40+2)) back\\slash"\n'


async def test_a_script_is_written_byte_for_byte_made_executable_and_run(lab: Lab) -> None:
    await lab.start()
    path = lab.workspace / "hello.sh"
    write = use("write_file", {"path": str(path), "content": HELLO, "mode": "755"})
    answer = "It printed:\n```\nhome and 42\n```\nDONE1"
    sent = await lab.ask("create hello.sh that prints $HOME and run it", [write, sh("./hello.sh"), answer], "DONE1")
    assert path.read_text() == HELLO
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert "sum=42" in lab.results(sent)[-1]
    assert lab.copies("DONE1") == 1
    assert any("home and 42" in text for text in lab.screen())


async def test_ten_calls_in_a_row_keep_order_and_the_prefix_stays_the_same(lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("count", [*[sh(f"echo step-{i}") for i in range(10)], "DONE2"], "DONE2", timeout=30)
    results = lab.results(sent)
    assert [f"step-{i}" in result for i, result in enumerate(results)] == [True] * 10
    assert unstable(lab.requests(sent), sent.script) == ""


@pytest.mark.lab(chats=[8])
async def test_a_chat_that_sleeps_never_delays_another(lab: Lab) -> None:
    await lab.start()
    lab.send("slow", [sh(lab.nap(20)), "never seen"])
    await lab.until(lab.naps, "the slow command never started")
    began = time.monotonic()
    await lab.ask("quick", ["DONE3"], "DONE3", chat=8, timeout=8)
    assert time.monotonic() - began < 8
    assert lab.naps()


async def test_stop_answers_at_once_and_leaves_no_process(lab: Lab) -> None:
    await lab.start()
    stubborn = f"trap '' TERM; (setsid {lab.nap(121)} &); nohup {lab.nap(122)} >/dev/null & {lab.nap(120)}"
    lab.send("work", [sh(stubborn), "never seen"])
    await lab.until(lambda: len(lab.naps()) >= 3, "the tree never stood")
    stop = lab.send("/stop")
    await lab.wait_text("Stop", timeout=3, after=stop.after)
    await lab.until(lambda: not lab.naps(), "alive after /stop", timeout=8)
    sent = await lab.ask("next", ["DONE4"], "DONE4")
    assert "ancelled" in lab.requests(sent)[0].results[-1]


async def test_messages_during_a_run_get_a_receipt_and_reach_the_model_in_order(lab: Lab) -> None:
    await lab.start()
    lab.send("work", [sh(f"{lab.nap(1)}; echo ran >> ran.txt"), "DONE5"])
    await lab.until(lab.naps, "never started")
    for word in ("alpha", "beta", "gamma"):
        lab.telegram.people.say(f"also {word}")
        await asyncio.sleep(0.1)
    await lab.wait_text("DONE5")
    body = json.dumps(lab.model.requests[-1].body)
    assert 0 < body.find("alpha") < body.find("beta") < body.find("gamma")
    assert (lab.workspace / "ran.txt").read_text() == "ran\n"
    assert sum(call.method == "setMessageReaction" for call in lab.telegram.calls) == 3


async def test_keys_reach_neither_model_nor_chat_nor_disk(lab: Lab) -> None:
    await lab.start()
    (lab.workspace / "conf.txt").write_text(f"key={KEY}\ntoken={lab.telegram.token}\n")
    show = "env; cat conf.txt; cat conf.txt >&2; tr '\\0' '\\n' < /proc/$PPID/environ"
    await lab.ask("show", [sh(show), use("read_file", {"path": "conf.txt"}), "DONE6"], "DONE6")
    for secret in (KEY, lab.telegram.token):
        assert not any(secret in json.dumps(r.body) for r in lab.model.requests)
        assert not any(secret in json.dumps(call.params) for call in lab.telegram.calls)
        assert secret not in lab.bot.log.read_text()
        for file in lab.home.rglob("*"):
            assert not file.is_file() or secret.encode() not in file.read_bytes(), file


async def test_a_key_that_nobody_configured_is_masked_in_the_answer_and_on_the_card(lab: Lab) -> None:
    await lab.start()
    key = "sk-proj-" + "aB3dE5fG7h" * 4
    await lab.ask("show", [sh(f"echo {key}; sleep 1"), f"The key is {key}. DONE14"], "DONE14")
    assert not any(key in text for text in lab.screen())


async def test_strangers_get_silence_and_cost_nothing(lab: Lab) -> None:
    await lab.start()
    lab.telegram.chats.chat(999)
    for text in ("hi", "/status", "/stop"):
        lab.telegram.people.say(text, 999)
    await lab.ask("hello", ["DONE7"], "DONE7")
    assert lab.screen(999) == []
    assert not [call for call in lab.telegram.calls if call.chat == 999]


async def test_the_prompt_names_session_day_host_and_folder_and_the_users_notes(lab: Lab) -> None:
    (lab.workspace / "NOTES.md").write_text("The cat is called Ada.")
    await lab.start()
    sent = await lab.ask("hi", ["DONE9"], "DONE9")
    prompt = lab.requests(sent)[0].body["messages"][0]["content"]
    assert "The cat is called Ada." in prompt
    assert str(lab.workspace) in prompt
    assert len(json.dumps(lab.requests(sent)[0].body)) <= 12_000


async def test_new_starts_afresh_and_start_help_status_answer(lab: Lab) -> None:
    await lab.start()
    await lab.ask("remember BLUE", ["DONE10"], "DONE10")
    for command, expect in (
        ("/start", "Jarvis"),
        ("/help", "/stop"),
        ("/status", "Nothing is running"),
        ("/new", "resh"),
    ):
        said = lab.send(command)
        await lab.wait_text(expect, after=said.after, timeout=5)
    sent = await lab.ask("what was it?", ["DONE11"], "DONE11")
    assert "BLUE" not in json.dumps(lab.requests(sent)[0].body)
    said = lab.send("/stauts")
    await lab.wait_text("/status", after=said.after, timeout=5)


@pytest.mark.lab(env={"JARVIS_RUN__TURNS": "7", "JARVIS_RUN__HANDOFFS": "0"})
async def test_the_last_five_turns_are_told_and_the_limit_ends_in_words(lab: Lab) -> None:
    await lab.start()
    told: list[str] = []

    def policy(turn: Turn) -> Say:
        last = turn.body["messages"][-1]
        told.append(str(last["content"]) if last["role"] == "user" and "harness" in str(last["content"]) else "")
        return Say(calls=(sh(f"echo {len(told)}"),))

    sent = lab.send("go on for ever", policy)
    await lab.wait_text("All 7 turns are used", after=sent.after)
    assert [bool(text) for text in told] == [False, False, True, True, True, True, True]
    assert "last turn" in told[-1]


async def test_an_answer_of_four_thousand_emoji_and_a_lone_surrogate_arrive(lab: Lab) -> None:
    await lab.start()
    await lab.ask("go", ["😀" * 5000 + "DONE12"], "DONE12", timeout=20)
    assert sum(text.count("😀") for text in lab.screen()) == 5000
    for text in ("broken \ud800 text", "long " * 50_000):
        message = lab.telegram.people.message({"text": text}, OWNER)
        lab.telegram.updates.put(lab.telegram.updates.make("message", message))
    await lab.ask("still there?", ["DONE13"], "DONE13")
