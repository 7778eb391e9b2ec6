"""A letter and where it goes, as the text that waits in the outbox. Pure."""

from __future__ import annotations

import json

from bot.channel import Button, File, Letter, Place


def encode(place: Place, letter: Letter) -> str:
    """One line of JSON; what has its default is left out."""
    body: dict[str, object] = {"place": place.key, "text": letter.text}
    if letter.entities:
        body["entities"] = letter.entities
    if letter.buttons:
        body["buttons"] = [[[button.text, button.data] for button in row] for row in letter.buttons]
    if letter.reply_to is not None:
        body["reply_to"] = letter.reply_to
    if letter.silent:
        body["silent"] = True
    if letter.file is not None:
        body["file"] = [letter.file.name, letter.file.text, letter.file.path, letter.file.sha256]
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def decode(body: str) -> tuple[Place, Letter]:
    """What `encode` was given. Raises ValueError for anything else."""
    try:
        found = json.loads(body)
        letter = Letter(
            text=found["text"],
            entities=tuple(found.get("entities", ())),
            buttons=tuple(tuple(Button(*button) for button in row) for row in found.get("buttons", ())),
            reply_to=found.get("reply_to"),
            silent=found.get("silent", False),
            file=File(*found["file"]) if "file" in found else None,
        )
        return Place.of(found["place"]), letter
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a letter: {error!r}") from error
