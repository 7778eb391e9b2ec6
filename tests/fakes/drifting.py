"""A small shop in TypeScript, JavaScript and Python: 60 files whose names fit together, and twenty changes that make
one name each not fit any more."""

from __future__ import annotations

import re
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"


def _files(text: str) -> dict[str, str]:
    """A file begins with a line `=== name`."""
    parts = re.split(r"^=== (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def cases(name: str) -> dict[str, dict[str, str]]:
    """Small trees by their titles, each of which is a line `## title`."""
    parts = re.split(r"^## (.+)\n", (DATA / name).read_text("utf-8"), flags=re.MULTILINE)
    return {title: _files(text) for title, text in zip(parts[1::2], parts[2::2], strict=True)}


FILES = _files((DATA / "drift_tree.txt").read_text("utf-8"))

# What is changed (file, old, new), and the one mismatch that comes of it: (file, line, symbol).
PLANTED: tuple[tuple[tuple[str, str, str], tuple[str, int, str]], ...] = (
    (("src/money/amount.ts", "function add(", "function plus("), ("src/cart/cart.ts", 1, "add")),
    (("src/money/currency.ts", "abstract class Rate", "abstract class Rates"), ("src/money/index.ts", 4, "Rate")),
    (("src/money/format.ts", "export default function", "export function"), ("src/money/index.ts", 2, "default")),
    (("src/money/format.ts", "const symbol", "const sign"), ("src/money/index.ts", 2, "symbol")),
    (("src/cart/item.ts", "interface Item", "interface Line"), ("src/cart/cart.ts", 2, "Item")),
    (("src/cart/cart.ts", "class Cart", "class Basket"), ("src/cart/index.ts", 1, "Cart")),
    (("src/cart/item.ts", "[first,", "[head,"), ("src/cart/cart.test.ts", 1, "first")),
    (("src/cart/item.ts", "right: renamed", "right: named"), ("src/cart/cart.test.ts", 1, "renamed")),
    (("src/ui/Button.tsx", "interface ButtonProps", "interface Props"), ("src/ui/index.ts", 1, "ButtonProps")),
    (("src/ui/Button.tsx", "export default function", "export function"), ("src/ui/List.jsx", 1, "default")),
    (("src/ui/Price.tsx", "const Price", "const Cost"), ("src/ui/List.jsx", 2, "Price")),
    (("src/ui/List.jsx", "const List", "const Rows"), ("src/ui/index.ts", 3, "List")),
    (("src/ui/page.tsx", "ui.List", "ui.Lists"), ("src/ui/page.tsx", 3, "Lists")),
    (("src/store/db.js", "query()", "select()"), ("src/store/use.js", 1, "query")),
    (("src/store/all.js", "extra: 1", "more: 1"), ("src/store/use.js", 2, "extra")),
    (("src/store/log.js", "exports.warn", "exports.alarm"), ("src/store/use.js", 3, "warn")),
    (("src/names/overloads.ts", "namespace Inner", "namespace Outer"), ("src/names/use.ts", 1, "Inner")),
    (("src/names/circle-b.ts", "const b", "const bb"), ("src/names/circle-use.ts", 1, "b")),
    (("lib/helpers.mts", "const help", "const aid"), ("lib/use.mts", 1, "help")),
    (("shop/prices.py", "def cost", "def fee"), ("shop/stock.py", 2, "cost")),
)


def laid_out(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def planted(*which: int) -> dict[str, str]:
    """The files with these of the changes."""
    files = dict(FILES)
    for number in which:
        (name, old, new), _ = PLANTED[number]
        assert old in files[name], (name, old)
        files[name] = files[name].replace(old, new)
    return files


def large(copies: int) -> dict[str, str]:
    """The files so many times over, each copy in a folder of its own beside a first one that holds all changes."""
    files = planted(*range(len(PLANTED)))
    return files | {f"copy{number}/{name}": text for number in range(copies) for name, text in FILES.items()}
