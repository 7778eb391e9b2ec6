"""The backtest: panels of guards are shown recorded runs of other agents, and how often they spoke is counted."""

from agent.backtest.panels import NAMES, chosen, seated
from agent.backtest.report import as_json, table
from agent.backtest.rows import Row, measure

__all__ = ["NAMES", "Row", "as_json", "chosen", "measure", "seated", "table"]
