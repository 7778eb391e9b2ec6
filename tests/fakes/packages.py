"""A small Python package and a small TypeScript one with one failing test each, and what mends them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache

from tests.fakes import typestrip

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
PYTHON = {
    "pyproject.toml": '[project]\nname = "sums"\nversion = "1"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "sums/__init__.py": "",
    "sums/totals.py": "def total(numbers):\n    return 0\n",
    "tests/test_totals.py": (
        "from sums.totals import total\n\n\ndef test_sum_of_two():\n    assert total([1, 2]) == 3\n"
    ),
    "tests/conftest.py": "import pathlib, sys\nsys.path.insert(0, str(pathlib.Path(__file__).parent.parent))\n",
}
RIGHT_PY = "def total(numbers):\n    return sum(numbers)\n"

_TYPES_TS = "export interface Priced {\n  readonly cents: number;\n}\nexport type Line = Priced | number;\n"
_HEAD_TS = """import { type Line, type Priced } from './line.ts';

function cents<T extends Line>(line: T): number {
  return typeof line === 'number' ? line : (line as Priced).cents;
}

export function total(lines: readonly Line[]): number {
"""
_TEST_TS = """import assert from 'node:assert';
import test from 'node:test';
import { total } from '../src/totals.ts';
import type { Line } from '../src/line.ts';

const two: Line[] = [1, { cents: 2 }];
test('sum of two', (): void => assert.equal(total(two), 3));
"""
WRONG_TS = f"{_HEAD_TS}  return 0;\n}}\n"
RIGHT_TS = f"{_HEAD_TS}  return lines.reduce((sum: number, line) => sum + cents(line), 0);\n}}\n"


@cache
def _test_command() -> str:
    """How the Node that is installed runs tests in TypeScript: by itself, by a switch, or with the types taken out."""
    if _node("-p", "process.features.typescript") in ("strip", "transform"):
        return "node --test"
    if _node("--experimental-strip-types", "-p", "1") == "1":
        return "node --experimental-strip-types --test"
    return f"{sys.executable} {typestrip.__file__} build src test && node --test build/test/totals.test.js"


def _node(*arguments: str) -> str:
    if shutil.which("node") is None:
        return ""
    return subprocess.run(["node", *arguments], capture_output=True, text=True, timeout=20, check=False).stdout.strip()


def typescript() -> dict[str, str]:
    """Its sources and its tests are TypeScript, run by `npm test`; no package has to be fetched."""
    return {
        "package.json": json.dumps({"name": "sums", "type": "module", "scripts": {"test": _test_command()}}),
        ".gitignore": "build/\n",
        "src/line.ts": _TYPES_TS,
        "src/totals.ts": WRONG_TS,
        "test/totals.test.ts": _TEST_TS,
    }
