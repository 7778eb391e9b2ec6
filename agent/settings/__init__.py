"""Settings: read once, typed, at the root. The only place that reads the environment."""

from agent.settings.base import base_environment
from agent.settings.home import prepare_home
from agent.settings.load import Loaded, load
from agent.settings.needs import missing, nothing_set, secrets
from agent.settings.scrub import scrub_environment
from agent.settings.show import render
from agent.settings.tree import Settings

__all__ = [
    "Loaded",
    "Settings",
    "base_environment",
    "load",
    "missing",
    "nothing_set",
    "prepare_home",
    "render",
    "scrub_environment",
    "secrets",
]
