"""The real process: a file, a photo and a recording from chat to the model, a long answer back as a file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fakes.lab import Lab
from tests.fakes.telegram import OWNER

JPEG = b"\xff\xd8\xff\xe0" + bytes(2000)


async def test_a_photo_lies_in_the_inbox_and_a_model_that_sees_is_shown_it(tmp_path: Path) -> None:
    async with Lab(tmp_path, env={"JARVIS_MODEL__VISION": "true"}) as lab:
        await lab.start()
        tag = lab.model.script("photo", ["A black square."])
        people, chats = lab.telegram.people, lab.telegram.chats
        photo = [{**chats.add_file(JPEG, "p.jpg").reference(), "width": side, "height": side} for side in (90, 320)]
        people._updates.put(
            people._updates.make("message", people.message({"photo": photo, "caption": f"what is it {tag}"}))
        )
        await lab.wait_text("A black square.")
        (saved,) = (lab.workspace / "inbox").iterdir()
        assert saved.read_bytes() == JPEG
        text, image = lab.model.requests[-1].body["messages"][-1]["content"]
        assert str(saved) in text["text"]
        assert image["image_url"]["url"].startswith("data:image/jpeg;base64,/9j/4A")


async def test_a_document_under_a_hostile_name_and_a_long_answer_as_a_file(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        await lab.start()
        whole = "\n".join(f"{number:05d} lorem ipsum dolor" for number in range(3000)) + "\nTHE-END"
        tag = lab.model.script("doc", [whole])
        lab.telegram.people.upload(b"canary", "../../.ssh/authorized_keys", caption=f"read {tag}")
        await lab.wait_text("THE-END")
        assert [path.name for path in (lab.workspace / "inbox").iterdir()] == ["authorized_keys"]
        assert not [path for path in tmp_path.rglob("authorized_keys") if ".ssh" in str(path)]
        shown = lab.telegram.chats.screen(OWNER)
        (sent,) = [message["document"] for message in shown if "document" in message]
        assert lab.telegram.chats.files[sent["file_id"]].data.decode() == whole
        assert "00000 lorem" in json.dumps(shown) and sent["file_name"] == "answer.md"
