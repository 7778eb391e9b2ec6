"""Tool calls as they come in, piece by piece and in every dialect, made into calls with unique ids."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field

from agent.arguments import AS_OBJECT, is_object, mended
from agent.models.unicode import mend
from agent.steps import Call

ID_LIMIT = 200  # characters; a longer id is replaced
NAME_LIMIT = 256  # characters


@dataclass(slots=True)
class _Draft:
    order: int
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    as_object: bool = False  # not as text

    def arguments(self) -> str:
        return mend("".join(self.pieces))

    def looks_whole(self) -> bool:
        return bool(self.pieces) and self.pieces[-1].rstrip().endswith("}") and is_object(self.arguments())


class CallDrafts:
    """The calls of one reply, in the making. `size` is the bytes of all arguments, `dropped` the calls past the
    limit; both bound the memory that a reply can take."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._drafts: list[_Draft] = []
        self._by_index: dict[int, _Draft] = {}
        self.size = 0
        self.dropped = 0

    def __bool__(self) -> bool:
        return bool(self._drafts)

    def add(self, entry: object, index: int | None = None) -> None:
        """Take one entry of a `tool_calls` list; `index` is its place where the list is known to be whole."""
        if not isinstance(entry, dict):
            return
        function = entry.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name = _word(entry.get("id"), ID_LIMIT), _word(function.get("name"), NAME_LIMIT)
        draft = self._draft(_index(entry.get("index")) if index is None else index, call_id, name)
        if draft is None:
            self.dropped += bool(name)
            return
        draft.id = draft.id or call_id
        if name != draft.name:  # some servers repeat the whole name in each piece
            draft.name = (draft.name + name)[:NAME_LIMIT]
        self._argue(draft, function.get("arguments"))

    def finish(self, taken: Collection[str], whole: bool = True) -> tuple[Call, ...]:
        """The calls in order, each with an id that is new among themselves and `taken`. Arguments are mended only if
        the reply is `whole`: what was cut off must not look as if it were complete."""
        ids = set(taken)
        calls = []
        for draft in sorted(self._drafts, key=lambda draft: draft.order):
            call_id = mend(draft.id)
            if not call_id or call_id in ids:
                call_id = f"call_{uuid.uuid4().hex[:24]}"
            ids.add(call_id)
            arguments, what = _tidy(draft) if whole else (draft.arguments(), "")
            calls.append(Call(call_id, mend(draft.name).strip() or "unnamed", arguments, what))
        return tuple(calls)

    def _draft(self, index: int | None, call_id: str, name: str) -> _Draft | None:
        """The draft that an entry belongs to; None where there is none and no room for one more."""
        known = self._by_index.get(index) if index is not None else self._unnumbered(call_id, name)
        # Some servers number every call 0 and tell them apart by id alone.
        if known is not None and not (name and call_id and known.id and call_id != known.id):
            return known
        if len(self._drafts) >= self._limit or not (name or call_id or index is not None):
            if index is not None:
                self._by_index.pop(index, None)
            return None
        after_all = max((draft.order for draft in self._drafts), default=-1) + 1
        draft = _Draft(after_all if index is None or known is not None else index)
        self._drafts.append(draft)
        if index is not None:
            self._by_index[index] = draft
        return draft

    def _unnumbered(self, call_id: str, name: str) -> _Draft | None:
        """Without an index: the last draft, unless the entry names another call or the last one is whole."""
        last = self._drafts[-1] if self._drafts else None
        if last is None or not (call_id or name):
            return last
        if call_id not in ("", last.id) or name not in ("", last.name):
            return None
        begun = bool(call_id or last.pieces)
        return last if not name or (begun and not last.looks_whole()) else None

    def _argue(self, draft: _Draft, arguments: object) -> None:
        if arguments is None or arguments == "":
            return
        piece = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        draft.as_object = draft.as_object or not isinstance(arguments, str)
        draft.pieces.append(piece)
        self.size += len(piece.encode("utf-8", "surrogatepass"))


def _word(value: object, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit:
        return ""
    return value


def _index(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _tidy(draft: _Draft) -> tuple[str, str]:
    text = draft.arguments()
    if not text.strip():
        return "{}", ""
    arguments, what = mended(text)
    return arguments, what or (AS_OBJECT if draft.as_object else "")
