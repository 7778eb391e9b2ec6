"""Blocking work beside the event loop: what hangs leaves room for others."""

from __future__ import annotations

import asyncio
import threading

from bot.__main__ import THREADS, give_room


async def test_many_pieces_of_work_that_hang_leave_room_for_one_more() -> None:
    give_room()
    never = threading.Event()
    hanging = [asyncio.ensure_future(asyncio.to_thread(never.wait)) for _ in range(THREADS - 1)]
    try:
        async with asyncio.timeout(30):  # only a hang breaks it
            assert await asyncio.to_thread(lambda: "done") == "done"
    finally:
        never.set()
        await asyncio.gather(*hanging)
