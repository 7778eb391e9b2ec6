"""Which language is spoken now, and where a name's words in it stand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType

from bot.words import de, en
from bot.words.pseudo import bracketed

DEFAULT = "en"
PSEUDO = "qps"  # the language that brackets every string: for tests, and for whoever looks for strings out of place
LANGUAGES: dict[str, ModuleType] = {"en": en, "de": de}
SHOWN = tuple(LANGUAGES)
_now: ContextVar[str] = ContextVar("language", default=DEFAULT)


def known(code: str) -> str:
    """The language we speak to somebody whose client says `code` (an IETF tag); "" if it says none."""
    name = code.lower().replace("_", "-").partition("-")[0]
    return name if name == PSEUDO or name in LANGUAGES else DEFAULT if name else ""


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Within it, words are those of `language`, as `known` gives it; "" = the default."""
    token = _now.set(language or DEFAULT)
    try:
        yield
    finally:
        _now.reset(token)


def spoken(name: str, topic: str = "") -> object:
    """What `name` is in the language of now; `topic` is a catalogue of its own. Raises AttributeError for a name that
    English lacks."""
    language = _now.get()
    if language == PSEUDO:
        return bracketed(getattr(_catalogue(en, topic), name))
    catalogue = _catalogue(LANGUAGES.get(language, en), topic)
    return getattr(catalogue, name) if hasattr(catalogue, name) else getattr(_catalogue(en, topic), name)


def _catalogue(language: ModuleType, topic: str) -> object:
    return getattr(language, topic, None) if topic else language
