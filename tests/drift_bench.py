"""How long the probes disk and drift take on trees of several sizes: `python -m tests.drift_bench [FILES ...]`."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from agent.ports import CallContext, Probe
from agent.probes import _compared, _scan, disk, drift
from tests.fakes.drifting import FILES, PLANTED, laid_out, large, planted
from tests.fakes.host import FakeHost

RUNS = 9
CHANGED = ("src/money/amount.ts", "src/cart/item.ts", "src/store/db.js", "shop/prices.py")


async def took(root: Path, probe: Probe, args: object, *, cold: bool) -> tuple[float, str]:
    """Median milliseconds, and the last answer."""
    call = CallContext("s", "l", str(root), str(root), 10.0, FakeHost())
    times, value = [], ""
    for _ in range(3 if cold else RUNS):
        if cold:
            _compared._known.clear()
            _scan.scanner._roots.clear()
        begun = time.perf_counter()
        value = await probe.look(call, json.dumps(args))
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times), value


async def measured(files: int) -> None:
    tree = planted(*range(len(PLANTED))) if files <= len(FILES) else large(files // len(FILES) - 1)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        laid_out(root, tree)
        await asyncio.sleep(0.1)  # a folder that has just changed is read again
        changed = {"changed": [str(root / name) for name in CHANGED], "aliases": {}}
        rows = [
            ("drift, all, first", drift.probe, {"changed": None, "aliases": {}}, True),
            ("drift, all, again", drift.probe, {"changed": None, "aliases": {}}, False),
            ("drift, 4 changed, first", drift.probe, changed, True),
            ("drift, 4 changed, again", drift.probe, changed, False),
            ("disk, first", disk.probe, {"newest": 20}, True),
            ("disk, again", disk.probe, {"newest": 20}, False),
        ]
        for title, probe, args, cold in rows:
            median, value = await took(root, probe, args, cold=cold)
            found = json.loads(value).get("found")
            print(f"{len(tree):6} files  {title:24} {median:8.1f} ms  {'' if found is None else len(found)}")  # noqa: T201


def main() -> None:
    for files in map(int, sys.argv[1:] or ("60", "500", "5000", "10000")):
        asyncio.run(measured(files))


if __name__ == "__main__":
    main()
