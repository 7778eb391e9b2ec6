"""Under a language that brackets every string nothing of ours is left without brackets; and German, on the screen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from bot import words
from tests.fakes.drifting import laid_out
from tests.fakes.lab import DRAFT, Lab
from tests.fakes.model import DONE, Http, Sse, Step, chunk, sh, use, write_file
from tests.fakes.model.costs import spending
from tests.fakes.packages import PYTEST, PYTHON, RIGHT_PY
from tests.fakes.telegram import OWNER
from tests.test_words_walk import AS_IT_IS, TELLTALE

pytestmark = pytest.mark.e2e
OURS = re.compile(r"⟦[^⟦⟧\n]*(?:⟧|…$)|⟦[^⟦⟧]*⟧", re.M)  # one that was cut short has lost its end
# What stands in every line that is the model's, a tool's or a person's: our mark, else a file or a command's words.
THEIRS = re.compile(r"ZZ|sums/totals|pytest|echo part|/workspace\b|User7|User999")
STRANGER = 999
ANSWERS = ("sendMessage", "sendDocument")
TOO_LONG = Http(400, {"error": {"message": "x", "code": "context_length_exceeded"}})


def bare(text: str) -> list[str]:
    """The lines that hold a word outside of brackets and aren't theirs."""
    while OURS.search(text):
        text = OURS.sub(lambda found: "…" * found[0].endswith("…"), text)
    text = text.replace("[[script:", "ZZ").replace("test-model", "")
    return [line for line in text.splitlines() if re.search(r"[A-Za-z]{3}", line) and not THEIRS.search(line)]


def spoken(lab: Lab, chat: int = OWNER) -> Iterator[str]:
    """Everything that this chat was shown: texts, captions, buttons, toasts; and the files."""
    for call in lab.telegram.calls:
        if call.method == DRAFT or call.status != 200:
            continue
        if call.chat == chat and call.method.startswith(("send", "edit")) and call.method != "sendChatAction":
            yield call.shown
            markup = call.params.get("reply_markup") or {}
            yield from (each["text"] for row in markup.get("inline_keyboard", []) for each in row)
        if call.method == "answerCallbackQuery":
            yield call.params.get("text", "")


def foreign(lab: Lab, chat: int = OWNER) -> list[str]:
    return [line for text in spoken(lab, chat) for line in bare(text)]


def english(lab: Lab) -> list[str]:
    """The lines with a word that is no German, and that aren't theirs."""
    lines = [line for text in spoken(lab) for line in text.splitlines() if not THEIRS.search(line)]
    return [line for line in lines if TELLTALE.search(AS_IT_IS.sub("", line.replace("test-model", "")))]


async def said(lab: Lab, *texts: str, chat: int = OWNER) -> None:
    """Say each of them, and wait until it is answered."""
    for text in texts:
        seen = len(lab.telegram.calls)

        def answered(seen: int = seen) -> bool:
            return any(c.method in ANSWERS and c.chat == chat for c in lab.telegram.calls[seen:])

        lab.telegram.people.say(text, chat)
        await lab.until(answered, f"no answer to {text}")


async def started(lab: Lab, language: str = "qps-ploc") -> None:
    lab.telegram.chats.languages[OWNER] = language
    await lab.start()


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "ask", "JARVIS_RUN__TURNS": "6"})
async def test_each_scene_speaks_through_the_catalogue(lab: Lab) -> None:
    await started(lab)
    names = ("help", "start", "status", "users", "usage", "undo", "plan", "model", "mode", "sessions", "verbosity")
    await said(lab, *(f"/{name}" for name in (*names, "log", "checkpoint", "tools", "users 8")))
    await said(lab, "/nonsense", "/mode ZZ", "/verbosity ZZ", "/new ZZ", "/lock ZZ", "/pause", "/resume", "/stop")
    sent = lab.send("ZZ work", [sh("cat /nonexistent/ZZ"), sh("echo ZZ > ZZfile"), "ZZ FINAL"])
    lab.press(await lab.wait_button("Run once"))
    await lab.wait_text("FINAL", after=sent.after)
    lab.telegram.people.say("/verbosity full")
    fails = [sh(f"ls /nonexistent/ZZ # {each}") for each in range(7)]
    sent = lab.send("ZZ fail", [*fails, "ZZ FINAL2"])
    await lab.wait_text("Checkpoint", after=sent.after, timeout=20)
    await said(lab, "/checkpoint", "/undo", "/usage", "/log", "/sessions", "/new forget", "/new")
    lab.press(await lab.wait_button("Details"))
    await lab.until(lambda: any("⟦Details" in text for text in lab.screen()), "no details")
    assert foreign(lab) == []


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (Http(401, {"error": {"message": "x", "code": "invalid_api_key"}}), "was rejected"),
        (Http(404, {"error": {"message": "x", "code": "model_not_found"}}), "is not known"),
        (Sse((chunk({"content": ""}), chunk({}, "content_filter"), DONE)), "content policy"),
        (TOO_LONG, "Even the shortest request"),
        (Http(400, {"error": {"message": "x", "code": "strange"}}), "found our request invalid"),
        (Http(429, {"error": {"message": "x", "code": "slow"}}, {"Retry-After": "600"}), "I wait and try again"),
    ],
    ids=["key", "unknown model", "refusal", "overflow", "our bug", "parked"],
)
async def test_a_trouble_of_the_model_is_told_through_the_catalogue(failure: Step, told: str, lab: Lab) -> None:
    await started(lab)
    sent = lab.send("ZZ go", [failure])
    await lab.wait_text(told, after=sent.after, timeout=20)
    await said(lab, "/status", "/model", "/stop")
    assert foreign(lab) == []


async def test_what_the_doctor_finds_is_told_through_the_catalogue(lab: Lab) -> None:
    await started(lab)
    await said(lab, "/doctor")
    await lab.wait_text("to mend", timeout=30)
    assert foreign(lab) == []


async def test_verdicts_are_told_through_the_catalogue(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    finding = {"file": "sums/totals.py", "line": 2, "quote": "return sum(numbers)", "problem": "ZZ"}
    lab.model.asides = [json.dumps({"vote": "reject", "severity": "critical", "findings": [finding]})]
    await started(lab)
    await said(lab, "/verbosity full")
    broken = write_file("sums/totals.py", "def total(numbers):\n    return 1\n")
    await lab.ask("ZZ fix", [broken, sh(f"{PYTEST} tests"), "ZZ It is fixed. DONE1"], "DONE1", timeout=60)
    await lab.ask("ZZ look", ["ZZ All fixed, all tests passed. DONE2"], "DONE2", timeout=20)
    right = write_file("sums/totals.py", RIGHT_PY)
    done = use("task_complete", {"summary": "ZZ The sum is right now. DONE3"})
    await lab.ask("ZZ again", [right, sh(f"{PYTEST} tests"), done], "DONE3", timeout=60)
    screen = "\n".join(lab.screen())
    assert all(each in screen for each in ("Not verified", "the last run of", "rejected by a review"))
    assert foreign(lab) == []


@pytest.mark.lab(env={"JARVIS_GUARDS__BUDGET__RUN_TOKENS": "20000"})
async def test_a_budget_and_a_sub_agent_are_told_through_the_catalogue(lab: Lab) -> None:
    await started(lab)
    child = f"ZZ look {lab.model.script('child', [sh('ls /nonexistent/ZZ'), 'ZZ CHILD'])}"
    await lab.ask("ZZ find", [use("subagent", {"task": child}), "ZZ FINAL1"], "FINAL1", timeout=20)
    sent = lab.send("ZZ spend", spending(4500))
    await lab.wait_text("budget is used up", after=sent.after, timeout=30)
    assert foreign(lab) == []


@pytest.mark.lab(env={"JARVIS_ACCESS__OWNER": ""})
async def test_whoever_comes_to_the_door_is_told_in_their_own_language(lab: Lab) -> None:
    await started(lab)
    code = await lab.until(lambda: re.search(r"Pairing code: ([A-Z0-9]{8})\b", lab.bot.log.read_text()), "no code")
    lab.telegram.people.say(code[1])
    await lab.wait_text("You are my owner now")
    lab.telegram.chats.chat(STRANGER)
    lab.telegram.chats.languages[STRANGER] = "de"
    lab.telegram.people.say("/start", STRANGER)
    await lab.wait_text("⟦Someone new wants in.")
    lab.press(await lab.wait_button("Operator"))
    with words.speaking("de"):
        welcome = words.welcome("operator")
    assert (await lab.wait_text(welcome[:30], STRANGER)).shown == welcome
    await said(lab, "/lock")
    lab.telegram.people.say("hallo", STRANGER)
    with words.speaking("de"):
        await lab.wait_text(words.LOCKED_OUT, STRANGER)
    await said(lab, "/lock off", "/users")
    assert foreign(lab) == []


async def test_german_is_spoken_and_remembered_over_a_restart(lab: Lab) -> None:
    await started(lab, "de-AT")
    lab.telegram.people.say("/status")
    await lab.wait_text("Es läuft nichts.")
    lab.send("arbeite", [sh(lab.nap(30)), "FERTIG"])
    await lab.until(lab.naps, "the command didn't start")
    await lab.wait_button("^Anhalten$")
    await lab.bot.kill()
    await lab.start()
    with words.speaking("de"):
        restarted = words.RESTARTED
    await lab.wait_text(restarted[:40])
    assert "1 Befehl · " in (await lab.wait_text("FERTIG")).shown
    lab.telegram.chats.languages[OWNER] = "fr"
    lab.telegram.people.say("/status")
    await lab.wait_text("Nothing is running.")


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "ask", "JARVIS_GUARDS__BUDGET__RUN_TOKENS": "60000"})
async def test_a_day_in_german_holds_no_english(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    finding = {"file": "sums/totals.py", "line": 2, "quote": "return sum(numbers)", "problem": "ZZ"}
    lab.model.asides = [json.dumps({"vote": "reject", "severity": "critical", "findings": [finding]})]
    await started(lab, "de")
    names = ("help", "start", "status", "users", "usage", "undo", "plan", "model", "mode", "sessions", "log", "tools")
    await said(lab, *(f"/{name}" for name in names), "/unsinn", "/mode ZZ", "/verbosity ZZ", "/pause", "/stop")
    await said(lab, "/doctor")
    await lab.wait_text("zu beheben", timeout=30)
    missing = Http(404, {"error": {"message": "x", "code": "model_not_found"}})
    sent = lab.send("ZZ los", [missing])
    await lab.wait_text("Das Modell test-model ist an diesem Endpunkt nicht bekannt. Wähl", after=sent.after)
    await lab.wait_button("^Noch einmal$")
    sent = lab.send("ZZ netz", [sh("curl -s http://127.0.0.1:9/ZZ"), "ZZ NETZ"])
    assert "Braucht dein OK: Netzwerk (curl)" in (await lab.wait_text("Braucht dein OK", after=sent.after)).shown
    lab.press(await lab.wait_button("^Ablehnen$"))
    await lab.wait_text("NETZ", after=sent.after)
    await said(lab, "/mode full 1h", "/status", "/checkpoint", "/undo", "/usage", "/log", "/sessions", "/new")
    broken = write_file("sums/totals.py", "def total(numbers):\n    return 1\n")
    await lab.ask("ZZ fix", [broken, sh(f"{PYTEST} tests"), "ZZ It is fixed. DONE1"], "DONE1", timeout=60)
    assert "Nicht geprüft: " in next(text for text in lab.screen() if "DONE1" in text)
    done = use("task_complete", {"summary": "ZZ The sum is right now. DONE2"})
    await lab.ask("ZZ go", [write_file("sums/totals.py", RIGHT_PY), sh(f"{PYTEST} tests"), done], "DONE2", timeout=60)
    assert "von einer Durchsicht verworfen" in next(text for text in lab.screen() if "DONE2" in text)
    sent = lab.send("ZZ spend", spending(13_000))
    assert "von 60.000 Tokens" in (await lab.wait_text("Budget dieses Laufs ist verbraucht", timeout=30)).shown
    assert english(lab) == []
