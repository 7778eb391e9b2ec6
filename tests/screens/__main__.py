"""`make screens`: play every scene, write its golden text and, where Chromium is, its picture."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.screens.page import WIDTH, page
from tests.screens.recorded import written
from tests.screens.scenes import SCENES, played

HERE = Path(__file__).parent
TALL = 2000  # CSS pixels of the window; the picture is cut to what the page needs
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def browser() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def shoot(program: str, document: str, to: Path, height: int) -> None:
    """One picture at twice the pixels. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="shot") as folder:
        source = Path(folder, "page.html")
        source.write_text(document, "utf-8")
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=2"]
        options += ["--disable-gpu", f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{height}"]
        command = [program, *options, f"--screenshot={to}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


def tall(program: str, document: str) -> int:
    """The height of the page in CSS pixels, as the browser lays it out. Raises CalledProcessError."""
    asks = "<script>document.title = Math.ceil(document.body.getBoundingClientRect().height)</script>"
    with tempfile.TemporaryDirectory(prefix="shot") as folder:
        source = Path(folder, "page.html")
        source.write_text(document + asks, "utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
        command = [program, *options, f"--window-size={WIDTH},{TALL}", "--dump-dom", source.as_uri()]
        dom = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    return int(dom.partition("<title>")[2].partition("</title>")[0])


async def main(names: list[str]) -> None:
    program = browser()
    for scene in SCENES:
        if names and scene.name not in names:
            continue
        shown = await played(scene)
        (HERE / f"{scene.name}.txt").write_text(written(shown), "utf-8")
        if program:
            document = page(shown)
            shoot(program, document, HERE / f"{scene.name}.png", tall(program, document))
        print(scene.name, "text and picture" if program else "text only: chromium is not installed")  # noqa: T201


asyncio.run(main(sys.argv[1:]))
