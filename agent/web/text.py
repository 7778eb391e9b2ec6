"""A page as plain text: what a reader would see of its HTML, with headings, lists and the addresses of links.

Runs as a process of its own (`python -I text.py`, see agent/web/reading.py): a page of 300 kB that is one `<div>` in
the other keeps the parser busy for half a minute, and nothing else of its process gets a turn.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

UNSEEN = frozenset({
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed", "head", "nav", "footer",
    "aside", "form", "button", "dialog",
})  # fmt: skip
BLOCKS = frozenset({
    "p", "div", "section", "article", "main", "header", "ul", "ol", "table", "tr", "blockquote", "pre", "figure",
    "figcaption", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br", "li", "details", "summary",
})  # fmt: skip
CPU_S = 20  # should nobody stop us
MEMORY = 1 << 30  # bytes; a page's links may come to a hundred times the page
LONGEST = 4_000_000  # characters of the text
_HEADING = re.compile(r"h[1-6]\Z")
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0]+")
_LINES = re.compile(r"\n{3,}")


def title_and_text(html: str, url: str) -> tuple[str, str]:
    """Title and text of a page at `url`. Never raises for any text: HTML has no errors (WHATWG HTML, 13.2)."""
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    root = tree.css_first("main") or tree.css_first("article") or tree.body
    return (_BLANKS.sub(" ", title.text()).strip() if title else ""), (_read(root, url) if root else "")


def _read(root: LexborNode, url: str) -> str:
    """A walk with a stack of our own: a page may be nested a hundred thousand deep."""
    parts: list[str] = []
    stack: list[LexborNode | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        tag = (node.tag or "").lower()
        if tag == "-text":
            parts.append(_BLANKS.sub(" ", (node.text_content or "").replace("\n", " ")))
            continue
        if tag in UNSEEN or tag.startswith(("-", "!")):
            continue
        before, after = _around(node, tag, url)
        parts.append(before)
        stack.append(after)
        stack += reversed([*node.iter(include_text=True)])
    return _tidy("".join(parts))


def _around(node: LexborNode, tag: str, url: str) -> tuple[str, str]:
    """What stands before and behind the content of an element."""
    if _HEADING.match(tag):
        return "\n\n" + "#" * int(tag[1]) + " ", "\n"
    if tag == "li":
        return "\n- ", ""
    if tag in ("td", "th"):
        return "", " | "
    if tag == "a":
        return "", _link(node.attributes.get("href") or "", url)
    if tag == "img":
        text = node.attributes.get("alt") or ""
        return (f"[{text.strip()}]" if text.strip() else ""), ""
    return ("\n", "\n") if tag in BLOCKS else ("", "")


def _link(href: str, url: str) -> str:
    try:
        full = urljoin(url, href.strip())
    except ValueError:
        return ""
    near = full.partition("#")[0] == url.partition("#")[0]
    return f" ({full})" if full.startswith(("http://", "https://")) and not near else ""


def _tidy(text: str) -> str:
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    kept = "\n".join("" if line in ("-", "|") else line for line in lines)
    return _LINES.sub("\n\n", kept).strip()


def main() -> None:
    """On stdin a line with the address as JSON, then the page; on stdout its title and text as JSON."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    url = json.loads(sys.stdin.buffer.readline())
    title, text = title_and_text(sys.stdin.buffer.read().decode("utf-8", "replace"), url)
    sys.stdout.write(json.dumps([title[:LONGEST], text[:LONGEST]]))


if __name__ == "__main__":
    main()
