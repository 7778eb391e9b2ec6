"""Mode sandbox on the real process: routine work runs unasked, what leaves the box waits for a person, undo works."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import Say, sh, use
from tests.fakes.telegram import OWNER

pytestmark = [pytest.mark.e2e, pytest.mark.lab(env={"JARVIS_RUN__MODE": "sandbox"})]
SANDBOX = {"JARVIS_RUN__MODE": "sandbox"}


@pytest.fixture
def outside() -> Iterator[Path]:
    """A file outside of workspace, home and the box's own /tmp."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    yield folder / "outside.txt"
    shutil.rmtree(folder)


async def asked(lab: Lab, chat: int = OWNER) -> str:
    """Wait for a question; its text."""
    await lab.wait_button("once", chat)
    return next(text for text in reversed(lab.screen(chat)) if "Needs your OK" in text)


async def test_a_routine_task_needs_no_approval(lab: Lab) -> None:
    await lab.start()
    code = "def add(a, b):\n    return a - b\n"
    test = "from calc import add\nassert add(2, 2) == 4, 'add is wrong'\nprint('green')\n"
    script = [
        use("write_file", {"path": "calc.py", "content": code}),
        use("write_file", {"path": "test_calc.py", "content": test}),
        sh("python3 -B test_calc.py"),
        use("edit_file", {"path": "calc.py", "old": "a - b", "new": "a + b"}),
        sh("python3 -B test_calc.py && ls -l && git --version"),
        "DONE1",
    ]
    sent = await lab.ask("fix the test", script, "DONE1", timeout=25)
    assert "green" in lab.results(sent)[-1]
    assert not any("Needs your OK" in text for text in lab.screen())


@pytest.mark.parametrize(
    "command",
    [
        "curl -s http://127.0.0.1:9/",
        "pip install requests",
        "apt-get install -y cowsay",
        "sudo id",
        "systemctl restart ssh",
        "echo x > /etc/jarvis-test",
        "git push origin main",
        "$(echo touch) x",
    ],
)
async def test_what_leaves_the_box_is_asked_for(lab: Lab, command: str) -> None:
    await lab.start()
    lab.send("go", [sh(command), "DONE2"])
    assert command in await asked(lab)
    lab.press(await lab.wait_button("Deny"))
    await lab.wait_text("DONE2")
    assert "denied" in lab.model.requests[-1].results[-1]


async def test_approved_once_it_runs_once_outside_of_the_box(lab: Lab, outside: Path) -> None:
    await lab.start()
    sent = lab.send("go", [sh(f"echo mark >> {outside}"), "DONE3"])
    assert str(outside) in await asked(lab)
    button = await lab.wait_button("once")
    lab.press(button)
    lab.press(button)
    await lab.wait_text("DONE3", after=sent.after)
    assert outside.read_text() == "mark\n"


async def test_our_own_home_is_not_there(lab: Lab) -> None:
    await lab.start()
    home = lab.home
    spellings = [
        f"cat {home}/jarvis.db | head -c 20",
        f"cd {home.parent} && ls home/*",
        f"python3 -c \"print(open('{home}/' + 'jarvis' + '.db', 'rb').read(15))\"",
        f"d={home}; cat $d/lock; find {home.parent} -name '*.db' -exec head -c 15 {{}} ;",
    ]
    for number, command in enumerate(spellings):
        done = f"OVER{number}."
        sent = lab.send("go", [sh(command), done])
        for _ in range(100):
            if lab.copies(done):
                break
            if asked_now := [each for each in lab.buttons() if "Deny" in each.text]:
                lab.press(asked_now[-1])
            await asyncio.sleep(0.1)
        assert lab.copies(done) == 1, f"never over: {command}"
        assert len(lab.requests(sent)) == 2, command
        assert "SQLite format" not in str(lab.requests(sent)[-1].body), command


@pytest.mark.parametrize("point", ["K10", "K11"])
async def test_a_crash_while_it_waits_or_right_after_the_press(tmp_path: Path, point: str, outside: Path) -> None:
    async with Lab(tmp_path, env={**SANDBOX, "JARVIS_FAILPOINT": f"{point}+0.3" if point == "K10" else point}) as lab:
        await lab.bot.launch()
        await lab.telegram.wait_poll(20, 0)
        lab.send("go", [sh(f"echo mark >> {outside}"), "DONE5"])
        if point == "K11":
            lab.press(await lab.wait_button("once"))
        assert await lab.bot.wait(15) == -9
        lab.bot.env.pop("JARVIS_FAILPOINT")
        await lab.start()
        if point == "K10":
            assert not outside.exists()
            lab.press(await lab.wait_button("once"))
        await lab.wait_text("DONE5", timeout=20)
        assert outside.read_text() == "mark\n"
        assert not lab.faults()


async def test_a_script_that_changed_after_it_was_shown_is_asked_for_again(lab: Lab, outside: Path) -> None:
    await lab.start()
    script = lab.workspace / "deploy.sh"
    script.write_text(f"echo first >> {outside}\n")
    lab.send("go", [sh(f"sudo -n true; bash deploy.sh; echo ran >> {outside}"), "DONE6"])
    await asked(lab)
    script.write_text(f"echo second >> {outside}\n")
    first = await lab.wait_button("once")
    lab.press(first)
    again = await lab.until(
        lambda: [b for b in lab.buttons() if "once" in b.text and b.data != first.data], "not asked"
    )
    assert not outside.exists()
    lab.press(again[0])
    await lab.wait_text("DONE6")
    assert "second" in outside.read_text()


async def test_undo_lists_then_restores_the_tree_byte_for_byte(lab: Lab) -> None:
    await lab.start()
    keep = lab.workspace / "keep.sh"
    keep.write_bytes(b"#!/bin/sh\necho \xff old\r\n")
    keep.chmod(0o755)
    (lab.workspace / "gone.txt").write_text("to be deleted")
    script = [
        use("write_file", {"path": "new.txt", "content": "new"}),
        use("edit_file", {"path": "gone.txt", "old": "deleted", "new": "changed"}),
        sh("printf x > keep.sh; chmod 600 keep.sh; rm gone.txt; mkdir -p a/b; echo 1 > a/b/c"),
        "DONE7",
    ]
    await lab.ask("change things", script, "DONE7")
    said = lab.send("/undo")
    await lab.wait_text("new.txt", after=said.after)
    lab.press(await lab.wait_button("Undo"))
    await lab.until(lambda: (lab.workspace / "gone.txt").exists(), "not restored")
    await lab.until(lambda: not (lab.workspace / "a").exists(), "made folders are still there")
    old = b"#!/bin/sh\necho \xff old\r\n"
    await lab.until(lambda: keep.read_bytes() == old, "keep.sh is not restored")
    assert keep.stat().st_mode & 0o777 == 0o755
    assert (lab.workspace / "gone.txt").read_text() == "to be deleted"
    assert not (lab.workspace / "new.txt").exists()


async def test_a_fork_bomb_and_a_memory_hog_end_and_the_bot_lives(lab: Lab) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    await lab.start()
    (lab.workspace / "bomb.sh").write_text("bomb() { bomb | bomb & }; bomb; sleep 2; echo over\n")
    bomb = use("shell", {"command": "bash bomb.sh", "timeout_s": 4})
    hog = use("shell", {"command": "python3 -c 'x = bytearray(3 << 30); print(len(x))'", "timeout_s": 10})
    await lab.ask("go", [bomb, hog, "DONE8"], "DONE8", timeout=40)
    assert "3221225472" not in str(lab.model.requests[-1].results[-1])


async def test_a_run_that_waits_is_told_in_status_and_ends_by_stop(lab: Lab) -> None:
    await lab.start()
    lab.send("go", [sh("sudo id"), Say("never")])
    await asked(lab)
    said = lab.send("/stop")
    await lab.wait_text("Stopped", after=said.after)
    await lab.until(lambda: not [b for b in lab.buttons() if "once" in b.text], "the buttons are still there")
