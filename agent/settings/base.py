"""The environment that we were started in, for what commands may inherit of it."""

from __future__ import annotations

import os


def base_environment() -> dict[str, str]:
    """A copy of the process's environment as it is now: read it after the secrets were scrubbed."""
    return dict(os.environ)
