"""Which guards sit on the panels that can be compared. Settings are the defaults, whatever this machine's owner set."""

from __future__ import annotations

from agent import catalogue
from agent.errors import ConfigError
from agent.ports import Guard
from agent.settings import Settings, load

NAMES = ("ours", "seed", "none", "baseline")
BASELINE = "agent.guards.baseline"
HOME = "/nonexistent"  # no config.toml of a user's may change the figures
UNSTICKING = frozenset({"repeated", "streak", "loops", "stuck"})
"""Whose words are a nudge to get unstuck: those that judge that the run goes in circles. On every panel alike, what
only reminds of a failure that is still open (failure card, sticky line), tells a state (turns left, world) or judges a
claim of success counts as a rule of its own and not into the whole."""

ASKING = frozenset({"claims", "critic", "drift", "gate", "jobs", "world"})
"""They ask a disk, a job, a test run or a model before they speak, and a recording answers nothing: they would be
mute."""


def chosen(names: str) -> list[str]:
    """The panels of a comma-separated list, each once. Raises ConfigError for a name that there isn't."""
    wanted = list(dict.fromkeys(name.strip().lower() for name in names.split(",") if name.strip()))
    unknown = [name for name in wanted if name not in NAMES]
    if unknown or not wanted:
        what = f"There is no panel {unknown[0]!r}" if unknown else "No panel is named"
        raise ConfigError(f"{what}. Choose from {', '.join(NAMES)}, with commas between.")
    return wanted


def seated(name: str) -> list[Guard]:
    """New guards of that panel, but for those that say what may run (the strict ones) and those that ask the world."""
    if name == "baseline":
        return catalogue.guards(_settings("ours"), BASELINE)
    return [guard for guard in catalogue.guards(_settings(name)) if not (guard.strict or guard.name in ASKING)]


def nudges(panel: str, rule: str) -> bool:
    """Whether a word of this rule counts as a nudge; every peer's rule is one."""
    return panel == "baseline" or rule in UNSTICKING


def _settings(panel: str) -> Settings:
    environ = {"HOME": HOME, "JARVIS_GUARDS__PANEL": panel, "JARVIS_RUN__MODE": "full"}
    return load(environ).settings
