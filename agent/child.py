"""What a child session is given and what it leaves its parent: its edges, its first steps, the result of its run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace

from agent.edges import Edges, Place
from agent.errors import ToolError
from agent.guards._standing import FROM_THE_WEB, Standing
from agent.guards.budget import Budget
from agent.lineage import SPAWNS
from agent.ports import Errand, Guard, Result, Tool
from agent.registry import News, Registry
from agent.relay import Limits
from agent.resume import Todo
from agent.session import Session
from agent.steps import Asked, Change, Commanded, End, Ended, Failed, Finished, Opened, Outcome, Said, Step, Usage

NEVER = frozenset({SPAWNS, "save_tool", "delete_tool"})
WITHOUT = frozenset({"critic"})  # guards: what a child wrote is reviewed with its parent's work
ANSWER = 16_000  # bytes of its words that the parent reads
HOW = (
    "\n\nYou are a sub-agent: another run gave you one task and knows nothing of what you see. Do just this task, then "
    "answer with what came of it: findings, file names, what failed. Nobody can answer questions; say what you assumed."
)


class _Some:
    """Implements agent.registry.Registry: those tools of another one that the child may use."""

    def __init__(self, whole: Registry, names: frozenset[str]) -> None:
        self.title, self._whole, self._names = whole.title, whole, names

    async def refresh(self) -> None:
        """As the whole."""
        await self._whole.refresh()

    def tools(self) -> Sequence[Tool]:
        return [tool for tool in self._whole.tools() if not self._names or tool.name in self._names]

    def news(self) -> Sequence[News]:
        return ()

    async def told(self, news: Sequence[News]) -> None:
        """Nothing: there were none."""

    def troubles(self) -> Sequence[tuple[str, str]]:
        return self._whole.troubles()


def edges_of(edges: Edges, errand: Errand, spent: Iterable[Step] = ()) -> Edges:
    """The parent's edges with fewer tools, a budget and no children; `spent` are the parent's steps up to now. Raises
    ToolError for a tool that there isn't."""
    known = [tool.name for tool in edges.everything() if tool.name not in NEVER]
    if wrong := [name for name in errand.tools if name not in known]:
        raise ToolError(f"A sub-agent can't have {', '.join(wrong)[:200]}. It can have: {', '.join(known)}.")
    names = frozenset(errand.tools)
    tools = [tool for tool in edges.tools if tool.name not in NEVER and (not names or tool.name in names)]

    def opening(session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
        whole = edges.opening(session, place, at, model, context)
        allowed = tuple(spec for spec in whole.tools if spec.name not in NEVER and (not names or spec.name in names))
        return replace(whole, tools=allowed, prompt=whole.prompt + HOW)

    return replace(
        edges,
        tools=tools,
        registries=[_Some(each, names) for each in edges.registries],
        guards=_bounded(edges.guards, errand, spent),
        limits=Limits(turns=errand.turns, handoffs=0),
        opening=opening,
        spawn=None,
    )


def _bounded(guards: Iterable[Guard], errand: Errand, spent: Iterable[Step]) -> list[Guard]:
    """The guards with the errand's budget, within what is left of the parent's run."""
    whole = [deepcopy(guard) for guard in guards if isinstance(guard, Budget)]
    for step in spent:
        for budget in whole:
            budget.observe(step)
    budgets = [budget.left() for budget in whole] or [Budget()]
    others = [g for g in guards if not isinstance(g, Budget) and g.name not in WITHOUT]
    most = [errand.tokens if each.run_tokens is None else min(each.run_tokens, errand.tokens) for each in budgets]
    return others + [replace(b, turns=errand.turns, run_tokens=n) for b, n in zip(budgets, most, strict=True)]


def beginning(parent: Session, child: Session, standing: Standing, task: str) -> list[Step]:
    """The first steps of a child: roles, mode and whether words from elsewhere are in play are its parent's."""
    now, todo = parent.edges.clock.now(), parent.todo
    author = todo.asked.author if todo.asked else ""
    workspace = todo.opened.workspace if todo.opened else todo.cwd
    place = Place(workspace, todo.cwd or workspace)
    steps: list[Step] = [child.edges.leg(child.id, place, now, todo.led)]
    if todo.mode is not None:
        steps.append(replace(todo.mode, at=now))
    if todo.led:
        steps.insert(0, Commanded(at=now, command="model", by=author, value=todo.led))
    return [*steps, Asked(at=now, text=task, author=author, role=standing.role, tainted=standing.tainted)]


def outcome_of(journal: Sequence[tuple[int, Step]]) -> Result:
    """What a child that has ended hands to its parent: its last words, how it ended, its files, errors and usage."""
    from agent.ledger import Ledger  # see agent.session

    todo, ledger, ended, errors = Todo(), Ledger(), Ended(at=0.0, end=End.FAILED), ""
    for seq, step in journal:
        if isinstance(step, Ended):
            ended, errors = step, "; ".join(error.line for error in ledger.errors_open()[-3:])
        todo.fold(seq, step)
        ledger.fold(seq, step)
    steps = [step for _, step in journal]
    turns, usage = sum(isinstance(step, Said) for step in steps), _spent(steps)
    files = _files(steps)
    fine = ended.end is End.ANSWERED
    notes = [f"{turns} turns, {usage.tokens:,} tokens"]
    notes += [f"changed: {', '.join(change.path for change in files[:20])}"] if files else []
    notes += [] if fine else [f"{ended.end.value}: {ended.reason or 'it was stopped'}"]
    notes += [f"open errors: {errors}"] if errors and not fine else []
    words = _words(todo).encode(errors="replace")[:ANSWER].decode(errors="ignore") or "(It said nothing.)"
    text = f"{words}\n\n[sub-agent, {'done' if fine else 'not done'}: {'; '.join(notes)}]"
    return Result(
        text,
        details=f"{'done' if fine else ended.end.value}, {turns} turns",
        outcome=Outcome.OK if fine else Outcome.CANCELLED if ended.end is End.STOPPED else Outcome.FAILED,
        files=files,
        usage=usage,
        tainted=any(_from_elsewhere(step) for step in steps),
    )


def _words(todo: Todo) -> str:
    """The answer of the newest reply, also where a task_complete carries it."""
    from agent.arguments import read

    said = todo.spoke
    for call in said.calls if said else ():
        if call.name == "task_complete":
            try:
                return str(read(call.arguments).get("summary", ""))
            except (ValueError, RecursionError):
                return ""
    return said.text if said else ""


def _spent(steps: Iterable[Step]) -> Usage:
    usage = Usage()
    for step in steps:
        if isinstance(step, Said | Failed | Finished) and step.usage is not None:
            usage = usage + step.usage
    return usage


def _files(steps: Iterable[Step]) -> tuple[Change, ...] | None:
    """What all calls together changed; None where that is unknown of one of them."""
    changes: dict[str, Change] = {}
    for step in steps:
        if not isinstance(step, Finished):
            continue
        if step.files is None:
            return None
        for change in step.files:
            first = changes.get(change.path, change)
            changes[change.path] = replace(change, before=first.before)
    return tuple(changes.values())


def _from_elsewhere(step: Step) -> bool:
    match step:
        case Finished(tool=tool, tainted=tainted):
            return tainted or tool in FROM_THE_WEB
        case Asked(tainted=tainted):
            return tainted
        case _:
            return False
