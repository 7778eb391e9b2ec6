"""How a frozen dataclass becomes a JSON object and back: worked out once a class from its annotations, then run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

Reader = Callable[[Any], Any]
_AS_IS = (str, int, float, bool)


class Shape:
    """The fields of one class: `write` gives a dict that `json` can write, `read` gives the object back."""

    __slots__ = ("_cls", "_known", "_names", "_readers", "_values")

    def __init__(self, cls: type[Any]) -> None:
        hints = get_type_hints(cls)
        names = tuple(field.name for field in fields(cls))
        readers = ((name, _reader(hints[name])) for name in names)
        self._cls = cls
        self._names = names
        self._known = frozenset(names)
        self._values = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
        self._readers = tuple((name, reader) for name, reader in readers if reader is not None)

    def write(self, value: Any) -> dict[str, Any]:
        """Field by field; what is nested is left to the JSON encoder, which asks `shape_of` again."""
        return dict(zip(self._names, self._values(value), strict=True))

    def read(self, raw: dict[str, Any]) -> Any:
        """Build the object. Fields that this release doesn't know are left out, missing ones take their default.

        Raises TypeError, KeyError, ValueError or AttributeError when `raw` doesn't fit.
        """
        if not raw.keys() <= self._known:
            raw = {name: raw[name] for name in self._names if name in raw}
        for name, reader in self._readers:
            if name in raw:
                raw[name] = reader(raw[name])
        return self._cls(**raw)


_made: dict[type[Any], Shape] = {}


def shape_of(cls: type[Any]) -> Shape:
    """The shape of a dataclass. Raises TypeError for a field whose type has no place in a row."""
    shape = _made.get(cls)
    if shape is None:
        shape = _made[cls] = Shape(cls)
    return shape


def _reader(hint: Any) -> Reader | None:
    """What turns a JSON value into the field's value; None where it is that value already."""
    if hint in _AS_IS:
        return None
    if get_origin(hint) in (Union, UnionType):
        return _optional(hint)
    if get_origin(hint) is tuple:
        return _row_of(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {member.value: member for member in hint}.__getitem__
    if is_dataclass(hint) and isinstance(hint, type):
        return shape_of(hint).read
    raise TypeError(f"a step can't hold a {hint}: use text, numbers, enums, dataclasses and tuples of them")


def _optional(hint: Any) -> Reader | None:
    inner = [arg for arg in get_args(hint) if arg is not NoneType]
    if len(inner) != 1:
        raise TypeError(f"{hint} can't be told apart in a row: only `X | None` can")
    read = _reader(inner[0])
    return None if read is None else lambda value: None if value is None else read(value)


def _row_of(hint: Any) -> Reader:
    item, *rest = get_args(hint)
    if rest != [Ellipsis]:
        raise TypeError(f"{hint} can't be stored: only tuples of one type and any length can")
    read = _reader(item)
    return tuple if read is None else lambda value: tuple(map(read, value))
