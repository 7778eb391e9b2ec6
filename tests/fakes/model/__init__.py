"""A strict, scripted OpenAI-compatible model server for tests."""

from tests.fakes.model.server import KEY, MODEL, FakeModel, ModelRequest, unstable
from tests.fakes.model.steps import DONE, End, Http, Say, Script, Sse, Step, Use, call_chunk, chunk, sh, use, write_file
from tests.fakes.model.turn import Turn

__all__ = [
    "DONE",
    "KEY",
    "MODEL",
    "End",
    "FakeModel",
    "Http",
    "ModelRequest",
    "Say",
    "Script",
    "Sse",
    "Step",
    "Turn",
    "Use",
    "call_chunk",
    "chunk",
    "sh",
    "unstable",
    "use",
    "write_file",
]
