"""What files held before a run changed them, and the way back: the store behind /undo."""

from agent.undo.plan import UndoPlan, UndoReport
from agent.undo.states import Limits
from agent.undo.store import UndoStore

__all__ = ["Limits", "UndoPlan", "UndoReport", "UndoStore"]
