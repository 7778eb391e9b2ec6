"""An MCP server over stdio that behaves as told: `python mcp_server.py MANNER [FILE]`. The standard library alone.

Every call of its tool `echo` is a line in FILE; `spawn` leaves a child behind that ignores TERM and its session.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

ECHO = {
    "name": "echo",
    "description": "Says it back.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "annotations": {"readOnlyHint": True},
}


def tool(name: object, schema: object, **more: object) -> dict[str, object]:
    return {"name": name, "inputSchema": schema, **more}


BAD = [
    tool("no_schema", None),
    tool("text_schema", "{}"),
    tool("", {"type": "object"}),
    tool(7, {"type": "object"}),
    None,
    "echo",
    tool("deep", {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}),
    tool("top_choice", {"anyOf": [{"type": "object"}]}),
    tool("odd_property", {"type": "object", "properties": {"a b": {"type": "string"}}}),
    tool("large", {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(3000)}}),
    tool("odd_description", {"type": "object"}, description=["x"]),
]
LOOSE = {
    "type": "object",
    "properties": {
        "any": {},
        "rows": {"type": "array"},
        "how": {"properties": {"x": {"type": "integer"}}},
        "n": {"items": {"type": "string"}},
    },
    "required": ["any", "gone"],
}


def tools(manner: str) -> list[Any]:
    match manner:
        case "bad":
            return [*BAD[:6], ECHO, *BAD[6:], tool("loose", LOOSE), tool("Ünïcode näme!", {"type": "object"})]
        case "many":
            return [{**ECHO, "name": f"t{n}"} for n in range(10_000)]
        case "twins":
            return [{**ECHO, "name": name} for name in ("a.b", "a/b", "a b", "x" * 80, "x" * 81)]
        case _:
            names = ("echo", "spawn", "write", "big", "image", "env", "slow")
            return [{**ECHO, "name": name, "annotations": {"readOnlyHint": name != "write"}} for name in names]


def called(manner: str, name: str, text: str) -> dict[str, Any]:
    misbehave(manner)
    content: list[dict[str, Any]] = [{"type": "text", "text": f"{name}: {text}"}]
    match name:
        case "slow":
            time.sleep(1.0)
        case "spawn":
            nap = f"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep({text})"
            subprocess.Popen([sys.executable, "-c", nap], start_new_session=True)
        case "big":
            content = [{"type": "text", "text": "x" * 2_000_000}]
        case "image":
            content = [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]
        case "env":
            content = [{"type": "text", "text": os.environ.get(text, "unset")}]
    return {"content": "no list" if manner == "wrong answer" else content, "isError": name == "write"}


def misbehave(manner: str) -> None:
    match manner:
        case "die on call":
            os.write(2, b"gone for good\n")
            os._exit(7)
        case "hang on call":
            time.sleep(1e6)
        case "flood on call":
            while True:
                say({"method": "notifications/message", "params": {"level": "info", "data": "x" * 1000}})


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(manner: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            version = params["protocolVersion"]
            capabilities = {"tools": {"listChanged": True}}
            return {
                "result": {
                    "protocolVersion": version,
                    "capabilities": capabilities,
                    "serverInfo": {"name": "fake", "version": "1"},
                }
            }
        case "tools/list":
            return {"result": {"tools": tools(manner), **({"nextCursor": "more"} if manner == "endless" else {})}}
        case "tools/call":
            arguments = params.get("arguments") or {}
            if len(sys.argv) > 2:
                with open(sys.argv[2], "a") as file:
                    file.write(f"{params['name']} {json.dumps(arguments)}\n")
            return {"result": called(manner, params["name"], str(arguments.get("text", "")))}
        case _:
            return {"error": {"code": -32601, "message": "no such method"}}


def before(manner: str) -> None:
    match manner:
        case "die":
            os.write(2, b"Traceback\nImportError: no module named nothing\n")
            sys.exit(3)
        case "hang":
            time.sleep(1e6)
        case "late":
            time.sleep(7)
        case "junk":
            while True:
                os.write(1, b"a banner that is no message\n")
        case "line":
            while True:
                sys.stdout.write("x" * 65_536)
        case "greeting":
            os.write(1, b"Server ready!\n")


def main() -> None:
    manner = sys.argv[1] if len(sys.argv) > 1 else ""
    before(manner)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            say({"id": message["id"], **answer(manner, message["method"], message.get("params") or {})})


if __name__ == "__main__":
    main()
