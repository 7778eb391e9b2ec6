"""A custom tool at work: its command in the shell's runner, its arguments as environment and as JSON on stdin."""

from __future__ import annotations

import json
import shlex
from typing import Any

from pydantic import BaseModel

from agent.errors import ToolError
from agent.fitting import fitted
from agent.ports import CallContext, Command, Result
from agent.recipe import Recipe, variable
from agent.steps import ToolSpec
from agent.tool import Arguments, BadArguments
from agent.tools._ran import brief, told
from agent.tools._undoable import undoable_command
from agent.toolschema import sendable

JSON = "ARGS_JSON"
LONGEST = 60_000  # bytes of all arguments: with the command they are one packet to the host
# The shell reads its arguments from stdin as any program does; nothing of them is ever put into its text.
FEED = f'exec <<<"${JSON}"; '


class CustomTool:
    """A saved recipe as a tool. Its calls are judged and run as the shell commands that they come to."""

    effect = "write"
    arguments: type[BaseModel] = Arguments

    def __init__(self, recipe: Recipe) -> None:
        self.name, self.description = recipe.name, recipe.description
        self._schema = recipe.parameters
        self._text = recipe.text
        self._spec = ToolSpec(recipe.name, recipe.description, sendable(recipe.parameters))

    def spec(self) -> ToolSpec:
        return self._spec

    def parse(self, arguments: str) -> dict[str, Any] | BadArguments:
        return fitted(self.name, self._schema, arguments)

    def command(self, args: dict[str, Any]) -> str:
        """For the policy: the arguments as assignments, and that stdin isn't known."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in variables(args)]
        return "\n".join([f"# {self.name}", *assignments, f'printf %s "${JSON}" | {{', self._text, "}"])

    async def run(self, call: CallContext, args: dict[str, Any]) -> Result:
        """Raises ToolError for arguments that no command can have, or where the command can't be started."""
        whole = json.dumps(args, ensure_ascii=False)
        given = variables(args)
        if any("\0" in value for _, value in given):
            raise ToolError("An argument holds a NUL character, which no command can have: nothing was run.")
        if (size := len(whole.encode())) > LONGEST:
            raise ToolError(
                f"The arguments have {size:,} bytes, of at most {LONGEST:,}: nothing was run. Write what is long to a "
                "file and pass its path."
            )
        command = Command(
            text=FEED + self._text,
            cwd=call.cwd,
            workspace=call.workspace,
            timeout_s=call.timeout_s,
            owner=call.session,
            id=call.call_id,
            box=call.box,
            network=call.network,
            run=call.run,
            variables=((JSON, whole), *given),
        )
        async with undoable_command(call) as doubt:
            ran = await call.host.run(command)
        return Result(
            text=told(ran, call.timeout_s),
            details=f"{brief(ran)} · {ran.duration:.1f} s" + (f" · {doubt}" if doubt else ""),
            outcome=ran.outcome,
            exit_code=ran.exit_code,
            duration=ran.duration,
            stdout=ran.stdout,
            stderr=ran.stderr,
            files=ran.files,
        )


def variables(args: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """ARG_name and its value: text as it is, anything else as JSON."""
    return tuple(
        (variable(name), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in args.items()
    )
