"""What is still being written, shown on its way: one call at a time a chat, behind all else, never tried again."""

from __future__ import annotations

import asyncio
import logging

from bot.channel import Channel, Flooded, Letter, Refused, SendFailed
from bot.lane import Lane, Preview

logger = logging.getLogger(__name__)


class Previews:
    """Shows the previews of all lanes, one task a lane and only while something is stale.

    Once the service refuses one, there are no more of them in this process.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._refused = False

    def wanted(self, lane: Lane) -> bool:
        """Whether this chat can show what is still being written: private ones, where the service knows how."""
        return self._channel.drafts and not self._refused and not lane.chat.startswith("-")

    def show(self, lane: Lane, preview: Preview) -> None:
        """Have it shown as it will be when its turn comes. Returns at once."""
        if preview.lost or lane.parked or not self.wanted(lane):
            return
        if preview not in lane.previews:
            lane.previews.append(preview)
        if lane.drawing is None:
            lane.drawing = asyncio.create_task(self._run(lane), name=f"previews to {lane.chat}")

    def drop(self, lane: Lane, preview: Preview) -> None:
        """What waits to be shown of it isn't shown any more."""
        if preview in lane.previews:
            lane.previews.remove(preview)

    def wipe(self, lane: Lane) -> None:
        """A message goes to the chat, with which previews vanish there."""
        for preview in lane.previews:
            preview.shown = None
        lane.previews.clear()

    async def _run(self, lane: Lane) -> None:
        try:
            while await lane.lull():
                preview = lane.previews.pop(0)
                letter = preview.compose()
                if letter is not None and letter != preview.shown:
                    await self._put(lane, preview, letter)
        except Exception:
            logger.exception("what is being written could not be shown")
        finally:
            lane.drawing = None
            lane.drawn.set()

    async def _put(self, lane: Lane, preview: Preview, letter: Letter) -> None:
        """A failure of any kind ends this preview: its answer comes all the same."""
        lane.drawn.clear()
        made = lane.count_draft()
        preview.shown = letter
        try:
            await self._channel.draft(preview.place, preview.draft_id, letter)
        except SendFailed as failure:
            preview.lost = True
            self._failed(lane, failure)
        finally:
            lane.done(made)
            lane.drawn.set()

    def _failed(self, lane: Lane, failure: SendFailed) -> None:
        match failure:
            case Flooded():
                lane.flood_previews(failure.seconds)
            case Refused() if not self._refused:
                self._refused = True
                logger.info("from now on answers are shown only when they are whole: %s", failure)
            case _:
                logger.debug("what is being written could not be shown: %s", failure)
