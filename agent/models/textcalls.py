"""Finds tool calls that a model wrote as text, in the styles of the families that do so. Nothing here runs or judges.

Tags around JSON (Hermes, Qwen) or around parameters (Llama, Qwen-Coder, GLM, MiniMax), special tokens (Mistral,
Granite, Phi, Kimi, DeepSeek, Harmony), JSON in a fence, JSON alone. The styles are those of the chat templates.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.models.callshape import Written, calls_in, json_at, json_in

LONGEST = 400_000  # characters of a reply that are looked through
MOST = 64  # calls of one reply

_NAME = r"(?P<name>[A-Za-z_][\w.-]{0,127})"
_OPENING = re.compile(
    r"<\|?(?:tool_call|function|tool_use|invoke)|<\|(?:python_tag|channel)\||<｜tool▁call▁begin｜>|\[TOOL_CALLS\]|functools\["
)
_WRAP = re.compile(
    r"(?:<\|?(?:tool_calls?|function_calls?|tool_use)\|?>|<\|python_tag\|>|\[TOOL_CALLS\]|functools(?=\[))\s*"
)
# Each names the tool itself; its arguments follow, as JSON or as one tag a parameter.
_HEADS = tuple(
    re.compile(head)
    for head in (
        rf'<function(?:=| name=")"?{_NAME}"?>\s*',
        rf'<invoke name="{_NAME}">\s*',
        rf"<\|tool_call_begin\|>\s*(?:functions\.)?{_NAME}(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*",
        rf"<｜tool▁call▁begin｜>\s*(?:function<｜tool▁sep｜>)?{_NAME}(?:<｜tool▁sep｜>)?\s*(?:```(?:json)?\s*)?",
        rf"<\|channel\|>commentary to=(?:functions\.)?{_NAME}\s*(?:<\|constrain\|>)?(?:json)?\s*<\|message\|>\s*",
    )
)
_BARE_HEAD = re.compile(rf"{_NAME}(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(?=[{{<])")  # only inside of a wrap
_FIELD = re.compile(
    r'\s*+(?:<parameter(?:=| name=")(?P<key>[\w.-]{1,128})"?>'
    r"|<arg_key>(?P<key2>[\w.-]{1,128})</arg_key>\s*+<arg_value>)"
    r"(?P<value>.*?)</(?:parameter|arg_value)>",
    re.DOTALL,
)
_END = r"<[|｜](?:/[\w▁]{1,40}|[\w▁]{0,40}end|eot_id|eom_id|call)[|｜]>"
_CLOSING = re.compile(rf"(?:\s*+(?:```|</[\w:]{{1,30}}>|{_END}|\[/\w{{1,20}}\]))*")
_SECTION = re.compile(r"(?:<(?:tool_calls|function_calls)>|<[|｜](?:tool|start)[^<>|｜\n]{0,40}[|｜]>(?:assistant)?)\Z")
_FENCE_LINE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
_TORN = re.compile(
    r'\s*+(?:\[\s*+)?\{\s*+"(?:name|function|tool|type)"\s*+:.{0,300}?"(?:arguments|parameters)"\s*+:', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Found:
    """What stands before the calls, and the calls. `marked`: by tags or tokens that mean a call and nothing else.
    `alone`: the reply holds nothing besides. `broken`: it was to be a call, but can't be read as one."""

    before: str
    calls: tuple[Written, ...]
    marked: bool
    alone: bool
    broken: bool = False


@dataclass(frozen=True, slots=True)
class _Fence:
    """A code fence: from `start` to `end`, its content from `opened` to `closed`."""

    start: int
    opened: int
    closed: int
    end: int


def find(text: str) -> Found | None:
    """The calls in a whole reply; None where it holds none. What stands in a code fence or between backticks counts
    only where nothing follows it."""
    if len(text) > LONGEST:
        return None
    fences = _fences(text)
    last = fences[-1] if fences and not text[fences[-1].end :].strip() else None
    if last and not text[: last.start].strip():
        inside = text[last.opened : last.closed]
        found = _marked(inside, []) or _plain(inside)
        return replace(found, alone=True) if found and not found.before else None
    return _marked(text, fences) or _plain(text) or (_last_fence(text, last) if last else None)


def _marked(text: str, fences: Sequence[_Fence]) -> Found | None:
    calls: list[Written] = []
    first, at = len(text), 0
    while len(calls) < MOST and (opening := _OPENING.search(text, at)):
        start = opening.start()
        # After the first call a fence may be part of an argument.
        fenced = _end_of_fence(fences, start) if not calls else 0
        if fenced or text[start - 1 : start] == "`":
            at = fenced or start + 1
            continue
        read = _payload(text, start)
        if read is None:
            at = start + 1
            continue
        made, at = read
        first = min(first, start)
        if not made:
            return Found(_before(text, first), (), True, not text[:first].strip(), broken=True)
        calls += made
    if not calls:
        return None
    before = _before(text, first)
    return Found(before, tuple(calls[:MOST]), True, not before and not text[at:].strip())


def _payload(text: str, start: int) -> tuple[list[Written], int] | None:
    """The calls that open at `start`, and where they end; no calls where they can't be read; None where it is only
    text that looks like an opening."""
    wrap = _WRAP.match(text, start)
    at = wrap.end() if wrap else start
    if wrap and text[at : at + 1] in ("{", "["):
        return _json(text, at)
    heads = (*_HEADS, _BARE_HEAD) if wrap else _HEADS
    head = next((found for each in heads if (found := each.match(text, at))), None)
    if head is None:
        return None
    return _arguments(text, head)


def _json(text: str, at: int) -> tuple[list[Written], int]:
    value, end = json_at(text, at)
    made = calls_in(value, sure=True)
    return made, _closed(text, end)


def _arguments(text: str, head: re.Match[str]) -> tuple[list[Written], int] | None:
    at = head.end()
    if text[at : at + 1] == "{":
        value, end = json_at(text, at)
        made = [Written(head["name"], value)] if isinstance(value, dict) else []
        return made, _closed(text, end)
    fields = []
    while field := _FIELD.match(text, at):
        fields.append((field["key"] or field["key2"], _unpadded(field["value"])))
        at = field.end()
    closed = _closed(text, at)
    if closed > at or not text[at:].strip():
        return [Written(head["name"], {}, tuple(fields))], closed
    # A value that holds the closing tag itself looks like this too: what was read of it may be half of it.
    return ([], at) if fields or text[at : at + 1] == "<" else None


def _plain(text: str) -> Found | None:
    """JSON that is the whole reply: one call, a list of them, or one after the other. Words may follow it, on a line of
    their own."""
    made: list[Written] = []
    for value, at in json_in(text):
        calls = calls_in(value)
        if value is None and _TORN.match(text, at):
            return Found("", (), False, True, broken=True)
        if not calls:
            follows = bool(made) and value is None and text[:at].rstrip(" \t").endswith("\n")
            return Found("", tuple(made[:MOST]), False, True) if follows else None
        made += calls
    return Found("", tuple(made[:MOST]), False, True) if made else None


def _last_fence(text: str, fence: _Fence) -> Found | None:
    found = _plain(text[fence.opened : fence.closed])
    if found is None or found.broken:
        return None
    return Found(text[: fence.start].rstrip(), found.calls, False, False)


def _fences(text: str) -> list[_Fence]:
    fences = []
    opening: re.Match[str] | None = None
    for line in _FENCE_LINE.finditer(text):
        if opening is None:
            opening = line
        elif line[1].startswith(opening[1]) and line[0].strip() == line[1]:
            fences.append(_Fence(opening.start(), opening.end() + 1, line.start(), line.end()))
            opening = None
    return fences


def _end_of_fence(fences: Sequence[_Fence], at: int) -> int:
    """Where the fence around `at` ends; 0 where there is none."""
    index = bisect_right(fences, at, key=lambda fence: fence.start) - 1
    return fences[index].end if index >= 0 and at < fences[index].end else 0


def _before(text: str, start: int) -> str:
    """What stands before the calls, without the tokens that open a section of them."""
    text = text[:start].rstrip()
    while section := _SECTION.search(text[-60:]):
        text = text[: len(text) - len(section[0])].rstrip()
    return text


def _closed(text: str, at: int) -> int:
    found = _CLOSING.match(text, at)
    return found.end() if found else at


def _unpadded(value: str) -> str:
    """Without the line breaks that the templates put around a value."""
    return value.removeprefix("\n").removesuffix("\n")
