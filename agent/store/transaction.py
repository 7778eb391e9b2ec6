"""A transaction as a generator: it yields statements, is sent their rows, and does no I/O itself.

So the same transactions run on any database: a driver begins, steps through, and commits or rolls back.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar, Union

T = TypeVar("T")
Value = Union[str, float, int, None]
Statement = tuple[str, tuple[Value, ...]]
Rows = list[tuple[Any, ...]]
Transaction = Generator[Statement, Rows, T]
