"""Answering a look: the probe of that name is asked, and whatever comes of it is recorded as a Seen."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from agent.asking import Asking
from agent.session import Session
from agent.settle import context
from agent.steps import Looking, Seen

logger = logging.getLogger(__name__)


async def answer(session: Session, looking: Looking) -> None:
    """Ask the probe; a time-out and an error are answers too. Raises StoreError."""
    probe, asking = session.edges.probe(looking.probe), Asking(session)
    value, status = "null", "error"
    if probe is not None:
        try:
            async with asyncio.timeout(probe.timeout_s):
                around = replace(context(session, looking.look), ask=asking, undo=session.edges.undo)
                value, status = await probe.look(around, looking.args), "ok"
        except TimeoutError:
            status = "timeout"
        except Exception:  # a probe's bug is an answer without value
            logger.exception("the probe %s raised", looking.probe)
            status = "error"
    now, usage = session.edges.clock.now(), asking.usage
    await session.record(Seen(at=now, look=looking.look, probe=looking.probe, value=value, status=status, usage=usage))
