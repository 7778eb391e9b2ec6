"""Published packages, unpacked as they are, have no drift. They are fetched by the ordinary clients, and only where
JARVIS_TEST_NETWORK is set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agent.drift.find import Offers, mismatches
from agent.drift.resolve import PythonPaths, ScriptPaths
from agent.drift.tsconfig import Aliases
from agent.probes._apart import Apart
from agent.probes._scan import Scanner
from agent.probes._sources import Sources

PACKAGES = json.loads((Path(__file__).parent / "data" / "drift_packages.json").read_text("utf-8"))
pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not os.environ.get("JARVIS_TEST_NETWORK"), reason="JARVIS_TEST_NETWORK isn't set"),
]


def fetched(command: list[str], folder: Path) -> Path:
    """The one file that the client leaves in the folder."""
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=100)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{command[0]} could not fetch the package: {type(error).__name__}")
    (found,) = folder.iterdir()
    return found


def drift_in(root: Path) -> tuple[int, list[Any]]:
    """How many names were resolved, and what doesn't fit."""
    tree = Sources(str(root), Scanner().scan(str(root)), {}, float("inf"), Apart(float("inf")))
    offers = Offers(tree, ScriptPaths(tree, Aliases(tree)), PythonPaths(tree))
    uses = sum(bool(offers.resolve(path, use.module)) for path in tree.paths for use in tree.source(path).uses)
    return uses, list(mismatches(offers, tree.paths))


@pytest.mark.parametrize("package", PACKAGES["npm"])
def test_a_package_of_typescript_or_javascript_has_no_mismatch(package: str, tmp_path: Path) -> None:
    (tmp_path / "fetched").mkdir()
    with tarfile.open(fetched(["npm", "pack", package], tmp_path / "fetched")) as archive:
        archive.extractall(tmp_path / "x", filter="data")
    uses, found = drift_in(tmp_path / "x" / "package")
    assert uses > 50 and found == []


@pytest.mark.parametrize("package", PACKAGES["pip"])
def test_a_package_of_python_has_no_mismatch(package: str, tmp_path: Path) -> None:
    (tmp_path / "fetched").mkdir()
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", package]
    with zipfile.ZipFile(fetched(pip, tmp_path / "fetched")) as archive:
        archive.extractall(tmp_path / "x")
    uses, found = drift_in(tmp_path / "x")
    assert uses > 50 and found == []
