"""The name of a child session: its parent's, a slash, and the call that it works for. Pure.

Only the settling of that call opens it, so that recovery finds it inside the open call. There are no grandchildren.
"""

from __future__ import annotations

import re
from hashlib import blake2b

SPAWNS = "subagent"  # the tool whose calls open a child
_PLAIN = re.compile(r"[\w-]{1,24}", re.ASCII)  # with the parent's name it fits into the data of a button


def child_of(parent: str, call_id: str) -> str:
    """The id of the session that works for this call; the same in every process."""
    plain = _PLAIN.fullmatch(call_id)
    return f"{parent}/{call_id if plain else blake2b(call_id.encode(errors='replace'), digest_size=12).hexdigest()}"


def parent_of(session: str) -> str:
    """The id of the parent of a child session; "" for a session that has none."""
    parent, slash, _ = session.rpartition("/")
    return parent if slash else ""
