"""Writing down what has happened and must not happen twice, however long the store is locked or full meanwhile."""

from __future__ import annotations

import logging

from agent.errors import Conflict, StoreBroken, StoreError
from agent.session import Session
from agent.steps import Finished, Said

logger = logging.getLogger(__name__)

RETRY_S = 1.0


async def written(session: Session, step: Finished | Said) -> None:
    """Record the result of a call or a reply, unless its run has ended without it. Raises Conflict and StoreBroken,
    which no waiting mends."""
    while True:
        try:
            await session.record(
                step,
                when=lambda todo: todo.running and (isinstance(step, Said) or step.call_id in todo.calls),
            )
            return
        except (Conflict, StoreBroken):
            raise
        except StoreError as error:
            logger.warning("session %s holds what is not written down yet: %s", session.id, error)
            await session.edges.clock.sleep(RETRY_S)
