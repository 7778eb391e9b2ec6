"""Settings of the guards: which panel sits, a switch for each guard, and the figures that can be tuned."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.settings.kinds import AnyCase, Count, JsonObject, Money, Seconds


class Switch(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    enabled: bool = True


class Plugin(Switch):
    """A guard that this tree doesn't know: its own class says which further fields it has."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Threshold(Switch):
    at: Count = 3


class Critic(Switch):
    """Work on anything but prose and data is read once more before its user is told, which costs one request of the
    model, and as many again as the objections it makes; `enabled` turns it off, `model` gives it to another one.
    Timeout in seconds, preview in characters."""

    max_cycles: Count = 2
    min_writes: Count = 1
    timeout_s: Count = 120
    max_tokens: Count = 4096
    max_files: Count = 60
    preview: Count = 8000
    model: str = ""  # the run's own


class World(Switch):
    every: Count = 8
    writes: Count = 5
    max_files: Count = 200


class Drift(Switch):
    aliases: JsonObject = {}


class Budget(Switch):
    """What a run, a day, or a user in a day may spend: tokens, US dollars, replies of the model; of a run also seconds
    of the model's and the tools' work. None: no limit."""

    run_tokens: Count | None = None
    run_money: Money | None = None
    run_calls: Count | None = None
    run_s: Seconds | None = None
    day_tokens: Count | None = None
    day_money: Money | None = None
    day_calls: Count | None = None
    user_day_tokens: Count | None = None
    user_day_money: Money | None = None
    user_day_calls: Count | None = None

    def limits(self) -> dict[str, float]:
        """The budgets that are set, by name."""
        return {name: limit for name, limit in self.model_dump(exclude={"enabled"}).items() if limit is not None}


class Guards(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Plugin] = Field(init=False)

    panel: Annotated[Literal["ours", "seed", "none"], AnyCase] = "ours"
    failure: Switch = Switch()
    repeated: Threshold = Threshold()
    streak: Threshold = Threshold()
    loops: Switch = Switch()
    stuck: Switch = Switch()
    sticky: Switch = Switch()
    world: World = World()
    gate: Switch = Switch()
    critic: Critic = Critic()
    drift: Drift = Drift()
    claims: Switch = Switch()
    shellwrite: Switch = Switch()
    budget: Budget = Budget()

    def enabled(self, name: str) -> bool:
        """Whether the guard of this name may sit on the panel."""
        found: Any = getattr(self, name, None)
        return found.enabled if isinstance(found, Switch) else True
