"""The events by which verdicts of guards are known to the rest of the program: the gate's on a claim of completion,
the review's, and the budget's. Pure."""

from __future__ import annotations

PASSED = "gate.passed"  # checked after the last change, and clean
CLEAR = "gate.clear"  # nothing speaks against it, and there was nothing to check
REFUSED = "gate.refused"  # the claim went back with the evidence
OVER_BUDGET = "budget.stop"  # the run ends at a limit
UNCHECKED = "gate.unchecked"  # nothing speaks against it, and something could not be checked
VOTED = "critic.vote"  # approve, request_changes or reject, with findings whose evidence was seen
FAILSOFT = "critic.failsoft"  # no vote came of the review; the gate's verdict stands
