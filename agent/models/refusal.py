"""Whether a provider's refusal of a request is about a tool in it, and which one it means. Pure.

The wordings are those of OpenAI, Azure, OpenRouter, Anthropic, Gemini, Mistral, Groq, vLLM, llama.cpp and Ollama: a
name in quotes, a place in the list, or the word tool and nothing more. The table in the tests holds one of each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.models.verdict import Fault, saying
from agent.steps import Trouble
from agent.why import Why

_WORD = r"[a-z0-9_-]{1,64}"
_NAMED = re.compile(rf"\b(?:function|tool)(?:[ _]name)?s?[\s:=]*[`'\"“‘]({_WORD})[`'\"”’]")
# Gemini numbers functions within its one tool; pydantic's servers name the path as a list.
_FUNCTION_AT = re.compile(r"function_?declarations\W{1,3}(\d{1,3})\b")
_TOOL_AT = re.compile(r"\btools?[\"'\]]*\s*[\[.,/: ]\s*[\"']?(\d{1,3})\b")
_ABOUT_TOOLS = re.compile(
    r"\btools?\b|\bfunctions?\b|function_?(declaration|parameter)|json.?schema|input_schema|\bgrammar\b"
    r"|invalid schema|schema for"
)
# What is said of the conversation is not about what is offered, though it speaks of tools.
_ABOUT_TALK = re.compile(
    r"\bmessages?\b\W{0,3}\d|param.{0,4}messages|tool_calls?\b|tool_call_id|tool_use|tool_result|tool_choice"
    r"|role\W{1,4}(tool|function|assistant|user|system)|tool (messages?|results?|outputs?)\b|roles must alternate"
)
_SAYS_NOTHING = re.compile(
    r"^\W*(none|null|\d*|invalid_request_error|badrequesterror|invalid_argument|bad_request|error|\W)*"
    r"(bad request|invalid request|invalid argument|provider returned error|request contains an invalid argument"
    r"|unknown error|internal error)?[\s.!\"]*$"
)


@dataclass(frozen=True, slots=True)
class Blame:
    """`named`: tools that it names as such; `suspects`: those that it may mean."""

    named: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()


def as_refusal(fault: Fault, names: Sequence[str], model: str) -> Fault:
    """The fault of a request that offered the tools `names`, in order; one that is about a tool is told as that."""
    complaint = fault.complaint
    if complaint is None or not names or not _possible(fault):
        return fault
    blame = blamed(complaint.words, names)
    if blame is None or not _outweighs(fault, blame):
        return fault
    why = saying((Why.TOOL_REFUSED, Why.TOOL_REFUSED_SAYS), complaint, model)
    return replace(fault, trouble=Trouble.TOOLS, causes=(why,), tools=blame.named, suspects=blame.suspects)


def blamed(words: str, names: Sequence[str]) -> Blame | None:
    """Which of `names` a complaint (in lower case) means; None if it isn't about tools."""
    known = {name.lower(): name for name in names}
    named = _known(_NAMED.findall(words), known)
    places = [int(found) for found in _FUNCTION_AT.findall(words) or _TOOL_AT.findall(words)]
    there = [names[place] for place in places if place < len(names)]
    if named:
        return Blame(named)
    if _ABOUT_TALK.search(words) and not there:
        return None
    suspects = tuple(dict.fromkeys([*there, *_known(re.findall(_WORD, words), known)]))
    if there or _ABOUT_TOOLS.search(words) or _SAYS_NOTHING.match(words):
        return Blame(suspects=suspects)
    return None


def _possible(fault: Fault) -> bool:
    """Whether this class of trouble may really be a refused tool."""
    wrong = fault.status in (400, 422) and fault.trouble in (Trouble.BUG, Trouble.OVERFLOW, Trouble.RETRY, Trouble.USER)
    # llama.cpp answers a schema that it can't turn into a grammar with 500.
    return wrong or (fault.status == 500 and fault.trouble is Trouble.RETRY)


def _outweighs(fault: Fault, blame: Blame) -> bool:
    """A request that is plainly wrong is about tools if it may be; what has another explanation must name one."""
    words = fault.complaint.words if fault.complaint else ""
    if fault.status == 500:
        return re.search(r"json.?schema|\bgrammar\b", words) is not None
    return fault.trouble is Trouble.BUG or bool(blame.named) or _TOOL_AT.search(words) is not None


def _known(words: Sequence[str], known: dict[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(known[word] for word in words if word in known))
