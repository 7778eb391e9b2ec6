"""What a model streams into a private chat, over a fake channel and a clock moved by hand."""

from __future__ import annotations

from dataclasses import dataclass

from agent import Delta, steps
from agent.redact import Redactor
from agent.store.memory import MemoryStore
from bot.channel import Place
from bot.routes import Routes
from bot.streams import Streams
from tests.fakes.post import Post

SECRET = "hunter2 and the rest of it"
WORDS = [f"word{n:03d} " for n in range(1000)]


@dataclass
class Talk:
    """A session of a private chat, and what its model streams."""

    post: Post
    streams: Streams
    session: str

    async def stream(self, *pieces: str, pause: float = 0.5) -> None:
        for piece in pieces:
            self.streams.hear(self.session, Delta(piece))
            await self.post.clock.advance(pause)

    def watch(self, step: steps.Step) -> None:
        self.streams.watch(self.session, 1, step)

    def said(self, text: str) -> None:
        self.watch(steps.Said(at=0.0, text=text, model="m"))

    @property
    def drafts(self) -> list[str]:
        return [made.letter.text for made in self.post.channel.made("draft") if made.letter]


async def talk_in(post: Post, place: Place) -> Talk:
    routes = Routes(MemoryStore(), post.clock)
    streams = Streams(routes, post.sender, post.clock, Redactor([SECRET]).partial)
    return Talk(post, streams, await routes.session_of(place))
