"""The screens of the README: what the real process shows is what the golden files say, and the pictures are of it."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from tests.screens.page import WIDTH, marked, page
from tests.screens.recorded import Bubble, Mark, moved, written
from tests.screens.scenes import SCENES, Scene

ROOT = Path(__file__).resolve().parent.parent
SCREENS = ROOT / "tests" / "screens"
COLUMNS = 36  # of a block, before a phone folds its lines


@pytest.mark.e2e
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_a_scene_shows_what_its_golden_file_says(scene: Scene, tmp_path: Path) -> None:
    shown = await scene.shown(tmp_path)
    assert written(shown) == (SCREENS / f"{scene.name}.txt").read_text("utf-8"), "`make screens` writes them anew"
    for bubble in shown:
        for mark in bubble.marks:
            block = bubble.text.encode("utf-16-le")[2 * mark.offset : 2 * (mark.offset + mark.length)]
            assert mark.kind != "pre" or max(map(len, block.decode("utf-16-le").splitlines())) <= COLUMNS


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_the_readme_shows_each_picture_at_phone_width(scene: Scene) -> None:
    data = (SCREENS / f"{scene.name}.png").read_bytes()
    wide, tall = struct.unpack(">II", data[16:24])
    assert data.startswith(b"\x89PNG") and wide == 2 * WIDTH and tall > 200
    assert f'src="tests/screens/{scene.name}.png"' in (ROOT / "README.md").read_text("utf-8")


def test_no_golden_file_names_a_folder_of_the_bench() -> None:
    for file in SCREENS.glob("*.txt"):
        assert not re.search(r"/tmp|screen\w{8}|\[\[script", file.read_text("utf-8")), file.name


@pytest.mark.parametrize(
    ("text", "marks", "shows"),
    [
        ("a <b> & c", (), "a &lt;b&gt; &amp; c"),
        ("ab", (Mark("bold", 0, 1),), "<b>a</b>b"),
        ("😀ab", (Mark("code", 2, 1),), "😀<code>a</code>b"),  # two units before it
        ("abc", (Mark("bold", 0, 3), Mark("italic", 1, 1)), "<b>a<i>b</i>c</b>"),
        ("x\ny", (Mark("pre", 0, 1),), "<pre>x</pre>y"),  # a block ends its line by itself
        ("ab", (Mark("unheard_of", 0, 1),), "ab"),
    ],
)
def test_entities_become_tags(text: str, marks: tuple[Mark, ...], shows: str) -> None:
    assert marked(text, marks) == shows


def test_the_page_holds_bubbles_buttons_and_files_and_nothing_of_the_network() -> None:
    html = page([Bubble(True, "hi"), Bubble(False, "<ok>", buttons=(("Run", "Deny"),), file="a.txt")])
    assert 'class="row mine"' in html and "<span>Run</span><span>Deny</span>" in html
    assert "&lt;ok&gt;" in html and "a.txt" in html and "http" not in html


def test_a_moved_folder_moves_the_marks_behind_it_and_grows_those_around_it() -> None:
    marks = (Mark("bold", 0, 1), Mark("code", 2, 4), Mark("pre", 7, 1))
    assert moved(Bubble(False, "a /tmp b", marks), "/tmp", "/home/x") == Bubble(
        False, "a /home/x b", (Mark("bold", 0, 1), Mark("code", 2, 7), Mark("pre", 10, 1))
    )
