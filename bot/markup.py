"""A model's Markdown as letters that a chat service takes: plain text with entities, nothing lost, never refused.

Converted by telegramify_markdown. What it would swallow (raw tags, `$...$`, backslashes, relative links) is hidden from
it behind noncharacters and put back afterwards; if letters or digits are missing in the end, the text goes out plain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from bot.channel import File, Letter
from bot.clean import clean
from bot.marks import Mark, entities, lawful, offsets, spoiled
from bot.split import LIMIT, Part, ends, split, units, visible
from bot.tables import readable

if TYPE_CHECKING:
    from telegramify_markdown import RenderConfig

MOST = 3  # letters; a longer answer is shown as its beginning and its end, with the whole as a file between them
FILE = "answer.md"
LEFT_OUT = "… {count:,} characters are left out here; the whole answer is in this file …"
SECRET = "[jarvis:secret]"  # what stands where a secret was

_WHOLE = MOST * LIMIT * 4  # code points: of so much text, markup taken off, MOST letters may be left
_SAMPLE = LIMIT * 3  # code points that surely fill a letter
_HIDDEN = str.maketrans("<$&\\|~*_[]", "".join(map(chr, range(0xFDD0, 0xFDDA))))  # noncharacters: in no real text
_SHOWN = {hidden: shown for shown, hidden in _HIDDEN.items()}
_URL = r"(?:https?://|mailto:)[^\s()<>\\]+(?:\([^\s()<>\\]*\)[^\s()<>\\]*)*"
_SWALLOWED = re.compile(
    r"[<$&]"
    r"|\\(?![*_`~|#>])"  # a backslash is text, unless it keeps Markdown from seeing markup
    r"|\|\|"  # would be a spoiler
    r"|(?<!~)~(?!~)"
    r"|(?<=[0-9A-Za-z)\]])\*(?=[0-9A-Za-z(])"  # 2*3*4
    r"|(?<!\w)__[a-z0-9_]*[a-z0-9]__(?!\w)"  # __init__
    r"|(?<=!)\[[^\]\n]*\]?"  # an image: its address would be lost
    r"|\[(?=[^\[\]\n]{1,999}\]:)"  # a reference (CommonMark: a label of up to 999 characters): the same
    rf"|(?:\[[^\[\]\n]*)?\](?!\({_URL}\))(?=\()|(?<=\[)\](?=\()"  # a link that leads nowhere: the same
    r"|\](?=\([^\n|]{0,2000}\|)"  # a link in a table cell: the same
)
_LANGUAGE = 64  # characters of a code block's label
_MARKUP = re.compile(  # what carries letters or digits and is rendered otherwise: list numbers, task boxes
    r"^[ \t>]*(?:(?:[-*+•☐☑]|#{1,6}|[*_`]*\d{1,9}[.)][*_`]*)(?=\s|$)[ \t]*)*(?:\[[ xX]\])?",
    re.MULTILINE,
)


def letters(markdown: str, left_out: str = LEFT_OUT) -> list[Letter]:
    """The text as 1 to 3 letters; a longer one as its head, the whole as a file, and its tail; [] if there is nothing
    to see.

    `left_out` stands under the file; {count} in it becomes the number of characters between head and tail.
    """
    cut = len(markdown) - _SAMPLE
    fences = markdown.startswith("```") + markdown.count("\n```", 0, max(0, cut))
    return _letters(markdown, _formatted, "```\n" if fences % 2 else "", left_out)


def plain(text: str, left_out: str = LEFT_OUT) -> list[Letter]:
    """The text as it is, without formatting; a long one as `letters` does it."""
    return _letters(text, Part, "", left_out)


def captioned(file: File, text: str, limit: int) -> list[Letter]:
    """A file with this text under it, of at most `limit` UTF-16 units; a longer one follows in letters of its own."""
    below = letters(text)
    if len(below) == 1 and units(below[0].text) <= limit:
        return [replace(below[0], file=file)]
    return [Letter("", file=file), *below]


def _letters(text: str, render: Callable[[str], Part], lead: str, left_out: str) -> list[Letter]:
    """`lead` opens the tail again where it starts in the middle of something."""
    if len(text) <= _WHOLE:
        head = tail = render(clean(text))
        parts = split(head.text, head.marks)
        if len(parts) <= MOST:
            return [_letter(part) for part in parts]
    else:
        head, tail = render(clean(text[:_SAMPLE])), render(clean(lead + text[-_SAMPLE:]))
    first, last = ends(head, tail)
    count = max(1, len(text) - len(first.text) - len(last.text))
    return [_letter(first), Letter(left_out.format(count=count), file=File(FILE, clean(text))), _letter(last)]


def _formatted(text: str) -> Part:
    try:
        ours = readable(text)
        shown, marks = _convert(ours)
        complete = _told(ours) == _told(_with_labels(shown, marks))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # the parser is native code and panics outside of Exception; no bug of its may cost an answer
        complete = False
    found = Part(shown, tuple(marks)) if complete and visible(shown) else Part(text)
    return Part(found.text, tuple(spoiled(found.text, found.marks, SECRET)))


def _convert(markdown: str) -> tuple[str, list[Mark]]:
    from telegramify_markdown import convert

    hidden = _SWALLOWED.sub(lambda hit: hit[0].translate(_HIDDEN), markdown)
    text, found = convert(hidden, latex_escape=False, config=_config())
    index = {offset: i for i, offset in enumerate(offsets(text))}
    marks = [
        Mark(
            e.type,
            index[e.offset],
            index[e.offset + e.length],
            url=(e.url or "").translate(_SHOWN),
            language=(e.language or "").translate(_SHOWN)[:_LANGUAGE],
        )
        for e in found
    ]
    return text.translate(_SHOWN), lawful(marks)


@cache
def _config() -> RenderConfig:
    from telegramify_markdown import RenderConfig

    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    symbols.heading_level_1 = symbols.heading_level_2 = symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.unordered_list_item = "•"
    symbols.task_completed, symbols.task_uncompleted = "☑", "☐"
    return config


def _told(text: str) -> list[str]:
    """The letters and digits of a text that must reach the reader."""
    return [c for c in _MARKUP.sub("", text) if c.isalnum()]


def _with_labels(text: str, marks: Sequence[Mark]) -> str:
    """The text with what its entities hold: a link's address after it, a code block's language before it."""
    labels = sorted([(m.end, m.url) for m in marks if m.url] + [(m.start, m.language) for m in marks if m.language])
    pieces, at = [], 0
    for place, label in labels:
        pieces += [text[at:place], label]
        at = place
    return "".join([*pieces, text[at:]])


def _letter(part: Part) -> Letter:
    return Letter(part.text, entities(part.text, part.marks))
