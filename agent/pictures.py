"""Pictures that people sent, placed in a request beside the words that tell of them. A fold; pure.

The journal holds where a picture lies and its hash; its bytes are read by the edge that sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.ports import Message
from agent.steps import Asked, Picture, Step

KEY = "pictures"  # of a user's message, for models that see


@dataclass(slots=True)
class Pictures:
    """What may be shown: pictures of the journal alone, whatever a text claims. A path that came again has the newer
    hash."""

    _known: dict[str, Picture] = field(default_factory=dict)

    def fold(self, step: Step) -> None:
        if isinstance(step, Asked):
            self._known |= {picture.path: picture for picture in step.pictures}

    def placed(self, messages: Sequence[Message]) -> list[Message]:
        """The messages, those of the user's that tell of a picture with it under `KEY`."""
        return [self._beside(message) for message in messages] if self._known else list(messages)

    def _beside(self, message: Message) -> Message:
        if message["role"] != "user":
            return message
        found = [picture for path, picture in self._known.items() if f"- {path} (" in message["content"]]
        return {**message, KEY: tuple(found)} if found else message
