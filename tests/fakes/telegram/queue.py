"""The queue behind getUpdates: an update stays until the offset passes it, and only one poller is served."""

from __future__ import annotations

import itertools
from collections import Counter

from tests.fakes.bell import Bell
from tests.fakes.telegram.wire import ApiError, Json, Params

NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
ONE_POLLER = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
HOOKED = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"


class Updates:
    """`delivered` counts how often each update id was handed out."""

    def __init__(self, bell: Bell) -> None:
        self.pending: list[Json] = []
        self.delivered: Counter[int] = Counter()
        self.allowed: list[str] = []
        self.webhook = ""  # an address here makes polling a conflict
        self._bell = bell
        self._ids = itertools.count(500_001)
        self._forced: list[list[Json]] = []
        self._poller = 0

    def make(self, kind: str, value: Json) -> Json:
        """An update with an id of its own, not queued yet."""
        return {"update_id": next(self._ids), kind: value}

    def put(self, update: Json) -> int:
        """Queue an update as it is, of whatever shape; returns its id, or -1 if the poller didn't ask for its kind."""
        kind = next((key for key in update if key != "update_id"), "")
        if kind not in self.allowed if self.allowed else kind in NOT_BY_DEFAULT:
            return -1
        self.pending.append(update)
        self._bell.ring()
        return int(update["update_id"])

    def force(self, batch: list[Json]) -> None:
        """Hand out exactly this batch once, whatever the offset says: redelivery, duplicates, poison."""
        self._forced.append(batch)
        self._bell.ring()

    async def poll(self, params: Params) -> list[Json]:
        """getUpdates: confirms below the offset, then waits up to `timeout` seconds. Raises ApiError 409."""
        if self.webhook:
            raise ApiError(409, HOOKED)
        if isinstance(params.get("allowed_updates"), list):
            self.allowed = params["allowed_updates"]
        self._poller += 1
        mine = self._poller
        self._confirm(params.get("offset") or 0)
        self._bell.ring()
        try:
            await self._bell.until(lambda: self._ready(mine), min(50, params.get("timeout") or 0))
        except TimeoutError:
            return []
        if mine != self._poller:
            raise ApiError(409, ONE_POLLER)
        batch = self._forced.pop(0) if self._forced else self.pending[: min(100, params.get("limit") or 100)]
        self.delivered.update(update.get("update_id", 0) for update in batch)
        return batch

    def _ready(self, mine: int) -> bool:
        return mine != self._poller or bool(self._forced or self.pending)

    def _confirm(self, offset: int) -> None:
        if offset > 0:
            self.pending = [update for update in self.pending if update["update_id"] >= offset]
        elif offset < 0:
            self.pending = self.pending[offset:]
