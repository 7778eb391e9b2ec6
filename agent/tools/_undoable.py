"""Writes that /undo can take back: told to the undo store before and after."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from agent.ports import CallContext


@contextmanager
def undoable(call: CallContext, path: str) -> Iterator[None]:
    """Around a write to `path`. Raises ToolError where its old content can't be kept: then it must not be written."""
    if call.undo is None:
        yield
        return
    call.undo.keep(call.run, path)
    try:
        yield
    finally:
        call.undo.left(call.run, path)


@asynccontextmanager
async def undoable_command(call: CallContext) -> AsyncIterator[str]:
    """Around a command; gives "", or why it can't be undone."""
    if call.undo is None:
        yield ""
        return
    try:
        # Inside, for a stop may come while the baseline is taken; what was not begun need not be ended, but may be.
        yield await call.undo.before_command(call.run, call.workspace)
    finally:
        await call.undo.after_command(call.run, call.workspace)
