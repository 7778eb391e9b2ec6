"""The backtest: panels of guards are shown recorded runs of other agents, and how often they spoke is counted."""

from agent.backtest.measure import Row, measure
from agent.backtest.panels import NAMES, chosen
from agent.backtest.report import as_json, table

__all__ = ["NAMES", "Row", "as_json", "chosen", "measure", "table"]
