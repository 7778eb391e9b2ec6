"""What the undo store costs a command: `python tests/undo_bench.py [FILES ...]`, medians in milliseconds.

Not a test: figures depend on the machine and its disk.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agent.undo import UndoStore

ROUNDS = 20


def fill(root: Path, count: int) -> None:
    """`count` files of 2 kB in folders of ten, three deep."""
    for number in range(count):
        folder = root / f"a{number // 1000}" / f"b{number // 100}" / f"c{number // 10}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}").write_bytes(os.urandom(1000) * 2)


async def took(work: Awaitable[object]) -> float:
    begun = time.perf_counter()
    await work
    return (time.perf_counter() - begun) * 1000


async def measure(count: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "work"
        fill(root, count)
        store = UndoStore(Path(place).resolve() / "undo")
        row = {"first": await took(store.before_command("s:0", str(root)))}
        await store.after_command("s:0", str(root))
        run_starts, befores, afters, changed = [], [], [], []
        for number in range(1, ROUNDS):
            run_starts.append(await took(store.before_command(f"s:{number}", str(root))))
            afters.append(await took(store.after_command(f"s:{number}", str(root))))
            befores.append(await took(store.before_command(f"s:{number}", str(root))))
            (root / "new").write_text(str(number))
            await store.after_command(f"s:{number}", str(root))
            changed.append(await took(store.before_command(f"s:{number + 100}", str(root))))
            await store.after_command(f"s:{number + 100}", str(root))
        again = UndoStore(Path(place).resolve() / "undo")
        for name, times in (("run", run_starts), ("call", befores), ("after", afters), ("run, 1 changed", changed)):
            row[name] = statistics.median(times)
        row["run after restart"] = await took(again.before_command("s:999", str(root)))
        await again.after_command("s:999", str(root))
        for path in root.rglob("f*"):
            path.write_bytes(b"x")
        await again.before_command("s:999", str(root))
        print(f"{count:6} files:", *(f"{name} {ms:.1f}," for name, ms in row.items()))  # noqa: T201


if __name__ == "__main__":
    for size in map(int, sys.argv[1:] or ("200", "10000")):
        asyncio.run(measure(size))
