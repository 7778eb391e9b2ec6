"""The core of Jarvis: everything that isn't chat. What the chat side may use is named here."""

from agent.errors import (
    AlreadyRunning,
    ConfigError,
    JarvisError,
    StoreBusy,
    StoreError,
    TokenRefused,
)
from agent.ports import Clock, Inbound, Outgoing, Store

__all__ = [
    "AlreadyRunning",
    "Clock",
    "ConfigError",
    "Inbound",
    "JarvisError",
    "Outgoing",
    "Store",
    "StoreBusy",
    "StoreError",
    "TokenRefused",
]
