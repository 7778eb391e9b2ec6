"""Large sources are read in a process of their own, and come to the same; whatever that process does is survived."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import pytest

from agent.drift.shape import UNKNOWN
from agent.probes import _apart, _compared
from agent.probes._apart import LARGE, Apart, main, plainly
from tests.fakes.drifting import FILES, laid_out


@pytest.mark.parametrize("path", sorted(FILES))
def test_what_is_told_of_a_source_is_what_was_read(path: str) -> None:
    data = FILES[path].encode()
    answers = io.BytesIO()
    main(io.BytesIO(json.dumps([path, len(data)]).encode() + b"\n" + data), answers)
    assert _apart._source(json.loads(answers.getvalue())) == plainly(data, path)


def test_one_process_reads_one_after_the_other_and_is_gone_at_the_end() -> None:
    apart = Apart(time.monotonic() + 60)
    sources = {"a.py": b"from b import c\n", "b.ts": b"export const x = 1;\n", "c.ts": b"export {{{", "d.py": b"\0"}
    read = {path: apart.read(data, path) for path, data in sources.items()}
    process = apart._process
    apart.close()
    assert read == {path: plainly(data, path) for path, data in sources.items()}
    assert read["c.ts"] == UNKNOWN and process is not None and process.returncode is not None


def test_a_process_that_is_killed_costs_one_source() -> None:
    apart = Apart(time.monotonic() + 60)
    assert apart.read(b"x = 1\n", "a.py").gives >= {"x"}
    assert apart._process is not None
    apart._process.kill()
    apart._process.wait()
    assert apart.read(b"x = 1\n", "a.py") == UNKNOWN
    assert apart.read(b"x = 1\n", "a.py").gives >= {"x"}
    apart.close()


def test_past_its_deadline_it_is_ended() -> None:
    apart = Apart(time.monotonic())
    with pytest.raises(TimeoutError):
        apart.read(b"x = 1\n" * 100_000, "a.py")
    assert apart._process is None


@pytest.mark.parametrize("size", [LARGE - 1, LARGE, 3 * LARGE])
def test_a_large_file_gives_and_takes_like_a_small_one(tmp_path: Path, size: int) -> None:
    for name, end, text in (("a.ts", "\n", "export const real = 1;\n// "), ("b.py", "\n", "real = 1\n# ")):
        (tmp_path / name).write_text(text + "x" * (size - len(text) - len(end)) + end)
    (tmp_path / "user.ts").write_text("import { gone } from './a';\n")
    (tmp_path / "user.py").write_text("from b import gone\n")
    found = _compared.compared(str(tmp_path), (), None, {}, 30)
    assert sorted((each.file, each.symbol, each.target) for each in found) == [
        ("user.py", "gone", "b.py"),
        ("user.ts", "gone", "a.ts"),
    ]
    assert (tmp_path / "a.ts").stat().st_size == size


def test_a_python_change_reaches_who_takes_it_by_module_package_or_dots(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/prices.py": "def cost(): ...\n",
        "shop/near.py": "from .prices import price\n",
        "shop/deep/__init__.py": "",
        "shop/deep/far.py": "from ..prices import price\n",
        "main.py": "from shop.prices import price\n",
        "other.py": "from json import nothing\nfrom shop import prices\n",
    }
    laid_out(tmp_path, files)
    found = _compared.compared(str(tmp_path), (), [str(tmp_path / "shop/prices.py")], {}, 30)
    assert sorted(each.file for each in found) == ["main.py", "shop/deep/far.py", "shop/near.py"]
