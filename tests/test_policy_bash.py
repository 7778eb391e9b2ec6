"""Judgements against what bash really does: commands are run in a scratch folder, and what changed is looked at."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.policy import Scene, Tier
from agent.policy.marks import UNKNOWN
from agent.policy.names import names
from agent.policy.reading import read
from tests.fakes.commands import SCENE, judged, pieces, rows

QUIET = names(
    "touch mkdir rm mv cp ln tee cat ls echo printf sort sed awk grep head tail wc find xargs env nice timeout bash sh "
    "cd true false test [ [[ for if while set stat uniq cut tr diff dd tar gzip chmod truncate split seq x f"
)
REAL_BASH = Path("/bin/bash")
pytestmark = pytest.mark.skipif(not REAL_BASH.exists(), reason="there is no bash")


def run(command: str, root: Path) -> None:
    """Run it for real in the workspace below `root`; stdin is empty, as for every command."""
    environment = {"HOME": str(root), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    subprocess.run(
        [REAL_BASH, "-o", "pipefail", "-c", command], cwd=root / "ws", env=environment, timeout=10, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def outside(root: Path) -> dict[str, int]:
    """What stands beside the workspace, and when it changed."""
    found = [path for path in root.rglob("*") if root / "ws" not in path.parents and path != root / "ws"]
    return {str(path): os.stat(path, follow_symlinks=False).st_mtime_ns for path in found}


def may_be_tried(command: str) -> bool:
    found = judged(command)
    programs = {argv[0] for argv in found.argv if argv}
    return found.tier <= Tier.CHANGE and found.session_ok and programs <= QUIET and "/home" not in command


def test_what_is_judged_to_stay_in_the_workspace_stays_there(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "marker").write_text("x")
    for name in ("a", "b", "x", "y", "list", "list.txt"):
        (tmp_path / "ws" / name).write_text("a\nb\n")
    before, tried = outside(tmp_path), [command for _, _, command in rows() if may_be_tried(command)]
    for command in tried:
        run(command, tmp_path)
        assert outside(tmp_path) == before, command
    assert len(tried) >= 100


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(pieces("before")), st.sampled_from(pieces("verb")), st.sampled_from(pieces("piece")))
def test_generated_commands_are_judged_by_what_they_did(
    tmp_path_factory: pytest.TempPathFactory, before: str, verb: str, piece: str
) -> None:
    """What changed something outside of the workspace wasn't judged to stay inside; but for words of which the script
    doesn't tell what they are, which are the sandbox's part."""
    root = tmp_path_factory.mktemp("u") / "h"
    (root / "ws" / "d").mkdir(parents=True)
    for place in (root / "x", root / "ws" / "a", root / "ws" / "b"):
        place.write_text("a\n")
    command, workspace = before + verb.format(piece), str(root / "ws")
    scene = replace(SCENE, cwd=workspace, workspace=workspace, home=str(root), forbidden=())
    if judged(command, scene).tier > Tier.CHANGE or _has_gaps(command, scene):
        return
    held = outside(root)
    run(command, root)
    assert outside(root) == held, command


def _has_gaps(command: str, scene: Scene) -> bool:
    words = [word for argv in judged(command, scene).argv for word in argv]
    written = [word for each in read(command, (scene.cwd,), scene.home).commands for word in each.writes]
    return any(UNKNOWN in word for word in words + written)
