"""What `jarvis list` prints: everything that the plug-in folders offer."""

from __future__ import annotations

from agent.catalogue import channels, guards, probes, tools
from agent.settings import Settings
from agent.tool import spec


def listing(settings: Settings) -> str:
    """One line a thing, with its size where the model pays for it."""
    lines = ["tools"]
    total = 0
    for tool in tools():
        offered = spec(tool)
        size = len(offered.name) + len(offered.description) + len(offered.parameters)
        total += size
        lines.append(f"  {tool.name:<14} {tool.effect:<6} {size:>5} bytes  {_first_line(tool.description)}")
    lines.append(f"  {'':<14} {'':<6} {total:>5} bytes in all")
    lines += ["guards", *[f"  {g.name:<14} {_first_line(type(g).__doc__ or '')}" for g in guards(settings)]]
    lines += ["probes", *([f"  {p.name:<14} {p.timeout_s:g} s" for p in probes()] or ["  none"])]
    lines += ["channels", *[f"  {name}" for name in channels()]]
    return "\n".join(lines)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:70]
