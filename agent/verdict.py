"""The events by which the gate's verdict on a claim of completion is known to the rest of the program. Pure."""

from __future__ import annotations

PASSED = "gate.passed"  # checked after the last change, and clean
REFUSED = "gate.refused"  # the claim went back with the evidence
UNCHECKED = "gate.unchecked"  # nothing speaks against it, and something could not be checked
