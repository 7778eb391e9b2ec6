"""From a provider's complaint to a class of trouble and its causes for a person: a table, the first match wins."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from agent.causes import Cause, because, english
from agent.models.complaint import Complaint
from agent.models.overflow import asked_in, limit_in, too_long
from agent.steps import Trouble
from agent.why import Why


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong with one attempt: first what happened, then what can be done. `retry_after` is in seconds; `hint`
    is for the model."""

    trouble: Trouble
    causes: tuple[Cause, ...]
    status: int | None = None
    retry_after: float | None = None
    hint: str = ""
    limit: int | None = None  # tokens that the model takes, where the provider named them
    asked: int | None = None  # tokens that the request had
    tools: tuple[str, ...] = ()  # which the provider refused by name
    suspects: tuple[str, ...] = ()  # which it may have meant
    complaint: Complaint | None = None

    @property
    def text(self) -> str:
        return english(*self.causes)


@dataclass(frozen=True, slots=True)
class _Rule:
    """`why` is told with the model and the status, `then` says what can be done."""

    fits: Callable[[Complaint], bool]
    trouble: Trouble
    why: Why
    then: Why | None = None


def _says(pattern: str) -> Callable[[Complaint], bool]:
    search = re.compile(pattern).search
    return lambda complaint: search(complaint.words) is not None


def _is(*statuses: int) -> Callable[[Complaint], bool]:
    return lambda complaint: complaint.status in statuses


def _between(low: int, high: int) -> Callable[[Complaint], bool]:
    return lambda complaint: complaint.status is not None and low <= complaint.status <= high


_NO_MONEY = _says(
    r"insufficient[_ ](quota|balance|credits?|funds)|credit balance|out of credits"
    r"|billing[_ ](hard|not)|payment required"
)
_ONE_TOO_LARGE = _says(r"request[_ ]too[_ ]large")  # no waiting makes this one fit
_POLICY = _says(
    r"content[_ ](policy|filter|management|moderation)|usage polic|safety system|flagged|moderation|responsible ai"
)
_NO_TOOLS = _says(
    r"(not|n't) support (tools?|functions?|tool[_ ]choice)\b|support tool use"
    r"|(tools?|functions?)['\"`]? (is|are) not supported"
    r"|unrecognized request argument supplied: tools\b(?![.\[])"
    r"|(not|n't) support (the )?parameters?:? ?.{0,20}\btools\b|tools param requires|tool choice requires"
    r"|tool (use|calling) (is|are|with).{0,40}not (supported|enabled)"
)
_NO_MODEL = _says(
    r"model[_ ]not[_ ](found|exist)|not a valid model|invalid model|unknown model|model .{0,80}(not found|not exist)"
)
_BUSY = _says(r"rate[_ ]?limit|too many requests|resource_exhausted|overloaded|server_error|temporarily")

_RULES: tuple[_Rule, ...] = (
    _Rule(
        lambda c: _is(401)(c) or _says(r"invalid_api_key|authentication_error")(c),
        Trouble.USER,
        Why.KEY_REJECTED,
        Why.SET_KEY,
    ),
    _Rule(
        lambda c: _is(402)(c) or (not _between(500, 599)(c) and _NO_MONEY(c)),
        Trouble.USER,
        Why.NO_CREDIT,
        Why.TOP_UP,
    ),
    _Rule(
        _NO_TOOLS,
        Trouble.USER,
        Why.NO_TOOLS,
        Why.TAKE_ONE_WITH_TOOLS,
    ),
    _Rule(
        lambda c: _is(413)(c) or (_ONE_TOO_LARGE(c) if _is(429)(c) else too_long(c.words)),
        Trouble.OVERFLOW,
        Why.TOO_LONG,
        Why.SHORTEN,
    ),
    _Rule(
        lambda c: _is(451)(c) or (not _is(429)(c) and not _between(500, 599)(c) and _POLICY(c)),
        Trouble.REFUSED,
        Why.AGAINST_POLICY,
        Why.SAY_OTHERWISE,
    ),
    _Rule(
        lambda c: _is(404)(c) or (_is(400, 422)(c) and _NO_MODEL(c)),
        Trouble.USER,
        Why.NO_SUCH_MODEL,
        Why.CHECK_NAME,
    ),
    _Rule(
        _is(403),
        Trouble.USER,
        Why.NO_RIGHT,
        Why.CHECK_KEY,
    ),
    _Rule(
        lambda c: _is(429)(c) or (c.status is None and _says(r"rate[_ ]?limit|too many requests")(c)),
        Trouble.WAIT,
        Why.NO_MORE_NOW,
    ),
    _Rule(
        lambda c: _between(300, 399)(c) or _is(405)(c),
        Trouble.USER,
        Why.ELSEWHERE,
        Why.CHECK_ADDRESS,
    ),
    _Rule(
        lambda c: c.status is None,
        Trouble.RETRY,
        Why.REPORTED,
        Why.ASK_AGAIN,
    ),
    _Rule(
        lambda c: _is(503, 529)(c) or (_is(400, 500)(c) and _says("overloaded")(c)),
        Trouble.RETRY,
        Why.OVERLOADED,
        Why.ASK_AGAIN,
    ),
    _Rule(
        lambda c: _is(408, 409, 425, 499)(c) or _between(500, 599)(c) or (_is(400)(c) and _BUSY(c)),
        Trouble.RETRY,
        Why.FAILED_THERE,
        Why.ASK_AGAIN,
    ),
)


def judge(complaint: Complaint, model: str) -> Fault:
    """The class and the causes of a provider's complaint about a request for `model`."""
    status, after = complaint.status, complaint.retry_after
    rule = next((rule for rule in _RULES if rule.fits(complaint)), None)
    if rule is None:
        found = saying((Why.INVALID, Why.INVALID_SAYS), complaint, model)
        return Fault(Trouble.BUG, (found, because(Why.REPORT)), status, after, complaint=complaint)
    causes = [because(rule.why, model, status or 0)]
    if rule.then:
        causes.append(because(rule.then))
    if rule.why is Why.NO_MORE_NOW:
        causes.append(because(Why.ASK_LATER) if after is None else because(Why.ASKS_TO_WAIT, round(after)))
    fault = Fault(rule.trouble, tuple(causes), status, after, complaint=complaint)
    if rule.trouble is not Trouble.OVERFLOW:
        return fault
    return replace(fault, limit=limit_in(complaint.words), asked=asked_in(complaint.words))


def saying(whys: tuple[Why, Why], complaint: Complaint, model: str) -> Cause:
    """The second of `whys` holds the provider's own words, where it has any."""
    message, status = complaint.message.rstrip("."), complaint.status or 0
    return because(whys[1], model, status, message) if message else because(whys[0], model, status)
