"""What the chat side knows of a channel (Telegram, a terminal, ...): arrivals in, letters out.

A channel turns its raw updates into `Arrival`s and sends `Letter`s. It knows nothing of sessions, access or runs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from agent import Inbound
from bot import words


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation happens. `topic` is "" outside of forum topics (and in General)."""

    channel: str
    bot: str
    chat: str
    topic: str = ""

    @property
    def key(self) -> str:
        """channel:bot:chat:topic, the name of a route."""
        return f"{self.channel}:{self.bot}:{self.chat}:{self.topic}"

    @classmethod
    def of(cls, key: str) -> Place:
        channel, bot, chat, topic = key.split(":", 3)
        return cls(channel, bot, chat, topic)


@dataclass(frozen=True, slots=True)
class Attached:
    """A file that came with a message. kind: document | photo | video | animation | audio | voice. `name` and `mime`
    are the sender's words, `size` is in bytes, 0 = unknown; `id` is the channel's."""

    kind: str
    id: str
    name: str = ""
    size: int = 0
    mime: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """What a message replies to."""

    message_id: int
    author: str = ""
    text: str = ""
    selected: str = ""  # the part that the writer marked
    ours: bool = False  # a message of this bot
    attached: tuple[Attached, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrival:
    """One update, parsed. Nothing in it is trusted but the numeric ids, which the service vouches for.

    kind: message | edit | press (a button) | moved (a group got the address `text`) | ignored.
    `sender` is None for anonymous admins, channels and whatever else has no person behind it.
    `addressed`: in private always; in a group when it mentions us, replies to us, or is a command meant for us.
    `command` is the lower-case name without slash ("" if none; never set for forwarded messages), `args` what follows.
    `unusable` names the content we can't use (a key of words.KINDS), "" where `text` and `attached` say it all.
    `album` is what the messages of one album share. `language` is the IETF tag of the sender's client, "" if unknown.
    """

    kind: Literal["message", "edit", "press", "moved", "ignored"]
    place: Place
    sender: int | None = None
    name: str = ""
    bot_sender: bool = False
    private: bool = False
    message_id: int = 0
    date: float = 0.0
    text: str = ""
    addressed: bool = False
    command: str = ""
    args: str = ""
    forwarded: bool = False
    unusable: str = ""
    quote: Quote | None = None
    attached: tuple[Attached, ...] = ()
    album: str = ""
    press_id: str = ""
    data: str = ""
    language: str = ""

    @property
    def ref(self) -> str:
        """channel:bot:chat:message, unique for ever."""
        return f"{self.place.channel}:{self.place.bot}:{self.place.chat}:{self.message_id}"


@dataclass(frozen=True, slots=True)
class Button:
    text: str
    data: str  # at most 64 bytes


@dataclass(frozen=True, slots=True)
class File:
    """A file on its way to a chat: its text, or the absolute path of its bytes and their SHA-256 in hex."""

    name: str
    text: str = ""
    path: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """One message as a person will see it: plain text of at most 4,096 UTF-16 units, with entities over it. Under a
    file it is at most 1,024 units, or nothing."""

    text: str
    entities: tuple[dict[str, object], ...] = ()  # ready-made, offsets and lengths in UTF-16 units
    buttons: tuple[tuple[Button, ...], ...] = ()
    reply_to: int | None = None
    silent: bool = False
    file: File | None = None


class SendFailed(Exception):
    """A message didn't get out. The subclasses say what to do about it."""


class Flooded(SendFailed):
    """Come back after `seconds`; applies to this chat."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"flood limit, {seconds:g} s")
        self.seconds = seconds


class Unreachable(SendFailed):
    """This chat can't be written to (blocked, kicked, gone): park its letters. `moved_to`: its new id, if it moved."""

    def __init__(self, why: str, moved_to: str = "") -> None:
        super().__init__(why)
        self.moved_to = moved_to


class NotFetched(Exception):
    """A file that came with a message can't be had. The text is a short reason; `too_large`: it is over the limit."""

    def __init__(self, why: str = "it is too large", *, too_large: bool = False) -> None:
        super().__init__(why)
        self.too_large = too_large


class Passing(SendFailed):
    """The service or the network failed before the message was taken; sending it again is safe."""


class Ambiguous(SendFailed):
    """The connection broke after the message went out: it may or may not have arrived."""


class Refused(SendFailed):
    """The service won't take these bytes, ever; don't send the same again."""


class Lost(Refused):
    """The file of a letter is gone, or isn't what was to be sent."""


@dataclass(frozen=True, slots=True)
class Received:
    """One raw update on its way into the inbox, with what it means."""

    row: Inbound
    arrival: Arrival | None  # None: can't be read (row.poison says why)


Intake = Callable[[Sequence[Received]], Awaitable[None]]  # returns when all of them are stored: only then we confirm


@dataclass(slots=True)
class Health:
    """How a channel is doing, for /status and the log."""

    kind: str = ""  # a key of words.PROBLEMS, "" when all is well
    detail: str = ""  # what stands in its sentence
    since: float = 0.0
    facts: dict[str, str] = field(default_factory=dict)

    def told(self, kind: str, detail: str = "") -> None:
        self.kind, self.detail = kind, detail

    @property
    def problem(self) -> str:
        """A sentence in the language of now."""
        return words.PROBLEMS[self.kind].format(self.detail) if self.kind else ""


class Channel(Protocol):
    name: str
    health: Health
    drafts: bool  # whether a private chat can show a text that is still being written

    @property
    def bot(self) -> str:
        """Our own id there."""

    async def connect(self) -> None:
        """Log in; keeps trying with back-off while there is no network. Raises TokenRefused."""

    async def listen(self, intake: Intake) -> None:
        """Receive until cancelled. Raises TokenRefused if the token is revoked meanwhile."""

    def parse(self, row: Inbound) -> Arrival | None:
        """Read a stored row again (after a restart)."""

    async def send(self, place: Place, letter: Letter) -> int:
        """Send one message, return its id. Raises SendFailed (see the subclasses) and nothing else."""

    async def edit(self, place: Place, message_id: int, letter: Letter) -> None:
        """Change a message of ours; "not modified" is success. Raises SendFailed; Refused if it is gone."""

    async def draft(self, place: Place, draft_id: int, letter: Letter) -> None:
        """Show text and entities of a letter that is still being written, in place of what the same id (not 0) showed.
        It is gone with the next message, or by itself. Raises SendFailed; Refused where there is no such thing."""

    async def fetch(self, file: Attached) -> bytes:
        """The bytes of a file that came with a message. Raises NotFetched and nothing else."""

    async def typing(self, place: Place) -> None:
        """Show that we are at it. Cosmetic: never raises."""

    async def react(self, place: Place, message_id: int, emoji: str) -> None:
        """Put a reaction on a message. Cosmetic: never raises."""

    async def signed(self) -> None:
        """Where many of these are still on their way: until they are made, for half a second at most. Never raises."""

    async def answer_press(self, press_id: str, text: str = "") -> None:
        """Acknowledge a button press, with a toast if `text`. Never raises."""

    async def announce_commands(
        self, commands: Sequence[tuple[str, str]], audience: str = "", language: str = ""
    ) -> None:
        """Publish a menu, for all chats, for "groups", or for the one chat of this id; for clients of this language, or
        of those that have none of their own. Cosmetic: never raises."""

    async def close(self) -> None: ...
