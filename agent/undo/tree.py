"""A whole workspace at one moment, by path, and the file that it is written to."""

from __future__ import annotations

import json
from dataclasses import dataclass

from agent.undo.states import State, decoded, encoded, sig_decoded
from agent.undo.walk import Listing


@dataclass(frozen=True, slots=True)
class Tree:
    """What a listing found, and the state of each of it."""

    listing: Listing
    states: dict[str, State]


def packed(tree: Tree) -> bytes:
    """As JSON; `unpacked` is its inverse."""
    found = tree.listing
    rows = [[path, found.found[path], encoded(state)] for path, state in tree.states.items()]
    whole = [found.root, sorted(found.opaque), sorted(found.unlisted), rows]
    return json.dumps(whole, separators=(",", ":")).encode("ascii")


def unpacked(data: bytes) -> Tree:
    """Raises ValueError for what isn't a tree."""
    try:
        root, opaque, unlisted, rows = json.loads(data)
        listing, states = Listing(root, {}, set(opaque), set(unlisted)), {}
        for path, row, state in rows:
            sig = sig_decoded(row)
            if sig is not None:
                listing.found[path], states[path] = sig, decoded(state)
    except TypeError as error:
        raise ValueError("not a tree") from error
    return Tree(listing, states)
