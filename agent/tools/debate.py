"""Tool debate: several answers to one question, rounds of looking at each other, and a vote. No tools take part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, Field

from agent.debating import Counted, Voice, again, counted, opening, voice
from agent.errors import ToolError
from agent.ports import Ask, CallContext, Message, Result, Tool
from agent.room import squeezed
from agent.steps import Failed
from agent.tool import Arguments

REPLY = 1_200  # tokens of one voice in one round
ALL_S = 240.0  # of the whole debate
SHOWN = 1_500  # bytes of the winner's reasons


class Debate(Arguments):
    question: str = Field(min_length=1, max_length=12_000, description="with all that is needed to answer it")
    proposals: int = Field(default=3, ge=2, le=5)
    rounds: int = Field(default=2, ge=1, le=3)


class _Tool:
    name = "debate"
    effect = "read"
    description = "Let several voices of the model answer one question, argue, and vote."
    arguments: type[BaseModel] = Debate

    async def run(self, call: CallContext, args: Debate) -> Result:
        """Raises ToolError where no voice came to an answer."""
        if call.ask is None or not args.question.strip():
            raise ToolError("There is nothing to debate here: " + ("ask a question." if call.ask else "no model."))
        troubles: list[str] = []
        voices: list[Voice] = []
        end = asyncio.get_running_loop().time() + min(ALL_S, call.timeout_s)
        for number in range(args.rounds):
            asked = _requests(args, voices)
            left = end - asyncio.get_running_loop().time()
            if left <= 1.0:
                troubles.append("the time was over")
                break
            heard = await asyncio.gather(*(_heard(call.ask, each, left, troubles) for each in asked))
            voices = [new if new.final else old for new, old in zip(heard, voices or heard, strict=True)]
            if number + 1 < args.rounds and _agreed(voices):
                break
        vote = counted(voices)
        if vote is None:
            why = troubles[-1] if troubles else "no voice gave a line that begins with FINAL:"
            raise ToolError(f"The debate came to nothing: {why}. Decide by yourself, or ask the user.")
        return Result(_told(vote, voices), details=f"{vote.votes} of {vote.of} voices agree")


def _requests(args: Debate, voices: Sequence[Voice]) -> list[list[Message]]:
    numbers = range(1, args.proposals + 1)
    if not voices:
        return [opening(args.question, number, args.proposals) for number in numbers]
    return [again(args.question, number, voices) for number in numbers]


async def _heard(ask: Ask, messages: Sequence[Message], seconds: float, troubles: list[str]) -> Voice:
    """One voice in one round; one that isn't heard is told in `troubles`."""
    try:
        said = await ask(messages, seconds, REPLY)
    except TimeoutError:
        troubles.append("no answer in time")
        return Voice()
    if isinstance(said, Failed):
        troubles.append(f"the model could not be asked ({said.text.rstrip('.')})")
        return Voice()
    return voice(said.text)


def _agreed(voices: Sequence[Voice]) -> bool:
    """Whether all say the same: another round would only cost."""
    vote = counted(voices)
    return vote is not None and vote.votes == len(voices)


def _told(vote: Counted, voices: Sequence[Voice]) -> str:
    finals = [f"{number}. {each.final or '(no answer)'}" for number, each in enumerate(voices, start=1)]
    if len(vote.leaders) > 1:
        head = f"No majority: {len(vote.leaders)} answers have {vote.votes} of {vote.of} votes each."
        return "\n".join([head, *finals, "Decide by the arguments, or ask the user."])
    first = next(each for each in voices if each.final == vote.leaders[0])
    head = f"{vote.votes} of {vote.of} votes: {vote.leaders[0]}"
    return "\n".join([head, *finals, "Reasons of the first of them:", squeezed(first.text, SHOWN)])


tool: Tool = _Tool()
