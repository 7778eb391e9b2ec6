"""/plan: the to-do list that the model keeps for this chat's task, and what shows that each item is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent import Plan, Store, steps
from bot import words
from bot.access import Role
from bot.channel import Arrival
from bot.routes import Routes

SIGNS = {"completed": "✓", "in_progress": "▸", "pending": "○", "blocked": "■"}


@dataclass(frozen=True, slots=True)
class Plans:
    """`mask` hides what is shaped like a key."""

    store: Store
    routes: Routes
    mask: Callable[[str], str]

    async def command(self, arrival: Arrival, role: Role) -> str:
        """The plan as lines. Raises StoreError."""
        session = await self.routes.session_of(arrival.place)
        plan = Plan()
        for _, step in await self.store.read(session):
            if not isinstance(step, steps.Opened):
                plan.fold(step)
        return self.mask(listed(plan))


def listed(plan: Plan) -> str:
    """A line an item; below it what shows that it is done, marked where that was inferred."""
    if not plan.said:
        return words.NO_PLAN
    lines: list[str] = []
    for number, item in enumerate(plan.items, start=1):
        lines.append(f"{SIGNS[item.status]} {number}. {item.text}")
        if item.verify:
            lines.append(words.plan_check(item.verify, inferred="verify" in item.guessed))
        if item.artifacts:
            lines.append(words.plan_files(", ".join(item.artifacts), inferred="artifacts" in item.guessed))
    done = sum(item.status == "completed" for item in plan.said)
    return "\n".join([words.plan_head(done, len(plan.said)), *lines])
