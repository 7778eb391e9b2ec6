"""From a provider's complaint to a class of trouble and a sentence for a person: a table, the first match wins."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent.models.complaint import Complaint
from agent.models.overflow import asked_in, limit_in, too_long
from agent.steps import Trouble


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong with one attempt. `text` is a sentence; `retry_after` is in seconds; `hint` is for the model."""

    trouble: Trouble
    text: str
    status: int | None = None
    retry_after: float | None = None
    hint: str = ""
    limit: int | None = None  # tokens that the model takes, where the provider named them
    asked: int | None = None  # tokens that the request had
    tools: tuple[str, ...] = ()  # which the provider refused by name
    suspects: tuple[str, ...] = ()  # which it may have meant
    complaint: Complaint | None = None


@dataclass(frozen=True, slots=True)
class _Rule:
    fits: Callable[[Complaint], bool]
    trouble: Trouble
    sentence: str


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
        "The key for the model {model} was rejected. Put a valid key into the settings.",
    ),
    _Rule(
        lambda c: _is(402)(c) or (not _between(500, 599)(c) and _NO_MONEY(c)),
        Trouble.USER,
        "The account behind the model {model} has no credit or quota left. Top it up or set another key.",
    ),
    _Rule(
        _NO_TOOLS,
        Trouble.USER,
        "The model {model} can't call tools at this endpoint. Choose a model that can, or have it write its calls as "
        "text: set JARVIS_MODEL__TEXT_CALLS=on.",
    ),
    _Rule(
        lambda c: _is(413)(c) or (_ONE_TOO_LARGE(c) if _is(429)(c) else too_long(c.words)),
        Trouble.OVERFLOW,
        "The conversation no longer fits into the context of the model {model}. It has to be shortened.",
    ),
    _Rule(
        lambda c: _is(451)(c) or (not _is(429)(c) and not _between(500, 599)(c) and _POLICY(c)),
        Trouble.REFUSED,
        "The provider of the model {model} refused the request under its content policy. Ask in other words or choose "
        "another model.",
    ),
    _Rule(
        lambda c: _is(404)(c) or (_is(400, 422)(c) and _NO_MODEL(c)),
        Trouble.USER,
        "The model {model} is not known at this endpoint. Choose another one with /model, or check its name and the "
        "endpoint's address in the settings.",
    ),
    _Rule(
        _is(403),
        Trouble.USER,
        "The key was rejected for the model {model}: it has no right to it. Check the key or choose another model.",
    ),
    _Rule(
        lambda c: _is(429)(c) or (c.status is None and _says(r"rate[_ ]?limit|too many requests")(c)),
        Trouble.WAIT,
        "The model {model} takes no more requests for now; {wait}.",
    ),
    _Rule(
        lambda c: _between(300, 399)(c) or _is(405)(c),
        Trouble.USER,
        "The endpoint of the model {model} does not take requests at this address (status {status}). Check the "
        "endpoint's address.",
    ),
    _Rule(
        lambda c: c.status is None,
        Trouble.RETRY,
        "The model {model} reported an error instead of a reply. Asking again may help.",
    ),
    _Rule(
        lambda c: _is(503, 529)(c) or (_is(400, 500)(c) and _says("overloaded")(c)),
        Trouble.RETRY,
        "The model {model} is overloaded (status {status}). Asking again may help.",
    ),
    _Rule(
        lambda c: _is(408, 409, 425, 499)(c) or _between(500, 599)(c) or (_is(400)(c) and _BUSY(c)),
        Trouble.RETRY,
        "The model {model} failed on its provider's side (status {status}). Asking again may help.",
    ),
)
_BUG = "The provider of the model {model} found our request invalid (status {status}){message}. Please report this."


def judge(complaint: Complaint, model: str) -> Fault:
    """The class and the sentence of a provider's complaint about a request for `model`."""
    trouble, sentence = next(
        ((rule.trouble, rule.sentence) for rule in _RULES if rule.fits(complaint)), (Trouble.BUG, _BUG)
    )
    after = complaint.retry_after
    wait = "ask again later" if after is None else f"it asks to wait {after:.0f} s"
    message = f": {complaint.message.rstrip('.')}" if complaint.message else ""
    text = sentence.format(model=model, status=complaint.status, wait=wait, message=message)
    if trouble is not Trouble.OVERFLOW:
        return Fault(trouble, text, complaint.status, after, complaint=complaint)
    limit, asked = limit_in(complaint.words), asked_in(complaint.words)
    return Fault(trouble, text, complaint.status, after, limit=limit, asked=asked, complaint=complaint)
