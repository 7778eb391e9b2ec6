"""The chain of models: who is asked, who rests and for how long, and which failures no other model answers for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from agent.models.chain import EMPTY_REPLIES, FIRST_REST_S, LONGEST_REST_S, PERSON_REST_S, Chain, Member
from agent.models.scripted import Line, ScriptedModel, Slow
from agent.ports import Model
from agent.steps import Failed, Said, Trouble
from tests.fakes.clock import HandClock
from tests.models_wire import ASK

A, B, C = "a", "b", "c"


class Closable(ScriptedModel):
    closed = False

    async def close(self) -> None:
        self.closed = True


@dataclass
class Bench:
    clock: HandClock
    models: dict[str, Closable]
    chain: Chain

    async def ask(self, model: Model | None = None) -> Said | Failed:
        """The end of one attempt."""
        parts = [part async for part in (model or self.chain).reply(ASK, [])]
        assert isinstance(parts[-1], Said | Failed)
        return parts[-1]

    def asked(self) -> dict[str, int]:
        return {name: len(model.requests) for name, model in self.models.items() if model.requests}


def bench(*, endpoints: str = "xxx", **lines: list[Line]) -> Bench:
    """Models by name, in the order of the chain; those of the same letter in `endpoints` share address and key."""
    clock = HandClock()
    models = {name: Closable(script, clock, name) for name, script in lines.items()}
    members = [Member(model, endpoint) for model, endpoint in zip(models.values(), endpoints, strict=False)]

    def make(name: str) -> Closable:
        models[name] = Closable([f"I am {name}"] * 9, clock, name)
        return models[name]

    return Bench(clock, models, Chain(members, clock, make))


def no(trouble: Trouble, status: int | None = None, after: float | None = None) -> Failed:
    return Failed(at=0, trouble=trouble, text="It failed.", status=status, retry_after=after)


DOWN, BUSY = no(Trouble.RETRY, 503), no(Trouble.WAIT, 429)
KEY, MONEY, UNKNOWN = no(Trouble.USER, 401), no(Trouble.USER, 402), no(Trouble.USER, 404)


@pytest.mark.parametrize("failure", [DOWN, BUSY, MONEY, UNKNOWN, no(Trouble.WAIT, 429, 600.0), no(Trouble.RETRY)])
async def test_the_next_one_is_asked_at_once(failure: Failed) -> None:
    on = bench(a=[failure], b=["here"])
    first = await on.ask()
    assert isinstance(first, Failed)
    assert (first.model, first.then, first.retry_after, first.trouble) == (A, B, None, failure.trouble)
    second = await on.ask()
    assert isinstance(second, Said)
    assert (second.text, second.model) == ("here", B)


@pytest.mark.parametrize(
    "failure", [no(Trouble.REFUSED), no(Trouble.BUG, 400), no(Trouble.OVERFLOW, 400), no(Trouble.REFUSED, 451)]
)
async def test_what_another_model_is_no_answer_to_stays_where_it_is(failure: Failed) -> None:
    on = bench(a=[failure, "here"], b=[])
    first = await on.ask()
    assert isinstance(first, Failed)
    assert first.then == ""
    assert isinstance(await on.ask(), Said)
    assert on.asked() == {A: 2}


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (DOWN, FIRST_REST_S),
        (BUSY, FIRST_REST_S),
        (no(Trouble.WAIT, 429, 600.0), 600.0),
        (no(Trouble.WAIT, 429, 2.0), 2.0),
        (MONEY, PERSON_REST_S),
    ],
)
async def test_one_that_failed_is_left_out_for_its_time_and_no_longer(failure: Failed, seconds: float) -> None:
    on = bench(a=[failure, "back"], b=["one", "two", "three"])
    await on.ask()
    await on.clock.advance(seconds - 0.1)
    assert (await on.ask()).model == B
    await on.clock.advance(0.1)
    assert (await on.ask()).model == A


async def test_a_rest_grows_with_each_miss_to_a_bound_and_a_reply_ends_it() -> None:
    on = bench(a=[*[DOWN] * 8, "back", DOWN], b=["here"])
    rests = []
    for _ in range(8):
        await on.ask()
        rests.append(on.chain.rests()[0].seconds)
        await on.clock.advance(LONGEST_REST_S)
    assert rests == [min(FIRST_REST_S * 2**n, LONGEST_REST_S) for n in range(8)]
    assert (await on.ask()).model == A
    assert on.chain.rests()[0].seconds == 0
    await on.ask()
    assert on.chain.rests()[0].seconds == FIRST_REST_S


async def test_requests_that_fail_together_are_one_miss() -> None:
    on = bench(a=[Slow(1, DOWN)] * 50, b=["here"])
    asks = [asyncio.create_task(on.ask()) for _ in range(50)]
    await on.clock.advance(1)
    await asyncio.gather(*asks)
    assert on.asked() == {A: 50}
    assert on.chain.rests()[0].seconds == FIRST_REST_S


async def test_a_rejected_key_is_the_same_for_all_that_share_it() -> None:
    on = bench(a=[KEY], b=[], c=["here"], endpoints="xxy")
    first = await on.ask()
    assert isinstance(first, Failed)
    assert first.then == C
    assert [rest.seconds > 0 for rest in on.chain.rests()] == [True, True, False]


async def test_a_rejected_key_that_all_share_is_asked_with_once() -> None:
    on = bench(a=[KEY], b=[])
    first = await on.ask()
    assert isinstance(first, Failed)
    assert (first.then, first.trouble) == ("", Trouble.USER)
    assert on.asked() == {A: 1}


async def test_alone_nothing_changes() -> None:
    for failure in (DOWN, BUSY, KEY, no(Trouble.WAIT, 429, 0.0), no(Trouble.WAIT, 429, 7.0)):
        on = bench(a=[failure, "here"])
        first = await on.ask()
        assert isinstance(first, Failed)
        assert (first.then, first.trouble, first.retry_after) == ("", failure.trouble, failure.retry_after)
        assert isinstance(await on.ask(), Said)  # there is nobody else, so it doesn't rest


async def test_while_all_rest_the_one_that_rests_the_shortest_is_asked() -> None:
    on = bench(a=[no(Trouble.WAIT, 429, 600.0)], b=[no(Trouble.WAIT, 429, 20.0), "here"])
    await on.ask()
    second = await on.ask()
    assert isinstance(second, Failed)
    assert (second.then, second.retry_after) == ("", 20.0)
    assert (await on.ask()).model == B


@pytest.mark.parametrize(
    ("before", "newest", "trouble", "after"),
    [
        (no(Trouble.WAIT, 429, 5.0), no(Trouble.WAIT, 429, 600.0), Trouble.WAIT, 5.0),  # the shorter wait counts
        (DOWN, no(Trouble.WAIT, 429, 600.0), Trouble.RETRY, None),  # nobody has named a time for that one
        (DOWN, UNKNOWN, Trouble.RETRY, None),  # worth waiting for, although this one isn't
        (UNKNOWN, DOWN, Trouble.RETRY, None),
        (UNKNOWN, MONEY, Trouble.USER, None),
    ],
)
async def test_what_is_waited_for_when_all_have_failed(
    before: Failed, newest: Failed, trouble: Trouble, after: float | None
) -> None:
    on = bench(a=[before], b=[newest])
    await on.ask()
    failed = await on.ask()
    assert isinstance(failed, Failed)
    assert (failed.model, failed.then, failed.trouble, failed.retry_after) == (B, "", trouble, after)


async def test_one_that_says_nothing_is_asked_once_more_first() -> None:
    empty = no(Trouble.RETRY, 200)
    on = bench(a=[empty] * EMPTY_REPLIES, b=["here"])
    thens = [getattr(await on.ask(), "then", None) for _ in range(EMPTY_REPLIES)]
    assert thens == [*[""] * (EMPTY_REPLIES - 1), B]


async def test_a_chat_can_have_another_lead() -> None:
    on = bench(a=["I am a"], b=[DOWN, "I am b"], c=["I am c"])
    led = on.chain.led_by(C)
    assert (led.name, (await on.ask(led)).model) == (C, C)
    assert [rest.name for rest in on.chain.rests(C)] == [C, A, B]
    led = on.chain.led_by(B)
    first = await on.ask(led)
    assert isinstance(first, Failed)
    assert first.then == A
    assert (await on.ask(led)).model == A


async def test_one_outside_of_the_chain_is_made_once_and_falls_back_into_it() -> None:
    on = bench(a=["I am a"])
    assert (await on.ask(on.chain.led_by("z"))).model == "z"
    made = on.models["z"]
    assert (await on.ask(on.chain.led_by("z"))).model == "z"
    assert on.models["z"] is made
    assert [rest.name for rest in on.chain.rests("z")] == ["z", A]
    assert [rest.name for rest in on.chain.rests()] == [A]
    await on.chain.close()
    assert all(model.closed for model in on.models.values())
