"""The host: commands in bash on this machine, with whole trees ended, output bounded and changes noticed."""

from agent.host.local import LocalHost
from agent.host.statdiff import Bounds

__all__ = ["Bounds", "LocalHost"]
