"""Calls in text, in the styles that models write; and the texts that only look like one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.textcalls import LONGEST, MOST, find

LS = '{"name": "shell", "arguments": {"command": "ls"}}'
CATS = '{"name": "shell", "arguments": {"command": "cat a"}}'
FENCE = "```"

ONE = [
    ("Hermes", f"<tool_call>\n{LS}\n</tool_call>"),
    ("Hermes, not closed", f"<tool_call>\n{LS}"),
    ("a comma too many", '<tool_call>{"name": "shell", "arguments": {"command": "ls",},}</tool_call>'),
    ("Llama", '<function=shell>{"command": "ls"}</function>'),
    ("Llama, python tag", '<|python_tag|>{"name": "shell", "parameters": {"command": "ls"}}<|eom_id|>'),
    ("Mistral", f"[TOOL_CALLS] [{LS}]"),
    ("Mistral, newer", '[TOOL_CALLS]shell[CALL_ID]x1y2z3[ARGS]{"command": "ls"}'),
    ("Granite", f"<|tool_call|>[{LS}]"),
    ("Phi", f"<|tool_call|>[{LS}]<|/tool_call|>"),
    (
        "Kimi",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.shell:0<|tool_call_argument_begin|>"
        '{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
    ),
    (
        "DeepSeek",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>shell\n"
        f'{FENCE}json\n{{"command": "ls"}}\n{FENCE}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ),
    ("DeepSeek, newer", '<｜tool▁call▁begin｜>shell<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜>'),
    (
        "Harmony",
        "<|start|>assistant<|channel|>commentary to=functions.shell <|constrain|>json<|message|>"
        '{"command":"ls"}<|call|>',
    ),
    ("functools", f"functools[{LS}]"),
    ("in a fence", f"{FENCE}json\n{LS}\n{FENCE}"),
    ("in a fence of no language", f"\n{FENCE}\n{LS}\n{FENCE}\n"),
    ("tags in a fence", f"{FENCE}\n<tool_call>{LS}</tool_call>\n{FENCE}"),
    ("alone", LS),
    ("alone, other words", '{"tool": "shell", "tool_input": {"command": "ls"}}'),
    (
        "alone, as OpenAI's",
        '{"type": "function", "function": {"name": "shell", "arguments": "{\\"command\\": \\"ls\\"}"}}',
    ),
    ("alone, in a list", f"[{LS}]"),
    ("alone, words after it", f"{LS}\n\nThis lists the files."),
]


@pytest.mark.parametrize(("style", "text"), ONE, ids=[style for style, _ in ONE])
def test_one_call_in_every_style(style: str, text: str) -> None:
    found = find(text)
    assert found is not None
    assert [(call.name, dict(call.arguments)) for call in found.calls] == [("shell", {"command": "ls"})]
    assert (found.before, found.alone, found.broken) == ("", True, False)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>\n<function=shell>\n<parameter=command>\nls -l\n</parameter>\n<parameter=timeout_s>\n5\n"
        "</parameter>\n</function>\n</tool_call>",
        "<tool_call>shell\n<arg_key>command</arg_key>\n<arg_value>ls -l</arg_value>\n<arg_key>timeout_s</arg_key>\n"
        "<arg_value>5</arg_value>\n</tool_call>",
        '<function_calls>\n<invoke name="shell">\n<parameter name="command">ls -l</parameter>\n'
        '<parameter name="timeout_s">5</parameter>\n</invoke>\n</function_calls>',
    ],
)
def test_a_tag_for_each_parameter(text: str) -> None:
    found = find(text)
    assert found is not None
    assert [(call.name, call.fields) for call in found.calls] == [("shell", (("command", "ls -l"), ("timeout_s", "5")))]
    assert found.marked


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{LS}</tool_call>\n<tool_call>{CATS}</tool_call>",
        f"<tool_call>{LS}\n<tool_call>{CATS}",
        f"[TOOL_CALLS][{LS}, {CATS}]",
        '[TOOL_CALLS]shell[ARGS]{"command": "ls"}[TOOL_CALLS]shell[ARGS]{"command": "cat a"}',
        f"[{LS}, {CATS}]",
        f"{LS}\n{CATS}",
        f'{{"tool_calls": [{LS}, {CATS}]}}',
    ],
)
def test_two_calls_are_two_in_order(text: str) -> None:
    found = find(text)
    assert found is not None
    assert [call.arguments["command"] for call in found.calls] == ["ls", "cat a"]


@pytest.mark.parametrize(
    ("text", "before", "marked"),
    [
        (f"Let me look.\n<tool_call>{LS}</tool_call>", "Let me look.", True),
        (f"Look: <tool_call>{LS}</tool_call> and then I say more", "Look:", True),
        (f"I run\n{FENCE}json\n{LS}\n{FENCE}\n", "I run", False),
        (
            f"Like {FENCE}a{FENCE}:\n{FENCE}\nx\n{FENCE}\n<tool_call>{LS}</tool_call>",
            f"Like {FENCE}a{FENCE}:\n{FENCE}\nx\n{FENCE}",
            True,
        ),
        ("ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>{}<｜tool▁call▁end｜>", "ok", True),
    ],
)
def test_words_before_a_call_are_kept(text: str, before: str, marked: bool) -> None:
    found = find(text)
    assert found is not None
    assert (found.before, found.marked, found.alone, len(found.calls)) == (before, marked, False, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "Use the <tool_call> tag, then answer.",
        f"Wrap it like `<tool_call>{LS}</tool_call>`.",
        f"An example:\n{FENCE}\n<tool_call>{LS}</tool_call>\n{FENCE}\nThat is all.",
        f"Send\n{FENCE}json\n{LS}\n{FENCE}\nto the server.",
        f"Send {LS} to the server.",
        f"{LS} is what you send.",
        '{"answer": 42}',
        '{"name": "Bob", "age": 3}',
        '{"name": "Bob"}',
        "[1, 2]",
        "[a link](http://x)",
        "functools is a module",
        "<function> is no tag",
        '{"name": "x", "parameters": [1]}',
        "x" * LONGEST + f"<tool_call>{LS}</tool_call>",
    ],
)
def test_what_only_looks_like_a_call_is_text(text: str) -> None:
    assert find(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "shell", "arguments": {"command": "rm -rf /tmp/a',
        '<tool_call>{"name": "shell", "arguments": {"command": "a", "command": "b"}}</tool_call>',
        '<tool_call>{"name": "shell", "arguments": [1]}</tool_call>',
        '<tool_call>{"arguments": {}}</tool_call>',
        '{"name": "shell", "arguments": {"command": "rm -rf /tmp/a',
        "<function=shell><parameter=command>rm -rf /tmp/a",
        "<function=w><parameter=content>a</parameter>b</parameter></function>",  # which of the two ends it?
        f"<tool_call>{LS}</tool_call><tool_call>{{'name': 'shell'}}</tool_call>",
        LS + '\n{"name": "shell", "arguments": {"command": "rm -rf /tmp/a',
    ],
)
def test_a_call_that_cannot_be_read_whole_is_broken_and_none_of_its_reply_counts(text: str) -> None:
    found = find(text)
    assert found is not None
    assert (found.broken, found.calls) == (True, ())


def test_no_more_than_the_limit() -> None:
    found = find(f"<tool_call>{LS}</tool_call>" * (MOST + 1))
    assert found is not None
    assert len(found.calls) == MOST


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_a_cut_never_makes_another_call(command: str) -> None:
    whole = f"<tool_call>\n{json.dumps({'name': 'shell', 'arguments': {'command': command}})}\n</tool_call>"
    for cut in range(len(whole)):
        found = find(whole[:cut])
        assert found is None or all(call.arguments == {"command": command} for call in found.calls)


TOKENS = ["<tool_call>", "</tool_call>", LS, "<function=a>", "</function>", "<parameter=b>", "</parameter>", FENCE,
          "\n", "[TOOL_CALLS]", "<|tool_call|>", "{", "}", '"name":', "[", "]", "a", " ", "`"]  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=25).map("".join))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = find(text)
    assert found is None or found.broken == (not found.calls)


@pytest.mark.parametrize(
    "piece",
    [*TOKENS, "<tool_call>a<arg_key>b</arg_key><arg_value>", f"{FENCE}\n<tool_call>\n{FENCE}\n", " <|a|>",
     '<invoke name="a">', "<|tool_calls_section_begin|>", '{"name":', "\\", "<tool_call>{"],
)  # fmt: skip
def test_a_flood_of_anything_is_read_quickly(piece: str) -> None:
    find(piece * (LONGEST // len(piece)))  # a hang would meet the test's own time limit
    find((piece * (LONGEST // len(piece)))[:-40] + f"<tool_call>{LS}"[:40])
