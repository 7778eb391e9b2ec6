"""What came with a message besides words: fetched, saved into the inbox or heard, and told as material."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agent import JarvisError, steps
from bot import filewords
from bot.channel import Arrival, Attached, Channel, NotFetched
from bot.inbox import save

logger = logging.getLogger(__name__)

SUFFIXES = {"photo": ".jpg", "voice": ".ogg", "audio": ".mp3", "video": ".mp4", "animation": ".mp4"}


class Hearing(Protocol):
    async def hear(self, name: str, data: bytes) -> str:
        """What was said in a recording, "" for nothing. Raises JarvisError with a short reason."""


@dataclass(slots=True)
class Taken:
    """`files` are (absolute path, bytes) of what was saved, `pictures` those of them that can be looked at, `said` what
    was heard; `problems` are sentences for the person who sent it."""

    files: list[tuple[str, int]] = field(default_factory=list)
    pictures: list[steps.Picture] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.files or self.said)

    @property
    def names(self) -> list[str]:
        return [Path(path).name for path, _ in self.files]

    @property
    def context(self) -> str:
        """The files as the model is told of them."""
        lines = [f"- {path} ({filewords.size(size)})" for path, size in self.files]
        return "\n".join([filewords.FILES_CAME, *lines]) if lines else ""


class Incoming:
    """`hearing` is None where nothing transcribes."""

    def __init__(self, channel: Channel, hearing: Hearing | None = None) -> None:
        self._channel, self._hearing = channel, hearing

    async def take(self, arrival: Arrival, workspace: str) -> Taken:
        """Fetch all that came with a message whose sender may ask, that of the message replied to included."""
        taken = Taken()
        older: Sequence[Attached] = arrival.quote.attached if arrival.quote else ()
        for number, file in enumerate((*arrival.attached, *older)):
            await self._one(taken, file, _name(file, arrival.message_id, number), workspace)
        return taken

    async def _one(self, taken: Taken, file: Attached, name: str, workspace: str) -> None:
        spoken = file.kind == "voice" or (file.kind == "audio" and self._hearing is not None)
        if spoken and self._hearing is None:
            taken.problems.append(filewords.CANNOT_HEAR)
            return
        try:
            data = await self._channel.fetch(file)
            if spoken and self._hearing is not None:
                taken.said.append(await self._hearing.hear(name, data) or filewords.SILENCE)
                return
            path = await asyncio.to_thread(save, workspace, name, data)
            taken.files.append((path, len(data)))
            if file.kind == "photo" or file.mime.startswith("image/"):
                taken.pictures.append(steps.Picture(path, hashlib.sha256(data).hexdigest()))
        except NotFetched as error:
            problem = filewords.too_large(name) if error.too_large else filewords.not_fetched(name, str(error))
            taken.problems.append(problem)
        except JarvisError as error:
            taken.problems.append(filewords.not_heard(str(error)))
        except OSError as error:
            logger.warning("a file could not be saved: %s", error)
            taken.problems.append(filewords.not_saved(name, error.strerror or type(error).__name__))


def _name(file: Attached, message_id: int, number: int) -> str:
    """Its own name, or one made of its kind and its message."""
    more = f"-{number + 1}" if number else ""
    return file.name or f"{file.kind}-{message_id}{more}{SUFFIXES.get(file.kind, '')}"
