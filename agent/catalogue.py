"""What was built in or dropped in: one file a tool, guard, probe or channel, found by a scan of its folder."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from agent.errors import ConfigError
from agent.ports import Guard, Probe, Tool

if TYPE_CHECKING:
    from agent.settings import Settings

TOOLS, GUARDS, PROBES, CHANNELS = "agent.tools", "agent.guards", "agent.probes", "bot.channels"
EVERYWHERE = frozenset({"budget"})  # guards that sit on every panel, `none` included
LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # the rule of OpenAI's function names


def files_of(package: str) -> tuple[str, ...]:
    """The names of the plug-ins in a package, in order, without importing them. Files that begin with _ are parts."""
    spec = find_spec(package)
    folders = [Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]
    found = {file.stem for folder in folders for file in folder.glob("*.py") if not file.stem.startswith("_")}
    return tuple(sorted(found))


def tools(package: str = TOOLS) -> list[Tool]:
    """One of each tool, by name. Raises ConfigError naming the file that doesn't offer one."""
    return [cast(Tool, _made(_offered(package, name, "tool"), _tool_fault)) for name in files_of(package)]


def probes(package: str = PROBES) -> list[Probe]:
    """One of each probe, by name. Raises ConfigError naming the file that doesn't offer one."""
    return [cast(Probe, _made(_offered(package, name, "probe"), _probe_fault)) for name in files_of(package)]


def guards(settings: Settings, package: str = GUARDS) -> list[Guard]:
    """The guards of the chosen panel, by name. Raises ConfigError.

    `ours` are those of the package, `seed` those of its sub-package of that name; whoever is declared strict always
    sits, and the budget on every panel, unless it is switched off.
    """
    panel = settings.guards.panel
    offered = _guards_of(package, settings)
    seated = [g for g in offered if g.strict or ((panel == "ours" or g.name in EVERYWHERE) and _is_on(g, settings))]
    if panel == "seed":
        seated += [g for g in _guards_of(f"{package}.{panel}", settings) if g.strict or _is_on(g, settings)]
    return sorted(seated, key=lambda g: g.name)


def _guards_of(package: str, settings: Settings) -> list[Guard]:
    return [cast(Guard, _made(_offered(package, n, "guard"), _guard_fault, settings)) for n in files_of(package)]


def _is_on(guard: Guard, settings: Settings) -> bool:
    return settings.guards.enabled(guard.name)


def channels() -> tuple[str, ...]:
    """The names of the channels there are."""
    return files_of(CHANNELS)


def channel(name: str, package: str = CHANNELS) -> Any:
    """What the file of this channel offers as `channel`; imported only now. Raises ConfigError."""
    if name not in (known := files_of(package)):
        raise ConfigError(f"There is no channel {name!r}; there are {', '.join(known)}.")
    return _offered(package, name, "channel").thing


@dataclasses.dataclass(frozen=True, slots=True)
class _Offer:
    """What one file offers, and the file's name for a message."""

    file: str
    thing: Any


def _offered(package: str, name: str, kind: str) -> _Offer:
    file = f"{package.replace('.', '/')}/{name}.py"
    try:
        module = importlib.import_module(f"{package}.{name}")
    except Exception as error:  # whatever a dropped-in file does while it is imported, the message names it
        raise _broken(file, f"can't be loaded ({type(error).__name__}: {error})") from error
    if not hasattr(module, kind):
        raise _broken(file, f"offers no `{kind}`{_instead(module)}")
    return _Offer(file, getattr(module, kind))


def _instead(module: ModuleType) -> str:
    others = [kind for kind in ("tool", "guard", "probe", "channel") if kind in vars(module)]
    return f", but a `{others[0]}`" if others else ""


def _made(offer: _Offer, fault: Callable[[Any], str], settings: Settings | None = None) -> Any:
    """The plug-in itself: an instance is taken as it is, a class is made, its fields set from the settings."""
    thing = offer.thing
    if inspect.isclass(thing):
        try:
            thing = thing(**_fields(thing, settings, Path(offer.file).stem))
        except Exception as error:
            raise _broken(offer.file, f"can't be made ({type(error).__name__}: {error})") from error
    why = fault(thing)
    if not why and thing.name != Path(offer.file).stem:
        why = f"is named {thing.name!r}; a plug-in is named like its file"
    if why:
        raise _broken(offer.file, why)
    return thing


def _fields(cls: type, settings: Settings | None, name: str) -> dict[str, object]:
    """A guard's field is set by [guards.<name>] where that has it, else by [run] where that has it."""
    if settings is None or not dataclasses.is_dataclass(cls):
        return {}
    own = getattr(settings.guards, name, None)
    fields = [f.name for f in dataclasses.fields(cls) if f.init and not f.name.startswith("_")]
    return {f: getattr(place, f) for place in (settings.run, own) for f in fields if hasattr(place, f)}


def _tool_fault(tool: Any) -> str:
    from pydantic import BaseModel

    arguments: Any = getattr(tool, "arguments", None)
    faults = {
        "has no legal `name` (letters, digits, _ and -)": _is_named(tool),
        "has an `effect` that is neither read nor write": getattr(tool, "effect", None) in ("read", "write"),
        "has no `description`": bool(str(getattr(tool, "description", "")).strip()),
        "has no pydantic model as `arguments`": inspect.isclass(arguments) and issubclass(arguments, BaseModel),
        "has no async `run`": inspect.iscoroutinefunction(getattr(tool, "run", None)),
    }
    return next((why for why, fine in faults.items() if not fine), "")


def _guard_fault(guard: Any) -> str:
    faults = {
        "has no legal `name` (letters, digits, _ and -)": _is_named(guard),
        "doesn't say whether it is `strict`": isinstance(getattr(guard, "strict", None), bool),
        "has no `observe`": _is_plain(getattr(guard, "observe", None)),
    }
    return next((why for why, fine in faults.items() if not fine), "")


def _probe_fault(probe: Any) -> str:
    faults = {
        "has no legal `name` (letters, digits, _ and -)": _is_named(probe),
        "has no `timeout_s`": isinstance(getattr(probe, "timeout_s", None), int | float),
        "has no async `look`": inspect.iscoroutinefunction(getattr(probe, "look", None)),
    }
    return next((why for why, fine in faults.items() if not fine), "")


def _is_named(thing: Any) -> bool:
    return LEGAL.fullmatch(str(getattr(thing, "name", ""))) is not None


def _is_plain(observe: Any) -> bool:
    return callable(observe) and not inspect.iscoroutinefunction(observe)


def _broken(file: str, why: str) -> ConfigError:
    return ConfigError(f"{file} {why}. Mend the file or take it out of the folder.")
