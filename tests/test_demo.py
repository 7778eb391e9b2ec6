"""The demo is no film: what the scripted model does follows from the files it finds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot import demo
from bot.demo import FILES, act

pytestmark = pytest.mark.e2e


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo's folder, to be changed by a test; and nobody waits."""
    folder = tmp_path / "files"
    shutil.copytree(FILES, folder)
    monkeypatch.setattr(demo, "FILES", folder)
    monkeypatch.setattr(demo, "THINKING_S", 0.0)
    return folder


async def test_the_defences_name_the_cause_and_the_weak_model_finishes(files: Path) -> None:
    off, on = await act("off", "none"), await act("on", "ours")
    assert (off.outcome, on.outcome) == ("unresolved", "answered")
    assert on.calls < off.calls


async def test_without_the_bug_both_acts_are_short(files: Path) -> None:
    script = files / "scan.sh"
    script.write_text(script.read_text().replace("\\$", "$"))
    off, on = await act("off", "none"), await act("on", "ours")
    assert (off.calls, off.outcome) == (on.calls, on.outcome) == (1, "answered")


async def test_another_bug_takes_another_course(files: Path) -> None:
    (files / "scan.sh").write_text("#!/bin/bash\necho 'no route to example.org' >&2\nexit 3\n")
    on = await act("on", "ours")
    assert on.outcome == "unresolved"
