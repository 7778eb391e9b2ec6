"""The core of Jarvis: everything that isn't chat. What the chat side may use is named here."""

from agent import causes, steps
from agent.edges import Place as Start
from agent.errors import DuplicateRef, JarvisError, StoreBroken, StoreBusy, StoreError, TokenRefused
from agent.hub import Hub
from agent.lineage import parent_of
from agent.plan import Plan
from agent.ports import Clock, Delta, Job
from agent.tables import Inbound, Outgoing, Person, Ref, Spent, Store, Switch

__all__ = [
    "Clock",
    "Delta",
    "DuplicateRef",
    "Hub",
    "Inbound",
    "JarvisError",
    "Job",
    "Outgoing",
    "Person",
    "Plan",
    "Ref",
    "Spent",
    "Start",
    "Store",
    "StoreBroken",
    "StoreBusy",
    "StoreError",
    "Switch",
    "TokenRefused",
    "causes",
    "parent_of",
    "steps",
]
