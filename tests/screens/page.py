"""Bubbles as a page the width of a phone, close to how Telegram shows them; pure."""

from __future__ import annotations

import html
from collections.abc import Sequence

from tests.screens.recorded import Bubble, Mark

WIDTH = 390  # CSS pixels
TAGS = {
    "bold": "b",
    "italic": "i",
    "underline": "u",
    "strikethrough": "s",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "expandable_blockquote": "blockquote",
    "text_link": "a",
    "url": "a",
    "spoiler": "mark",
    "bot_command": "a",
    "mention": "a",
}
STYLE = """
* { box-sizing: border-box; margin: 0 }
html { background: #0e1621 }
body { width: 390px; padding: 10px 8px; font: 16px/1.32 Roboto, "Noto Color Emoji", sans-serif; color: #f5f5f5 }
.row { display: flex; flex-direction: column; align-items: flex-start; margin: 0 0 6px; max-width: 340px }
.mine { align-items: flex-end; margin-left: auto }
.bubble { background: #182533; border-radius: 14px 14px 14px 4px; padding: 7px 11px; max-width: 100%;
  white-space: pre-wrap; overflow-wrap: anywhere }
.mine .bubble { background: #2b5278; border-radius: 14px 14px 4px 14px }
code, pre { font: 13px/1.4 "Roboto Mono", "DejaVu Sans Mono", monospace; color: #d0e4f5 }
pre { background: #0e1a26; border-left: 3px solid #5288c1; border-radius: 4px; padding: 6px 8px; margin: 4px 0;
  overflow: hidden; overflow-wrap: anywhere; white-space: pre-wrap }
blockquote { border-left: 3px solid #5288c1; background: #1d3145; border-radius: 4px; padding: 3px 8px }
a { color: #6ab3f3; text-decoration: none }
mark { background: #4a5866; color: transparent; border-radius: 3px }
.keys { display: grid; gap: 4px; margin-top: 4px; width: 100%; min-width: 240px }
.keys div { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 4px }
.keys span { background: #213040; border-radius: 8px; padding: 9px 6px; text-align: center; font-size: 14px;
  font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.file { display: block; color: #6ab3f3; font-weight: 500 }
"""


def page(shown: Sequence[Bubble]) -> str:
    """The whole document; it needs nothing from the network."""
    rows = "".join(_row(each) for each in shown)
    return f"<!doctype html><meta charset=utf-8><title>chat</title><style>{STYLE}</style><body>{rows}</body>"


def _row(bubble: Bubble) -> str:
    file = f"<span class=file>&#128206; {html.escape(bubble.file)}</span>" if bubble.file else ""
    keys = "".join(
        "<div>" + "".join(f"<span>{html.escape(text)}</span>" for text in row) + "</div>" for row in bubble.buttons
    )
    body = file + marked(bubble.text, bubble.marks)
    under = f"<div class=keys>{keys}</div>" if keys else ""
    return f'<div class="row{" mine" if bubble.mine else ""}"><div class=bubble>{body}</div>{under}</div>'


def marked(text: str, marks: Sequence[Mark]) -> str:
    """The text as HTML with its entities as tags; offsets are UTF-16 units, and nested entities nest."""
    opens: dict[int, list[Mark]] = {}
    closes: dict[int, list[Mark]] = {}
    for mark in sorted(marks, key=lambda each: (each.offset, -each.length)):
        if mark.kind in TAGS:
            opens.setdefault(mark.offset, []).append(mark)
            closes.setdefault(mark.offset + mark.length, []).insert(0, mark)
    out, at = [], 0
    for char in [*text, ""]:
        out += [f"</{TAGS[mark.kind]}>" for mark in closes.get(at, ())]
        out += [f"<{TAGS[mark.kind]}>" for mark in opens.get(at, ())]
        block = char == "\n" and any(mark.kind == "pre" for mark in closes.get(at, ()))
        out.append("" if block else html.escape(char))  # a block ends its line by itself
        at += len(char.encode("utf-16-le")) // 2
    return "".join(out)
