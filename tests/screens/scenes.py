"""The five scenes: what a person and a scripted model do on the real process until the screen is worth a picture."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.lab import Lab
from tests.fakes.model import Step, sh, use, write_file
from tests.fakes.telegram import OWNER
from tests.screens.recorded import Bubble, bubbles, moved

FULL = {"JARVIS_RUN__MODE": "full"}
BOXED = {"JARVIS_RUN__MODE": "sandbox"}
FOLDER = "/home/ann/jarvis-workspace"
LOOP = 60  # calls after which a model that is not stopped gives up by itself
TABLE = """The disk is full because of the build cache. Nothing was deleted.

| folder | size | last used |
|---|---:|---|
| build-cache | 61 GB | 40 days ago |
| logs | 18 GB | today |
| photos | 4.1 GB | yesterday |
| backup | 2.9 GB | today |

## What I would do

1. Remove **build-cache**: everything in it is made again by the next build.
2. Rotate the logs daily and keep *seven days*:

```
logrotate -f logrotate.conf
du -sh logs
```

That frees about 75 GB, so that the disk is at 22 %. Say "do it" and I run both; `/undo` takes it back."""


@dataclass(frozen=True, slots=True)
class Scene:
    """`play` returns when the screen shows what `title` says."""

    name: str
    title: str
    play: Callable[[Lab], Awaitable[None]]
    env: Mapping[str, str] = field(default_factory=lambda: FULL)

    async def shown(self, work: Path) -> list[Bubble]:
        """Play it with a bench of its own in `work`; what the phone then shows."""
        async with Lab(work, env=self.env) as lab:
            await lab.start()
            await self.play(lab)
            shown = bubbles(lab.telegram.chats.messages[OWNER].values())
            return [moved(each, str(lab.workspace), FOLDER) for each in shown]


def _say(lab: Lab, text: str, *replies: Step) -> None:
    lab.model.next(*replies)  # by turn, not by a script's tag: the tag would be on the picture
    lab.telegram.people.say(text)


def _items(done: int) -> list[dict[str, str]]:
    texts = ("Look at what fails", "Mend it", "Run all the tests")
    return [{"text": text, "status": "done" if at < done else "pending"} for at, text in enumerate(texts)]


async def _run(lab: Lab) -> None:
    test = "from totals import total\n\nassert total([1, 2]) == 3, 'the total of 1 and 2 is not 3'\n"
    (lab.workspace / "test_totals.py").write_text(test)
    (lab.workspace / "slow_tests.py").write_text("import time\ntime.sleep(20)\n")
    (lab.workspace / "totals.py").write_text("def total(numbers):\n    return 0\n")
    _say(
        lab,
        "The nightly build is red. Find out why and fix it, please",
        use("plan", {"items": _items(done=0)}),
        sh("python3 test_totals.py"),
        use("read_file", {"path": "totals.py"}),
        use("plan", {"items": _items(done=1)}),
        write_file("totals.py", "def total(numbers):\n    return sum(numbers)\n"),
        sh("python3 test_totals.py"),
        use("plan", {"items": _items(done=2)}),
        sh("python3 slow_tests.py"),
    )
    await lab.wait_text("… python3 slow_tests.py")


async def _nudge(lab: Lab) -> None:
    ask = sh("grep -rn 'nightly' deploy.conf")
    _say(lab, "Why did the nightly deploy not run?", *[ask] * 3, sh("sleep 20"))
    await lab.wait_text("Told the model")
    await lab.wait_text("… sleep 20")


async def _checkpoint(lab: Lab) -> None:
    ask = sh("cat /etc/systemd/system/backup.timer")
    _say(lab, "Start the backup timer and show me that it runs", *[ask] * LOOP)
    await lab.wait_button("Continue", timeout=60)
    await lab.telegram.bell.until(lambda: not any(each.text == "Pause" for each in lab.buttons()) or None, 10)


async def _approval(lab: Lab) -> None:
    _say(lab, "Install htop so that I can see what is busy", sh("apt-get install -y htop"))
    await lab.wait_button("Deny")


async def _answer(lab: Lab) -> None:
    _say(lab, "Why is the disk full?", sh("du -sh * | sort -h | tail -5"), TABLE)
    await lab.wait_text("takes it back")


SCENES = (
    Scene("run", "A run at work: one message that is edited", _run),
    Scene("nudge", "A model that repeats itself is told so", _nudge),
    Scene("checkpoint", "Stopped with a checkpoint and a question", _checkpoint),
    Scene("approval", "What leaves the box waits for a tap", _approval, BOXED),
    Scene("answer", "An answer with a table, a list and a block", _answer),
)


async def played(scene: Scene) -> list[Bubble]:
    """The scene in a throw-away folder."""
    with tempfile.TemporaryDirectory(prefix="screen") as folder:
        return await scene.shown(Path(folder))
