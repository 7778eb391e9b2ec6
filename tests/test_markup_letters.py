"""bot.markup: what a model writes reaches the reader, formatted where that is safe, whole in any case."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import markup
from bot.channel import Letter
from bot.markup import letters, plain
from tests.fakes.channel import units, wrong_with


def styled(letter: Letter) -> set[tuple[object, str]]:
    """(kind, the text under it) of each entity."""
    raw = letter.text.encode("utf-16-le")
    return {
        (e["type"], raw[2 * int(str(e["offset"])) :][: 2 * int(str(e["length"]))].decode("utf-16-le"))
        for e in letter.entities
    }


@pytest.mark.parametrize(
    ("markdown", "text", "marks"),
    [
        ("# Done", "Done", {("bold", "Done")}),
        ("a **b** *c* `d`", "a b c d", {("bold", "b"), ("italic", "c"), ("code", "d")}),
        ("*   **整体氛围**：险峻", "• 整体氛围：险峻", {("bold", "整体氛围")}),
        ("😀 **x**", "😀 x", {("bold", "x")}),
        ("```py\na < b\n```", "a < b", {("pre", "a < b")}),
        ("[docs](https://a.b/c_(d)?x=1&y=$2)", "docs", {("text_link", "docs")}),
        ("**b `c` d**", "b c d", {("bold", "b "), ("code", "c"), ("bold", " d")}),
        ("> q\n>> r", "q\nr", {("blockquote", "q\nr")}),
        ("- [x] a\n- [ ] b", "☑ a\n☐ b", set()),
    ],
)
def test_markup_becomes_formatting(markdown: str, text: str, marks: set[tuple[str, str]]) -> None:
    [letter] = letters(markdown)
    assert letter.text == text
    assert styled(letter) == marks


@pytest.mark.parametrize(
    "text",
    [
        "<b>From</b> Chad <chad@example.com> & co </a> List<T> x<y && y>z <br>",
        "<!-- a comment --> stays",
        "<div>\na block\n</div>",
        "export PATH=$HOME/bin:$PATH and $5 to $10",
        "a literal \\$HOME, C:\\new, \\(x\\)",
        "run a || b || c",
        "~/x and ~user",
        "2*3*4 = 24",
        "edit __init__.py",
        "a stray *asterisk, under_score_, [x](y and `tick",
        "see [auth.py](src/auth.py)",
        "![shot](https://a.b/c.png)",
        "[r]: http://z",
        "[](http://empty)",
        "&lt;T&gt;",
    ],
)
def test_what_only_looks_like_markup_is_shown_as_it_is(text: str) -> None:
    assert [letter.text for letter in letters(text)] == [text]


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u2800"])
def test_nothing_to_see_makes_no_letter(text: str) -> None:
    assert letters(text) == []


@pytest.mark.parametrize("text", ["```", "```\n```", "```hello world", "~~~s~~", "```rust,ignore\nx\n```"])
def test_the_label_of_a_code_block_is_not_lost_with_it(text: str) -> None:
    assert "".join(map(with_labels, letters(text))) == text


def test_a_code_block_carries_its_label() -> None:
    assert letters("```js title=x\na\n```")[0].entities[0]["language"] == "js title=x"


def test_code_in_text_keeps_what_is_hidden_elsewhere() -> None:
    [letter] = letters("run `a || b \\$ <T> ~x ![` now")
    assert styled(letter) == {("code", "a || b \\$ <T> ~x ![")}


def test_unsafe_characters_are_shown_and_not_sent() -> None:
    assert letters("\ud800 \ud83d\ude00 \x1b[0m\r\nx\u202e")[0].text == "\ufffd 😀 ␛[0m\nx"


def test_a_converter_that_fails_costs_the_formatting_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(markdown: str) -> None:
        raise BaseException("panic in native code")

    monkeypatch.setattr(markup, "_convert", broken)
    assert [letter.text for letter in letters("a **b**")] == ["a **b**"]


def test_a_converter_that_loses_text_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "_convert", lambda markdown: (markdown[1:], []))
    assert [letter.text for letter in letters("abc")] == ["abc"]


def test_a_long_code_block_is_code_in_every_letter() -> None:
    code = "\n".join(f"line_{i:03d} = compute({i}) if a < b else '*_[x]'" for i in range(200))
    parts = letters(f"Here:\n```python\n{code}\n```\nEnd")
    with_code = [part for part in parts if "line_" in part.text]
    assert len(with_code) >= 2
    assert all({"pre"} == {e["type"] for e in part.entities} for part in with_code)
    assert all(part.entities[0]["language"] == "python" for part in with_code)
    assert "\n".join(text for part in with_code for kind, text in styled(part)) == code
    assert not any("```" in part.text for part in parts)


def test_five_thousand_emoji_arrive_complete() -> None:
    parts = letters("😀" * 5000)
    assert "".join(part.text for part in parts) == "😀" * 5000
    assert all(units(part.text) <= 4096 for part in parts)


def test_no_letter_has_more_entities_than_the_service_takes() -> None:
    assert max(len(part.entities) for part in letters("**a** `b` " * 600)) == 100


def test_a_tail_that_starts_inside_code_is_code() -> None:
    parts = letters("```\n" + "x = 1 < 2 * 3 * 4\n" * 10_000 + "```")
    assert {e["type"] for e in parts[-1].entities} == {"pre"}


FRAGMENTS = """**bold** ¦*it*¦_it_¦`code <x>`¦~~s~~¦word¦日本語¦😀¦é¦<b>¦</b>¦<!-- c -->¦&lt;¦$x$¦\\*¦\\¦~¦__init__
¦***¦*¦_¦`¦\n\n¦# ¦- ¦1. ¦10) ¦> ¦|¦||¦| a | b |\n|---|---|\n| c | d |\n¦```py\ncode $x \\$\n```\n¦```\n¦    ind\n¦\t
¦\r\n¦===\n¦---\n¦[t](http://a.b/c_d)¦[t](rel)¦![i](http://x)¦[r]: http://q\n¦[r]¦http://x.y/a_b*c¦<http://q.w>
¦- [x] a\n¦ ¦5¦[¦]¦(¦)¦!¦\u200d¦\u0301"""
PIECES = st.sampled_from(FRAGMENTS.split("¦"))


def with_labels(letter: Letter) -> str:
    """The text and what its entities hold."""
    return letter.text + "".join(str(e.get("url", "")) + str(e.get("language", "")) for e in letter.entities)


def told(text: str) -> Counter[str]:
    return Counter(c for c in text if c.isalpha())


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_mixture_of_markup_loses_text_or_is_refused(markdown: str) -> None:
    parts = letters(markdown)
    assert not [wrong for part in parts if (wrong := wrong_with(part))]
    shown = "".join(map(with_labels, parts))
    source = markdown.replace("- [x]", "-")
    assert not told(source) - told(shown)


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec=None), max_size=300))
def test_any_text_makes_acceptable_letters(text: str) -> None:
    for make in (letters, plain):
        parts = make(text)
        assert not [wrong for part in parts if (wrong := wrong_with(part))]
    kept = [c for c in "".join(p.text for p in plain(text)) if c.isalnum()]
    assert kept == [c for c in text if c.isalnum()]
