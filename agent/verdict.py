"""The events by which verdicts of guards are known to the rest of the program: the gate's on a claim of completion,
and the budget's. Pure."""

from __future__ import annotations

PASSED = "gate.passed"  # checked after the last change, and clean
REFUSED = "gate.refused"  # the claim went back with the evidence
OVER_BUDGET = "budget.stop"  # the run ends at a limit
UNCHECKED = "gate.unchecked"  # nothing speaks against it, and something could not be checked
