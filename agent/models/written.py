"""Tool calls that a model writes as text: run where the settings say so, else told to the model and never run.

With `on` the model is offered its tools in words and calls them in text, so that one without tool support can work; a
call has to name a known tool and fit its schema. Without it, and where that was of no use, such a text is asked for
again twice as a call, and then shown for what it is.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from agent.arguments import AS_TEXT
from agent.causes import because, dump, english
from agent.fitting import fitted
from agent.models.callshape import Written
from agent.models.curtain import Curtain
from agent.models.textcalls import MOST, Found, find
from agent.models.textform import spoken
from agent.ports import Delta, Message, Model
from agent.steps import Call, Failed, Said, ToolSpec, Trouble
from agent.tool import WRITTEN
from agent.why import Why

REFUSALS = 2  # in a row, of calls as text that could not be run, before such a text is shown
ANSWERS = (WRITTEN, "There is no tool ", "Bad arguments, ")  # how a result begins that stands for a call not run
OK = 200
HINT = (
    "Your last reply held a tool call that can't be read{cut}; nothing was run. Send the whole call again, or answer "
    "in words."
)


class WrittenCalls:
    """Implements `agent.ports.Model` around another one."""

    def __init__(self, model: Model, on: bool) -> None:
        self.name = model.name
        self._model, self._on = model, on

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """Yield Deltas, then exactly one Said or Failed. Raises nothing but CancelledError."""
        # Without tools no call may stand in the history either: several providers refuse such a request.
        asked, offered = (spoken(messages, tools), ()) if self._on or not tools else (messages, tools)
        curtain = Curtain()
        async with aclosing(self._model.reply(asked, offered)) as parts:
            async for part in parts:
                match part:
                    case Said() if tools:
                        outcome = self._judge(part, messages, tools)
                        if outcome is part and (rest := curtain.close()):
                            yield Delta(rest)
                        yield outcome
                    case Delta(text=text) if tools:
                        curtain = Curtain() if part.restart else curtain
                        shown = curtain.feed(text) if text else ""
                        if shown or not text:
                            yield replace(part, text=shown)
                    case _:
                        yield part

    def _judge(self, said: Said, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Said | Failed:
        found = None if said.calls or said.finish in ("refusal", "cut") else find(said.text)
        if found is None:
            return said
        if found.broken:
            return _unreadable(said)
        by_name = {tool.name: tool for tool in tools}
        calls = tuple(_call(each, by_name.get(each.name)) for each in found.calls)
        fits = self._on and all(_fits(call, by_name.get(call.name)) for call in calls)
        meant = (found.marked or found.alone) and _refused(messages) < REFUSALS
        if fits or (self._on and meant):
            finish = said.finish if said.finish == "length" else "tool_calls"
            return replace(said, text=_before(found), calls=calls, finish=finish)
        if meant:
            return replace(said, text=_before(found), calls=calls, finish="written")
        return replace(said, text=self._shown(said.text)) if found.marked or found.alone else said

    def _shown(self, text: str) -> str:
        """A call that is not to be run, told as such: never as if it were the answer."""
        if self._on:
            why = "The model wrote a tool call that fits none of its tools, so nothing was run:"
        else:
            why = (
                "The model wrote a tool call as text instead of making it, so nothing was run. "
                "(With JARVIS_MODEL__TEXT_CALLS=on such calls are run.)"
            )
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
        return f"{why}\n\n{fence}\n{text.strip()}\n{fence}"


def _unreadable(said: Said) -> Failed:
    cut = ": it was cut at the output limit, so split large content" if said.finish == "length" else ""
    why = because(Why.UNREADABLE_CALL, said.model)
    return Failed(
        at=said.at,
        trouble=Trouble.RETRY,
        text=english(why),
        causes=dump(why),
        status=OK,
        hint=HINT.format(cut=cut),
        model=said.model,
        usage=said.usage,
        duration=said.duration,
    )


def _call(written: Written, tool: ToolSpec | None) -> Call:
    text = json.dumps(written.arguments, ensure_ascii=False)
    if written.fields:
        properties = json.loads(tool.parameters).get("properties", {}) if tool else {}
        # Not by way of a dict: a field that is given twice is refused, and must still be seen to stand there twice.
        pairs = [(name, _typed(value, properties.get(name))) for name, value in written.fields]
        text = ", ".join(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in pairs)
        text = f"{{{text}}}"
    return Call(f"call_{uuid.uuid4().hex[:24]}", written.name, text, AS_TEXT)


def _typed(text: str, schema: object) -> object:
    """A value of a field that came as text: text where the schema wants text, else what its JSON says."""
    kind = schema.get("type", "string") if isinstance(schema, dict) else "string"
    if kind == "string":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _fits(call: Call, tool: ToolSpec | None) -> bool:
    return tool is not None and isinstance(fitted(tool.name, tool.parameters, call.arguments), dict)


def _before(found: Found) -> str:
    if len(found.calls) < MOST:
        return found.before
    return f"{found.before}\n\n[Only the first {MOST} calls of this reply are kept.]".strip()


def _refused(messages: Sequence[Message]) -> int:
    """How many replies at the end of the request held only calls that could not be run."""
    count, refused = 0, False
    for message in reversed(messages):
        content = str(message.get("content") or "")
        match message["role"]:
            case "assistant":
                count, refused = count + refused, False
            case "tool" if content.startswith(ANSWERS):
                refused = True
            case "user" if content.startswith("[harness "):
                continue
            case _:
                break
    return count
