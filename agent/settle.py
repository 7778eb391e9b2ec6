"""Settling a call: from the model's words to exactly one result, whatever happened before."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from functools import partial

from pydantic import BaseModel

from agent.asking import Asking
from agent.errors import ToolError
from agent.policy import Scene, Tier, judge, subject
from agent.ports import Ask, CallContext, Result, Tool
from agent.resume import OpenCall, Todo
from agent.session import Session
from agent.steps import Commanded, Finished, Outcome, Proposed, Started
from agent.tool import WRITTEN, BadArguments, TakenUp, command_of, parse, unknown
from agent.writing import written

logger = logging.getLogger(__name__)

CUT = (
    "Not run: your reply was cut at the token limit in the middle of this call. Send it again, and split large content "
    "into several smaller calls."
)
INTERRUPTED = (
    "Interrupted: Jarvis was restarted while this call was running. It may or may not have run, in whole or in part. "
    "It was not started again. Check what it did before you go on."
)
SECRET = "Not run: the arguments contain a credential of Jarvis itself. It must not be used or written anywhere."
MASKED = (
    "Not run: the content holds a mask that stands for a hidden secret. Writing it would damage the file. Change only "
    "the lines around it, for example with edit_file."
)
CANCELLED = "Cancelled: the user stopped the run before this call had finished."


async def settle(session: Session, item: OpenCall) -> None:
    """Bring the first open call one step nearer to its result; called again until it has one."""
    tool = session.edges.tool(item.call.name)
    if refusal := _refused(session, item, tool):
        await session.record(refusal)
        return
    assert tool is not None
    args = parse(tool, item.call.arguments)
    if isinstance(args, BadArguments):
        await session.record(_result(session, item, Outcome.BAD_ARGUMENTS, args.text))
    elif not item.effect:
        await _propose(session, item, tool, args)
    elif await _still_as_judged(session, item, tool, args):
        session.edges.reach("K7")
        await session.record(Started(at=session.edges.clock.now(), call_id=item.call.id))
        await _carry_out(session, item, tool, args)


def _refused(session: Session, item: OpenCall, tool: Tool | None) -> Finished | None:
    """The result of a call that must not run (again), or None."""
    screen, write = session.edges.screen, tool is not None and tool.effect != "read"
    if item.started and item.effect != "read" and not isinstance(tool, TakenUp):
        return _result(session, item, Outcome.INTERRUPTED, INTERRUPTED)
    if item.held is not None:
        return _result(session, item, Outcome.HELD, item.held)
    if item.decided is not None and item.decided.verdict != "allow":
        return _result(session, item, Outcome.HELD, _denied(item))
    if item.cut or item.written:
        return _result(session, item, Outcome.BAD_ARGUMENTS, CUT if item.cut else WRITTEN)
    if tool is None:
        text = unknown(item.call.name, [t.name for t in session.edges.everything()])
        return _result(session, item, Outcome.BAD_ARGUMENTS, text)
    if write and screen.holds_secret(item.call.arguments):
        return _result(session, item, Outcome.HELD, SECRET)
    if write and screen.holds_mask(item.call.arguments):
        return _result(session, item, Outcome.HELD, MASKED)
    return None


def _denied(item: OpenCall) -> str:
    assert item.decided is not None
    match item.decided.verdict:
        case "withdrawn":
            return f"Not run: instead of approving, the user wrote: {item.decided.reason}"
        case "expired":
            return "Not run: nobody approved it in time."
        case _:
            reason = f" Reason: {item.decided.reason}" if item.decided.reason else ""
            return f"Not run: a person denied it.{reason}"


async def _propose(session: Session, item: OpenCall, tool: Tool, args: BaseModel) -> None:
    """Show the call to the guards; what none of them has anything to say to is started in the same append."""
    session.edges.reach("K7")
    now = session.edges.clock.now()
    proposed = Proposed(at=now, call=item.call, effect=tool.effect, command=command_of(tool, args))
    await session.record(proposed, then=Started(at=now, call_id=item.call.id))
    begun = session.todo.calls.get(item.call.id)
    if begun is not None and begun.started:
        await _carry_out(session, begun, tool, args)


async def _still_as_judged(session: Session, item: OpenCall, tool: Tool, args: BaseModel) -> bool:
    """What was judged, and perhaps approved, must still be what it was; else it is proposed again."""
    changed = item.command != command_of(tool, args)
    if changed or (item.approved and await _changed_since(session, item)):
        again = Commanded(at=session.edges.clock.now(), command="again", by="what it runs has changed")
        await session.record(again)
        return False
    return True


async def _carry_out(session: Session, item: OpenCall, tool: Tool, args: BaseModel) -> None:
    """The effect of a call that has been started, and its result."""
    edges = session.edges
    begun = edges.clock.monotonic()
    asking = Asking(session)
    result = await _run(session, item, tool, args, asking)
    edges.reach("K9")
    took = edges.clock.monotonic() - begun
    await written(
        session,
        Finished(
            at=edges.clock.now(),
            call_id=item.call.id,
            tool=tool.name,
            outcome=result.outcome,
            text=edges.screen.output(result.text),
            details=edges.screen.output(result.details),
            exit_code=result.exit_code,
            duration=took if result.duration is None else result.duration,
            cwd=result.cwd,
            stdout=result.stdout,
            stderr=result.stderr,
            files=result.files,
            ends=result.ends,
            usage=result.usage or asking.usage,
            tainted=result.tainted,
            parcel=result.parcel,
            job=result.job,
        ),
    )


async def _changed_since(session: Session, item: OpenCall) -> bool:
    """Whether a script that the approved command runs is no longer the one that was shown. No answer counts as yes."""
    scripts = _scripts(item)
    probe = session.edges.probe("world")
    if not scripts or probe is None:
        return bool(scripts)
    question = json.dumps({"cwd": session.todo.cwd, "executables": [], "paths": [], "scripts": list(scripts)})
    try:
        async with asyncio.timeout(probe.timeout_s):
            answer = json.loads(await probe.look(context(session, item.call.id), question))
    except Exception:  # a probe that fails is no answer
        return True
    return any(answer.get("scripts", {}).get(path) != digest for path, digest in scripts.items())


def _scripts(item: OpenCall) -> dict[str, str]:
    data = json.loads(item.ask.data) if item.ask and item.ask.data else {}
    return dict(data.get("scripts") or {})


def _boxed(session: Session, item: OpenCall) -> bool:
    """Whether the call runs in the sandbox: outside of it only in mode full, or where a person let it out."""
    todo = session.todo
    if todo.mode_at(session.edges.clock.now()) == "full":
        return False
    if (item.call.name, item.command or item.call.arguments, todo.cwd) in todo.allowed:
        return False
    data = json.loads(item.ask.data) if item.ask and item.ask.data else {}
    return not (item.approved and data.get("tier") == 2)


def _only_reads(todo: Todo, item: OpenCall, workspace: str, home: str) -> bool:
    """Whether the policy knows the call to change nothing, so that there is nothing to keep for an undo."""
    scene = Scene(todo.cwd or workspace, workspace, home)  # as the policy guard has it, so that nothing is parsed twice
    return judge(subject(item.call, item.command), item.effect, scene).tier == Tier.READ


def context(session: Session, name: str) -> CallContext:
    """What a tool or a probe is told of the session at this moment; `name` is the id of the call or the look. Commands
    are boxed but in mode full, nothing is kept for an undo. What a child starts and writes is its parent's."""
    edges, todo = session.edges, session.todo
    workspace = todo.opened.workspace if todo.opened else todo.cwd
    owner, run = session.within or (session.id, f"{session.id}:{todo.asked_seq}")
    return CallContext(
        session=owner,
        call_id=f"{session.id.removeprefix(owner)}.{name}".lstrip("/") if session.within else name,
        workspace=workspace,
        cwd=todo.cwd or workspace,
        timeout_s=edges.tool_timeout_s,
        host=edges.host,
        forbidden=edges.forbidden,
        read_hashes=dict(todo.seen),
        run=run,
        box=edges.confines and todo.mode_at(edges.clock.now()) != "full",
        workshop=edges.workshop,
        web=edges.web,
        past=edges.past,
        screen=edges.screen,
    )


async def _run(session: Session, item: OpenCall, tool: Tool, args: BaseModel, ask: Ask) -> Result:
    """Run the tool; whatever it raises becomes a result."""
    edges, todo = session.edges, session.todo
    around = replace(context(session, item.call.id), ask=ask)
    if edges.spawn is not None and session.within is None:
        around = replace(around, spawn=partial(edges.spawn, session, item.call.id))
    undo = None if _only_reads(todo, item, around.workspace, edges.home) else edges.undo
    edges.reach("K8")
    try:
        return await tool.run(replace(around, box=edges.confines and _boxed(session, item), undo=undo), args)
    except ToolError as error:
        return Result(str(error), outcome=Outcome.FAILED)
    except Exception as error:
        logger.exception("tool %s raised", tool.name)
        text = f"The tool {tool.name} failed by itself ({type(error).__name__}). Try another way."
        return Result(text, outcome=Outcome.FAILED)


def cancelled(todo: Todo, at: float) -> list[Finished]:
    """Results for all open calls of a run that ends now."""
    return [
        Finished(at=at, call_id=item.call.id, tool=item.call.name, outcome=Outcome.CANCELLED, text=CANCELLED)
        for item in todo.calls.values()
    ]


def _result(session: Session, item: OpenCall, outcome: Outcome, text: str) -> Finished:
    at = session.edges.clock.now()
    return Finished(
        at=at, call_id=item.call.id, tool=item.call.name, outcome=outcome, text=session.edges.screen.output(text)
    )
