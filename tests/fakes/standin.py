"""The smallest bot that answers by the model with a shell: proves the fakes and the lab before and without Jarvis."""

from __future__ import annotations

import asyncio
import json
import os
import warnings
from typing import Any

from openai import AsyncOpenAI
from telegram import Bot, Update
from telegram.warnings import PTBUserWarning

TOOL: Any = {
    "type": "function",
    "function": {"name": "shell", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}},
}


async def serve(bot: Bot, model: AsyncOpenAI, update: Update) -> None:
    """Run one message to its answer."""
    assert update.message
    history: list[Any] = [{"role": "user", "content": update.message.text}]
    while True:
        name = os.environ["JARVIS_MODEL__NAME"]
        reply = await model.chat.completions.create(model=name, messages=history, tools=[TOOL])
        said: Any = reply.choices[0].message
        history.append(said.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
        if not said.tool_calls:
            await bot.send_message(update.message.chat_id, said.content)
            return
        for call in said.tool_calls:
            command = json.loads(call.function.arguments)["command"]
            shell = await asyncio.create_subprocess_shell(command, stdout=asyncio.subprocess.PIPE)
            out = (await shell.communicate())[0].decode()
            history.append({"role": "tool", "tool_call_id": call.id, "content": out})


async def main() -> None:
    warnings.simplefilter("ignore", PTBUserWarning)
    root = os.environ["JARVIS_TELEGRAM__API_URL"]
    bot = Bot(os.environ["JARVIS_TELEGRAM__TOKEN"], base_url=f"{root}/bot")
    model = AsyncOpenAI(
        base_url=os.environ["JARVIS_MODEL__BASE_URL"], api_key=os.environ["JARVIS_MODEL__API_KEY"], max_retries=0
    )
    offset, runs = 0, set()
    async with bot:
        while True:
            arguments = {"offset": offset, "timeout": 30}
            for raw in await bot.do_api_request("getUpdates", arguments, read_timeout=40):
                offset = raw["update_id"] + 1
                runs.add(asyncio.create_task(serve(bot, model, Update.de_json(raw, bot))))


if __name__ == "__main__":
    asyncio.run(main())
