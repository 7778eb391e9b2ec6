"""The context of a tool call in a temporary folder, and the call itself without an engine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent.ports import CallContext, Tool
from tests.fakes.host import FakeHost


def context(folder: Path, **parts: Any) -> CallContext:
    """A call with `folder` as workspace and working directory."""
    given = {
        "session": "s1", "call_id": "c1", "workspace": str(folder), "cwd": str(folder), "timeout_s": 300.0,
        "host": FakeHost(),
    }  # fmt: skip
    return CallContext(**{**given, **parts})


def arguments(tool: Tool, **fields: Any) -> Any:
    """Validated arguments as the engine would hand them over."""
    return tool.arguments.model_validate(fields, strict=True)


@contextmanager
def shelf() -> Iterator[Path]:
    """A folder for thousands of files, in memory where there is such a file system: each write there is synced."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as path:
        yield Path(path).resolve()
