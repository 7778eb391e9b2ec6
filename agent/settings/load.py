"""Read the settings once: environment over config.toml over default, with where each came from."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from agent.catalogue import files_of
from agent.errors import ConfigError
from agent.prices import Prices
from agent.settings.junk import sort_out, without
from agent.settings.layers import Layer, Values, from_environment, from_file, from_others
from agent.settings.names import PATHS, env_name, leaves, nearest
from agent.settings.tree import Settings


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings; for each dotted name its source (env, env OTHER_NAME, config.toml, default); what to tell once."""

    settings: Settings
    sources: Mapping[str, str]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """One layer's name and values."""

    name: str
    values: Values


def load(environ: Mapping[str, str] | None = None) -> Loaded:
    """Read them from `environ` (the process's environment by default) and from config.toml in JARVIS_HOME.

    Junk in a limit or threshold gives its default and a warning. Raises ConfigError for junk in anything that guards
    access, and for a config.toml that can't be read.
    """
    environ = os.environ if environ is None else environ
    known = _known()
    user = Path(environ.get("HOME") or pwd.getpwuid(os.geteuid()).pw_dir)
    ours = _expanded(from_environment(environ), user)
    home = Path(str(ours.get("home", user / ".jarvis")))
    file, warnings = from_file(home / "config.toml", known)
    others, variables = from_others(environ)
    unknown = [*_unknown(ours, known, ""), *_unknown(file, known, "in config.toml: ")]
    places = [
        _Place("env", {k: v for k, v in ours.items() if k in known}),
        _Place("config.toml", _expanded({k: v for k, v in file.items() if k in known and k != "home"}, user)),
        _Place("env", others),
        _Place("default", {"home": home, "run.workspace": user / "jarvis-workspace"}),
    ]
    settings, junk = _tolerant(places)
    _check_together(settings)
    sources = {name: _source(name, places, junk, variables) for name in (*leaves(Settings), *_extra(places))}
    return Loaded(settings, sources, (*warnings, *unknown, *junk.values(), *_unpriced(settings)))


def _known() -> frozenset[str]:
    plugins = (f"guards.{name}.enabled" for name in files_of("agent.guards"))
    return frozenset([*leaves(Settings), *plugins])


def _unknown(values: Values, known: frozenset[str], where: str) -> list[str]:
    out = []
    for name in values:
        if name not in known:
            near = nearest(name, sorted(known))
            hint = f"did you mean {env_name(near)}?" if near else "`jarvis settings` lists those that are."
            out.append(f"{where}{env_name(name)} is not a setting and was ignored; {hint}")
    return out


def _expanded(values: Values, user: Path) -> Values:
    """~/ at the front of a path means the user's home."""
    out = dict(values)
    for name in PATHS & values.keys():
        text = str(values[name])
        if text == "~" or text.startswith("~/"):
            out[name] = str(user / text[2:])
    return out


def _tolerant(places: Sequence[_Place]) -> tuple[Settings, dict[str, str]]:
    """The settings, and the junk that was left out of them with a warning each."""
    junk: dict[str, str] = {}
    while True:
        try:
            return _bound([without(place.values, junk) for place in places])(), junk
        except ValidationError as error:
            given = {name for place in places for name in place.values}
            found = sort_out(error, given)
            if not found.keys() - junk.keys():
                raise ConfigError(f"The settings can't be used: {'; '.join(found.values())}") from None
            junk |= found


def _bound(layers: Sequence[Values]) -> Callable[[], Settings]:
    """The tree with these layers as its only sources, the first one strongest."""

    class Bound(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return tuple(Layer(settings_cls, values) for values in layers)

    return cast(Callable[[], Settings], Bound)  # its fields come from its sources


def _source(name: str, places: Sequence[_Place], junk: Mapping[str, str], variables: Mapping[str, str]) -> str:
    for index, place in enumerate(places):
        if name in without(place.values, junk):
            return f"env {variables[name]}" if index == 2 else place.name
    return "default"


def _extra(places: Sequence[_Place]) -> list[str]:
    tree = set(leaves(Settings))
    return sorted({name for place in places for name in place.values} - tree)


def _check_together(settings: Settings) -> None:
    """What no setting can say by itself. Raises ConfigError."""
    if settings.run.workspace.is_relative_to(settings.home):
        raise ConfigError(
            f"{env_name('run.workspace')} lies inside {env_name('home')}, which holds the bot's own state and is "
            "out of reach of its tools; choose a folder elsewhere."
        )


def _unpriced(settings: Settings) -> list[str]:
    """A budget in money for a model that nobody knows the price of: only providers that tell the cost count then."""
    model, limits = settings.model, settings.guards.budget.limits()
    set_in_money = [env_name(f"guards.budget.{name}") for name in limits if name.endswith("_money")]
    if not set_in_money or not model.name or Prices.parse(model.prices).knows(model.name):
        return []
    return [
        f"{set_in_money[0]} counts only what the provider itself says a reply cost: {env_name('model.prices')} has no "
        f"price for {model.name}."
    ]
