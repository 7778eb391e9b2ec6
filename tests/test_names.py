"""Names: a card that is read elsewhere says who asked, by the name that they were last displayed with."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.roster import short
from tests.fakes.office import OPERATOR, OWNER, office
from tests.test_group_manners import MARK, Asks


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ben", "Ben"),
        ("Ben\n✓ Approved", "Ben ✓ Approved"),
        ("\u202eneB\u2069", "neB"),
        ("/lock", "⁄lock"),
        ("@admin", "＠admin"),
        ("\u200b \u2060", ""),
        ("x" * 50, f"{'x' * 39}…"),
    ],
)
def test_a_name_is_data(name: str, shown: str) -> None:
    assert short(name) == shown


async def test_the_owner_reads_who_asked_in_private_also_after_a_restart_and_they_who_decided(tmp_path: Path) -> None:
    async with office([[MARK]], tmp_path, [Asks()]) as first:
        await first.channel.say("hello", str(OWNER), OWNER, name="Ann", command="status")
        await first.channel.say("install it", str(OPERATOR), OPERATOR, name="Ben")
        await first.pass_time(3)
        assert any("asked by Ben (8)" in text for text in first.channel.screen(str(OWNER)))
        store, shown = first.store, first.channel.messages
    async with office(["done"], tmp_path, [Asks()], store=store) as second:
        second.channel.messages |= shown
        await second.pass_time()
        await second.channel.press(second.button("Run once"), sender=OWNER)
        await second.pass_time(5)
        (card,) = [text for text in second.channel.screen(str(OWNER)) if "Needs your OK" in text]
        assert "asked by Ben (8)" in card and "Approved by you" in card


async def test_whoever_was_never_displayed_is_their_id(tmp_path: Path) -> None:
    async with office([[MARK]], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it", str(OPERATOR), OPERATOR, name="")
        await desk.pass_time(3)
        assert any("asked by 8 ·" in text for text in desk.channel.screen(str(OWNER)))
        assert not [row for row in await desk.store.switches() if row.name.startswith("name:")]
