"""Words that are looked for whatever their case. Pure.

A pattern that ignores case tries each of its words at each place, where one that doesn't passes over the place by its
letter. So the text is brought into lower case once: that a word stands in it is asked here, and hardly ever where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """A pattern in lower case."""

    pattern: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in the lower case of `text`."""
        return self.pattern.search(text.lower())


def words(pattern: str) -> Words:
    return Words(re.compile(pattern))
