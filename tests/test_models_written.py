"""What comes of a call that a model wrote as text: run with the setting on, told and never run with it off."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arguments import AS_TEXT
from agent.models.curtain import Curtain
from agent.models.scripted import Line, ScriptedModel
from agent.models.written import REFUSALS, WrittenCalls
from agent.ports import Message
from agent.steps import Call, Failed, Said, ToolSpec
from agent.tool import WRITTEN
from tests.fakes.clock import HandClock
from tests.models_wire import ASK, collect

FIELDS = {"command": {"type": "string"}, "timeout_s": {"type": "number"}}
SHELL = ToolSpec(
    "shell", "Run a command.", json.dumps({"type": "object", "properties": FIELDS, "required": ["command"]})
)
LS = '{"name": "shell", "arguments": {"command": "ls"}}'
TAGGED = f"<tool_call>\n{LS}\n</tool_call>"
NO_SUCH = '<tool_call>{"name": "shel", "arguments": {"command": "ls"}}</tool_call>'
UNFIT = '<tool_call>{"name": "shell", "arguments": {"cmd": "ls"}}</tool_call>'
FENCE = "```"
SHAPES = [LS, f"{FENCE}json\n{LS}\n{FENCE}", TAGGED, f"Let me look.\n{TAGGED}", NO_SUCH, UNFIT]


async def told(
    line: Line, on: bool, messages: list[Message] = ASK, tools: tuple[ToolSpec, ...] = (SHELL,)
) -> tuple[str, Said | Failed]:
    return await collect(WrittenCalls(ScriptedModel([line], HandClock(), "m-1"), on), messages, tools)


def refused(times: int, result: str = WRITTEN) -> list[Message]:
    """A request whose last replies were calls that could not be run."""
    out = list(ASK)
    for number in range(times):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "shell", "arguments": "{}"}}
        out += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
        ]
    return out


@pytest.mark.parametrize("text", SHAPES)
async def test_off_it_is_a_call_that_is_not_to_be_run(text: str) -> None:
    shown, said = await told(text, on=False)
    assert isinstance(said, Said)
    assert (said.finish, len(said.calls), said.calls[0].mended) == ("written", 1, AS_TEXT)
    assert "{" not in said.text + shown


@pytest.mark.parametrize("text", SHAPES)
@pytest.mark.parametrize(("times", "asked"), [(REFUSALS - 1, True), (REFUSALS, False), (REFUSALS + 3, False)])
async def test_off_a_model_that_insists_is_shown_for_what_it_did(text: str, times: int, asked: bool) -> None:
    shown, said = await told(text, False, refused(times))
    assert isinstance(said, Said)
    assert bool(said.calls) is asked
    if not asked:
        assert said.finish == "stop"
        assert said.text.startswith("The model wrote a tool call as text")
        assert "JARVIS_MODEL__TEXT_CALLS=on" in said.text
        assert text in said.text
        assert "{" not in shown


async def test_only_refusals_in_a_row_count() -> None:
    worked = refused(1, "exit code 0")
    _, said = await told(TAGGED, False, [*refused(5), *worked[1:]])
    assert isinstance(said, Said)
    assert said.finish == "written"
    tail = {"role": "user", "content": "[harness ab12] Notes from the program"}
    _, said = await told(TAGGED, False, [*refused(REFUSALS), tail])
    assert isinstance(said, Said)
    assert not said.calls
    _, said = await told(TAGGED, False, [*refused(REFUSALS), {"role": "user", "content": "try again"}])
    assert isinstance(said, Said)
    assert said.calls


@pytest.mark.parametrize("text", [TAGGED, LS, f"{FENCE}json\n{LS}\n{FENCE}", f"I look.\n{FENCE}\n{LS}\n{FENCE}"])
async def test_on_it_is_run(text: str) -> None:
    shown, said = await told(text, on=True)
    assert isinstance(said, Said)
    assert said.finish == "tool_calls"
    (call,) = said.calls
    assert (call.name, json.loads(call.arguments)) == ("shell", {"command": "ls"})
    assert call.id
    assert "{" not in said.text + shown


@pytest.mark.parametrize("on", [False, True])
async def test_ids_are_new_each_time(on: bool) -> None:
    _, first = await told(TAGGED * 2, on)
    _, second = await told(TAGGED * 2, on)
    assert isinstance(first, Said)
    assert isinstance(second, Said)
    assert len({call.id for call in first.calls + second.calls}) == 4


async def test_on_what_fits_no_tool_gets_an_error_from_the_engine_and_is_then_shown() -> None:
    for text in (NO_SUCH, UNFIT):
        _, said = await told(text, True)
        assert isinstance(said, Said)
        assert said.finish == "tool_calls"  # the engine answers it with the near names, or the schema, and runs nothing
        _, said = await told(text, True, refused(REFUSALS, "There is no tool x"))
        assert isinstance(said, Said)
        assert not said.calls
        assert said.text.startswith("The model wrote a tool call that fits none")
    _, said = await told(TAGGED, True, refused(REFUSALS, "There is no tool x"))
    assert isinstance(said, Said)
    assert said.calls


async def test_on_json_under_words_that_fits_no_tool_is_text() -> None:
    text = f'The config:\n{FENCE}json\n{{"name": "web", "parameters": {{"port": 80}}}}\n{FENCE}'
    _, said = await told(text, True)
    assert isinstance(said, Said)
    assert (said.text, said.calls) == (text, ())


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize(
    "text", ["Use the <tool_call> tag, then answer.", f"Send `{LS}`.", '{"a": 1}', "plain", f"{FENCE}sh\nls\n{FENCE}"]
)
async def test_other_texts_are_left_alone(text: str, on: bool) -> None:
    shown, said = await told(text, on)
    assert isinstance(said, Said)
    assert (shown, said.text, said.calls, said.finish) == (text, text, (), "stop")


@pytest.mark.parametrize("on", [False, True])
async def test_without_tools_nothing_is_a_call(on: bool) -> None:
    shown, said = await told(TAGGED, on, tools=())
    assert isinstance(said, Said)
    assert (shown, said.text, said.calls) == (TAGGED, TAGGED, ())


@pytest.mark.parametrize("on", [False, True])
async def test_a_torn_call_is_asked_for_again_with_a_word_why(on: bool) -> None:
    shown, failed = await told(TAGGED[:40], on)
    assert isinstance(failed, Failed)
    assert (failed.status, failed.model) == (200, "m-1")
    assert "can't be read" in failed.hint
    assert not set("{<") & set(failed.text + shown)


async def test_a_call_cut_at_the_output_limit_is_never_run() -> None:
    cut = Said(at=0, text=TAGGED[:60], finish="length", model="m")
    _, failed = await told(cut, on=True)
    assert isinstance(failed, Failed)
    assert "output limit" in failed.hint
    whole = Said(at=0, text=TAGGED, finish="length", model="m")
    _, said = await told(whole, on=True)
    assert isinstance(said, Said)
    assert said.finish == "length"  # the engine refuses calls of such a reply


@pytest.mark.parametrize("finish", ["refusal", "cut"])
async def test_a_refusal_and_a_reply_cut_by_us_hold_no_calls(finish: str) -> None:
    given_text = Said(at=0, text=TAGGED, finish=finish, model="m")
    _, said = await told(given_text, on=True)
    assert isinstance(said, Said)
    assert (said.text, said.calls) == (TAGGED, ())


async def test_real_calls_go_through_whatever_the_text_says() -> None:
    call = Call("c1", "shell", '{"command": "ls"}')
    _, said = await told(Said(at=0, text=TAGGED, calls=(call,), finish="tool_calls", model="m"), on=True)
    assert isinstance(said, Said)
    assert said.calls == (call,)


@pytest.mark.parametrize(
    ("value", "expected"), [("5", {"command": "7", "timeout_s": 5}), ("five", {"command": "7", "timeout_s": "five"})]
)
async def test_a_tag_for_each_parameter_gets_the_type_of_the_schema(value: str, expected: dict[str, Any]) -> None:
    text = f"<function=shell><parameter=command>7</parameter><parameter=timeout_s>{value}</parameter></function>"
    _, said = await told(text, on=True)
    assert isinstance(said, Said)
    assert json.loads(said.calls[0].arguments) == expected


async def test_a_parameter_given_twice_is_seen_twice() -> None:
    _, said = await told(
        "<function=shell><parameter=command>a</parameter><parameter=command>b</parameter></function>", True
    )
    assert isinstance(said, Said)
    assert said.calls[0].arguments == '{"command": "a", "command": "b"}'


async def test_five_hundred_calls_are_cut_and_that_is_told() -> None:
    _, said = await told(f"I look. {TAGGED * 500}", True)
    assert isinstance(said, Said)
    assert len(said.calls) == 64
    assert "first 64" in said.text


def curtained(pieces: list[str]) -> tuple[str, str]:
    curtain = Curtain()
    return "".join(map(curtain.feed, pieces)), curtain.close()


@pytest.mark.parametrize(
    "text", [*SHAPES, f"[TOOL_CALLS][{LS}]", f"<|python_tag|>{LS}", f"a<｜tool▁calls▁begin｜>{LS}"]
)
def test_the_curtain_shows_no_call_however_it_is_cut(text: str) -> None:
    for pieces in ([text], list(text), [text[:9], text[9:]]):
        shown, held = curtained(pieces)
        assert shown + held == text
        assert "{" not in shown
        assert "<" not in shown


@pytest.mark.parametrize("text", ["plain words", "a < b and [x] {y}", f"{FENCE}sh\nls\n{FENCE}", "<b>x</b>", "[a](b)"])
def test_the_curtain_lets_other_texts_through(text: str) -> None:
    for pieces in ([text], list(text)):
        shown, held = curtained(pieces)
        assert shown + held == text
        assert held in ("", FENCE)


@given(
    st.lists(
        st.sampled_from(["<tool", "_call>", "{", "[", FENCE, "json", "\n", "a ", "<", "|", "functools"]), max_size=12
    )
)
def test_the_curtain_loses_nothing(pieces: list[str]) -> None:
    shown, held = curtained(pieces)
    assert shown + held == "".join(pieces)
    assert (shown, held) == curtained(list("".join(pieces)))
