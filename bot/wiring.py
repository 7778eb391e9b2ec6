"""The commands of one channel, made of its parts and the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.settings import Settings
from bot.board import Board
from bot.continuing import Continuing
from bot.examining import Examining
from bot.fresh import Fresh
from bot.keeping import Keeping
from bot.log import Log
from bot.notices import Notices
from bot.paging import Paging
from bot.parts import Parts, start_of, zone_of
from bot.plan import Plans
from bot.sessions import Sessions
from bot.status import About, Status
from bot.undoing import Undoing
from bot.usage import Usages

if TYPE_CHECKING:
    from bot.service import Service


def status_of(service: Service, settings: Settings, parts: Parts, warnings: Sequence[str]) -> Status:
    about = About(
        settings.model.name or parts.model.name,
        settings.run.turns,
        parts.sandbox.name if parts.sandbox.confines else "",
        tuple(warnings),
    )
    begun = parts.clock.monotonic()
    return Status(service.hub, service.routes, parts.channel, service.sender, parts.clock, about, service.gate, begun)


def board_of(service: Service, settings: Settings, parts: Parts, warnings: Sequence[str]) -> Board:
    """Everything that a command needs, from a service whose engine and gate stand."""
    hub, routes, sender, store, clock = service.hub, service.routes, service.sender, parts.store, parts.clock
    notices, zone, mask = Notices(store, sender), zone_of(settings), parts.redactor.output
    limits = settings.guards.budget.limits() if settings.guards.budget.enabled else {}
    idle = service.projector.idle

    async def exam() -> str:
        from bot.doctor import exam, render  # a second or so of imports that no start needs

        return render(await exam(settings, warnings))

    return Board(
        hub=hub,
        gate=service.gate,
        control=service.control,
        model=service.model,
        undoing=Undoing(parts.undo, store, hub, routes, sender, clock),
        plans=Plans(store, routes, mask),
        usages=Usages(store, parts.access, clock, zone, limits),
        fresh=Fresh(hub, store, routes, service.control, service.model.choosing, notices, clock, idle),
        sessions=Sessions(store, hub, routes, notices, clock, mask, parts.redactor.partial),
        log=Log(store, routes, notices, clock, zone, mask),
        keeping=Keeping(hub, routes),
        verbosity=service.verbosity,
        examining=Examining(exam, notices, mask),
        paging=Paging(store, routes, sender, mask),
        continuing=Continuing(hub, routes, clock, start_of(settings, parts.access)),
    )
