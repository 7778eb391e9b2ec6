"""Every error that Jarvis raises on purpose, in one tree.

JarvisError                 something we foresaw; str() is a sentence for a person
├── ConfigError             settings are missing or wrong            (exit code 2)
├── TokenRefused            the chat service refuses our token       (exit code 3)
├── AlreadyRunning          another process owns this home or token  (exit code 4)
├── StoreError              the store can't be read or written       (exit code 5)
│   ├── StoreBroken         damaged, or written by a newer version
│   ├── StoreBusy           locked by somebody else for too long; try again
│   └── Conflict            a foreign writer appended to our session
│       └── DuplicateRef    the same message is in the journal already
└── ToolError               a tool's refusal, worded for the model
"""

from __future__ import annotations


class JarvisError(Exception):
    """Base of all foreseen errors. `str(error)` says what happened and what to do next."""

    exit_code = 1


class ConfigError(JarvisError):
    """A setting is missing or can't be used."""

    exit_code = 2


class TokenRefused(JarvisError):
    """The chat service doesn't know our token (any more)."""

    exit_code = 3


class AlreadyRunning(JarvisError):
    """Another process holds the lock of this home or token."""

    exit_code = 4


class StoreError(JarvisError):
    """The store could not do what was asked."""

    exit_code = 5


class StoreBroken(StoreError):
    """The store is damaged or newer than this program; it was left as it is."""


class StoreBusy(StoreError):
    """The store stayed locked for longer than its timeout; nothing was written."""


class Conflict(StoreError):
    """Somebody else appended to the session since we read it; our steps were not written."""


class DuplicateRef(Conflict):
    """An Asked with this ref is in the journal already, maybe of another session: a message was delivered twice."""


class ToolError(JarvisError):
    """Raised by a tool and by nothing else. The text goes to the model as the call's result."""
