"""What to do after a model attempt failed: wait, park or give up. Pure.

Before a model is asked again: 0.5 s, doubling. A refusal that names its own time is waited for in the open up to half a
minute; whatever takes longer is a park, which holds no task and survives a restart.
"""

from __future__ import annotations

from agent.actions import Action, Finish, Park, Wait
from agent.steps import End, Failed, Trouble

ATTEMPTS = 5  # in a row before a run parks
BAD_REPLIES = 4  # replies in a row that say nothing usable before a run ends
LONGEST_WAIT_S = 30.0
FIRST_PARK_S = 30.0
LONGEST_PARK_S = 900.0
PARKS = 50  # about half a day of an unreachable model


def after_failure(failures: list[Failed], parks: int) -> Action:
    """What to do after `failures` in a row, the newest last, and `parks` without a reply in between."""
    newest, count = failures[-1], len(failures)
    if newest.trouble not in (Trouble.RETRY, Trouble.WAIT):
        return Finish(End.FAILED, newest.text)
    if newest.retry_after is not None and newest.retry_after > LONGEST_WAIT_S:
        return Park(newest.at + newest.retry_after, newest.text)
    if newest.status == 200 and count >= BAD_REPLIES:
        return Finish(End.FAILED, f"{newest.text} I asked {count} times.")
    if count >= ATTEMPTS and parks >= PARKS:
        return Finish(End.FAILED, f"{newest.text} I kept trying for hours and stop now. Write to me to try again.")
    if count >= ATTEMPTS:
        return Park(newest.at + min(FIRST_PARK_S * 2.0**parks, LONGEST_PARK_S), newest.text)
    backoff = 0.5 * 2.0 ** (count - 1)
    return Wait(backoff if newest.retry_after is None else newest.retry_after, count, newest.text)
