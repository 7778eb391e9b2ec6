"""The model's side fails, on the real process: what a chat sees of it, how often the model is asked, what goes on."""

from __future__ import annotations

import asyncio
import itertools
import re

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import DONE, KEY, MODEL, End, Http, Say, Sse, Step, Turn, call_chunk, chunk, sh
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e


def wait(seconds: float) -> Http:
    return Http(429, {"error": {"message": "Rate limit", "code": "rate_limit_exceeded"}}, {"Retry-After": str(seconds)})


def refused(status: int, code: str, message: str = "No.") -> Http:
    return Http(status, {"error": {"message": message, "code": code, "type": "x"}})


async def quiet(seconds: float = 1.5) -> None:
    """What would come late has come."""
    await asyncio.sleep(seconds)


# -- what a person has to mend: M01, M02, M03, M11 ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("failure", "told", "button"),
    [
        (refused(401, "invalid_api_key", f"Incorrect API key provided: {KEY}"), "The key for the model", True),
        (refused(402, "payment_required"), "no credit or quota left", True),
        (refused(429, "insufficient_quota", "You exceeded your current quota"), "no credit or quota left", True),
        (refused(404, "model_not_found"), f"The model {MODEL} is not known at this endpoint. Choose another", True),
        (Sse((chunk({"content": ""}), chunk({}, "content_filter"), DONE)), "content policy", False),
        (refused(400, "content_filter"), "content policy", False),
    ],
    ids=["M01 key", "M02 money", "M02 quota", "M03 unknown", "M11 filter in the stream", "M11 filter"],
)
async def test_one_call_one_sentence_and_another_try_where_it_helps(
    failure: Step, told: str, button: bool, lab: Lab
) -> None:
    await lab.start()
    sent = lab.send("go", [[failure, "FINALM1"]])
    await lab.wait_text(told)
    await quiet()
    assert len(lab.requests(sent)) == 1
    shown = "\n".join(lab.screen())
    assert not re.search(r'[{}]|"error"|sk-|Traceback', shown), shown
    assert [each.text for each in lab.buttons()] == ["Try again"] * button
    if not button:
        return
    lab.press(await lab.wait_button("Try again"))
    answer = await lab.wait_text("FINALM1")
    assert answer.params["reply_parameters"]["message_id"] == sent.message_id
    assert len(lab.requests(sent)) == 2
    await lab.until(lambda: not lab.buttons(), "the button stays")
    assert lab.faults() == []


async def test_another_try_outlives_a_kill_and_goes_on_where_it_was(lab: Lab) -> None:
    await lab.start()
    marks = lab.workspace / "marks"
    lab.send("work", [sh(f"echo done >> {marks}"), [refused(402, "payment_required"), "FINALM2"]])
    button = await lab.wait_button("Try again")
    await lab.bot.kill()
    await lab.start()
    for _ in range(2):
        lab.press(button)
    await lab.wait_text("FINALM2")
    await quiet()
    assert marks.read_text() == "done\n"
    assert lab.copies("FINALM2") == 1


@pytest.mark.lab(chats=[-1001, 8])
async def test_a_rejected_key_is_the_owners_affair(lab: Lab) -> None:
    await lab.start()
    lab.telegram.people.say(
        f"@{lab.telegram.chats.me['username']} go {lab.model.script('key', [refused(401, 'invalid_api_key')])}",
        -1001,
        user=8,
    )
    await lab.wait_text("Only my owner can mend that", -1001)
    await lab.wait_text("The key for the model", OWNER)
    assert lab.copies("key", -1001) == 0


# -- what passes: M04, M05, M06, M08 --------------------------------------------------------------------------------
async def test_a_model_that_is_not_there_is_asked_again_in_view(lab: Lab) -> None:
    await lab.start()
    port = lab.model.server.port
    await lab.model.server.stop()
    sent = lab.send("go", ["FINALM4"])
    await lab.wait_text("retrying")
    assert re.search(r"retrying [2-5] of 5 .*: the endpoint of the model can't be reached", "\n".join(lab.screen()))
    await lab.model.server.start(port)
    await lab.wait_text("FINALM4", timeout=20)
    assert len(lab.requests(sent)) == 1


async def test_the_time_that_a_provider_names_is_waited_for(lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("go", [[wait(2), "FINALM5"]], "FINALM5")
    first, second = lab.requests(sent)
    assert 1.9 <= second.at - first.at <= 4
    assert any(
        "retrying 2 of 5" in call.shown and "takes no more requests" in call.shown for call in lab.telegram.calls
    )


async def test_without_a_time_the_gaps_grow_to_a_park(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("go", [refused(429, "rate_limit_exceeded")])
    await lab.wait_text("I wait and try again at", timeout=25)
    times = [request.at for request in lab.requests(sent)]
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert len(times) == 5
    assert all(later > earlier for earlier, later in itertools.pairwise(gaps)), gaps
    await quiet(3)
    assert len(lab.requests(sent)) == 5


@pytest.mark.parametrize("status", [500, 502, 529])
async def test_a_server_in_trouble_is_one_logical_call(status: int, lab: Lab) -> None:
    await lab.start()
    marks = lab.workspace / "marks"
    sent = await lab.ask("go", [sh(f"echo done >> {marks}"), [Http(status), Http(status), "FINALM8"]], "FINALM8")
    assert marks.read_text() == "done\n"
    assert len(lab.requests(sent)) == 4


# -- what takes long: M07 -------------------------------------------------------------------------------------------
async def test_a_long_wait_is_a_park_that_a_kill_does_not_end_and_a_button_does(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("go", [[wait(600), "FINALM7"]])
    told = await lab.wait_text("I wait and try again at")
    assert re.search(r"It asks to wait 600 s.*at \d\d:\d\d", told.shown)
    await quiet()  # so that the numbers of both messages are in the store
    await lab.bot.kill()
    await lab.start()
    await quiet(2)
    assert len(lab.requests(sent)) == 1
    status = lab.send("/status")
    await lab.wait_text("min", after=status.after)
    lab.press(await lab.wait_button("Cancel"))
    await lab.until(lambda: not lab.buttons(), "the buttons stay")
    await lab.ask("next", ["FINALM7B"], "FINALM7B")
    assert len(lab.requests(sent)) == 1


# -- streams that break: M20 to M23, D75 ----------------------------------------------------------------------------
TEXT = (
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Alpha beta "}),
    chunk({"content": "gamma "}),
    0.3,
)
HALF = call_chunk(0, sh("echo half >> marks"))


@pytest.mark.parametrize(
    "broken",
    [
        Sse((HALF, End.CLOSE)),
        Sse((HALF, End.CUT)),
        Sse((*TEXT, End.RESET)),
        Sse((*TEXT, HALF, End.RESET)),
        Sse((*TEXT, b"data: {garbage\n\n", End.CLOSE)),
        Sse((*TEXT, b'data: {"error": {"message": "upstream died", "code": 502}}\n\n', DONE)),
        Sse((*TEXT, End.HANG)),
    ],
    ids=["M20 call closed", "M20 call cut", "M21 text", "M21 call", "M23 garbage", "M23 error", "M22 silence"],
)
@pytest.mark.lab(env={"JARVIS_MODEL__IDLE_TIMEOUT_S": "1"})
async def test_a_broken_stream_runs_nothing_and_doubles_nothing(broken: Step, lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("go", [[broken, "Alpha beta gamma delta FINALM2X"]], "FINALM2X")
    await quiet()
    assert not (lab.workspace / "marks").exists()
    assert sum("Alpha beta" in text for text in lab.screen()) == 1
    first, second = lab.requests(sent)
    assert first.body["messages"] == second.body["messages"]  # no half message in the history
    assert lab.faults() == []


async def test_comments_and_a_missing_done_are_fine(lab: Lab) -> None:
    await lab.start()
    stream = Sse((b": OPENROUTER PROCESSING\n\n", chunk({"content": "FINALM23"}), b": ping\n\n", chunk({}, "stop")))
    sent = await lab.ask("go", [[stream]], "FINALM23")
    assert len(lab.requests(sent)) == 1


# -- the chain ------------------------------------------------------------------------------------------------------
def by_model(**steps: Step) -> object:
    """A script that answers for each model in its own way; `a_b` stands for the name a-b."""

    def script(turn: Turn) -> Step:
        return steps[turn.body["model"].replace("-", "_")]

    return script


FALLBACK = pytest.mark.lab(env={"JARVIS_MODEL__FALLBACKS": "second-model, third-model"})


@FALLBACK
@pytest.mark.parametrize(
    "failure", [Http(529), wait(600), refused(404, "model_not_found"), Sse((*TEXT, End.RESET))],
    ids=["overloaded", "told to wait", "unknown", "in the middle of its text"],
)  # fmt: skip
async def test_another_model_answers_at_once_and_the_card_says_so(failure: Step, lab: Lab) -> None:
    await lab.start()
    script = by_model(test_model=failure, second_model=Say("Alpha beta gamma FINALC1", delay=1.2))
    sent = await lab.ask("go", script, "FINALC1")  # type: ignore[arg-type]
    assert [request.body["model"] for request in lab.requests(sent)] == [MODEL, "second-model"]
    await quiet()
    assert any(f"second-model answers now, in place of {MODEL}" in text for text in lab.screen())
    assert sum("Alpha beta" in text for text in lab.screen()) == 1
    again = await lab.ask("and now", by_model(second_model="FINALC2"), "FINALC2")  # type: ignore[arg-type]
    assert [request.body["model"] for request in lab.requests(again)] == ["second-model"]  # the first one rests
    status = lab.send("/model")
    told = await lab.wait_text("rests", after=status.after)
    assert f"{MODEL}: rests" in told.shown and "second-model: ready" in told.shown


@FALLBACK
@pytest.mark.parametrize(
    "failure", [refused(400, "content_filter"), refused(400, "invalid_request", "Invalid 'messages[2].content'")]
)
async def test_what_another_model_is_no_answer_to_goes_to_no_other(failure: Step, lab: Lab) -> None:
    await lab.start()
    sent = lab.send("go", by_model(test_model=failure))  # type: ignore[arg-type]
    await lab.wait_text("The provider of the model")
    await quiet()
    assert {request.body["model"] for request in lab.requests(sent)} == {MODEL}


async def test_a_model_chosen_in_chat_is_asked_after_a_restart_too(lab: Lab) -> None:
    await lab.start()
    chosen = lab.send("/model other-model")
    await lab.wait_text("this chat uses other-model", after=chosen.after)
    await lab.bot.kill()
    await lab.start()
    sent = await lab.ask("go", ["FINALC3"], "FINALC3")
    assert [request.body["model"] for request in lab.requests(sent)] == ["other-model"]
    back = lab.send("/model default")
    await lab.wait_text(f"this chat uses {MODEL} again", after=back.after)
    sent = await lab.ask("go", ["FINALC4"], "FINALC4")
    assert [request.body["model"] for request in lab.requests(sent)] == [MODEL]


# -- slots ----------------------------------------------------------------------------------------------------------
@pytest.mark.lab(chats=[8, 9], env={"JARVIS_MODEL__PARALLEL": ""})  # loopback: one at a time
async def test_a_wait_for_the_model_is_shown(lab: Lab) -> None:
    await lab.start()
    for chat in (OWNER, 8, 9):
        lab.send("go", [Say(f"FINALS{chat}", delay=2.0)], chat=chat)
        await asyncio.sleep(0.2)
    await lab.wait_text("waiting for the model: 1 ahead", 8)
    await lab.wait_text("waiting for the model: 2 ahead", 9)
    for chat in (OWNER, 8, 9):
        await lab.wait_text(f"FINALS{chat}", chat)
    spans = sorted((each.at, each.done_at or 0.0) for each in lab.model.requests if each.kind == "main")
    assert all(later[0] >= earlier[1] - 0.1 for earlier, later in itertools.pairwise(spans))


# -- what stays: D63, D85, D86 --------------------------------------------------------------------------------------
@pytest.mark.lab(env={"JARVIS_MODEL__FIRST_BYTE_TIMEOUT_S": "1", "JARVIS_MODEL__TOTAL_TIMEOUT_S": "4"})
async def test_turns_that_timed_out_leave_the_session_whole(lab: Lab) -> None:
    await lab.start()
    await lab.ask("remember PURPLE-9", ["KEPT1"], "KEPT1")
    for _ in range(2):
        slow = lab.send("slow", [Say("never", delay=60)])
        await lab.wait_text("the model did not answer within 1 s", after=slow.after)
        stop = lab.send("/stop")
        await lab.wait_text("Stopped", after=stop.after)
    sent = await lab.ask("what was it?", ["FINALD85"], "FINALD85")
    assert b"PURPLE-9" in lab.requests(sent)[0].raw


async def test_after_a_failed_run_nothing_is_typing_and_no_key_is_shown(lab: Lab) -> None:
    await lab.start()
    lab.send("go", [refused(401, "invalid_api_key", f"Incorrect API key provided: {KEY}")])
    await lab.wait_button("Try again")
    for command in ("/model", "/status"):
        await lab.wait_text("Model", after=lab.send(command).after)
    await quiet()
    before = len(lab.telegram.calls)
    await quiet(6)
    other = ("getUpdates", "setMyCommands")
    assert [call.method for call in lab.telegram.calls[before:] if call.method not in other] == []
    shown = "\n".join(call.shown for call in lab.telegram.calls)
    assert not any(KEY[start : start + 8] in shown for start in range(0, len(KEY) - 8, 4))
