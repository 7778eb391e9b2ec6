"""Settings read from given variables and a config.toml in a home of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from agent.settings import Loaded, load

Reader = Callable[..., Loaded]


def reader(folder: Path) -> Reader:
    """A function (variables, text of config.toml) -> Loaded, with `folder` as the user's home."""

    def read(environ: Mapping[str, str] | None = None, toml: str = "") -> Loaded:
        home = folder / ".jarvis"
        home.mkdir(exist_ok=True)
        if toml:
            (home / "config.toml").write_text(toml)
            (home / "config.toml").chmod(0o600)
        return load({"HOME": str(folder), **(environ or {})})

    return read
