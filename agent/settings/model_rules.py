"""What a model's name and address say about it: its tier, and whether it runs on our own machine or network."""

from __future__ import annotations

import ipaddress
import re
from typing import Literal
from urllib.parse import urlsplit

Tier = Literal["small", "mid", "large"]

SMALL_B = 9.5  # billions of parameters; 9B models are sold as 9.0 to 9.4
MID_B = 40.0

_SIZE = re.compile(r"(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z])")
_TINY = re.compile(r"nano|tiny|micro|phi-?[1-4]")
_LIGHT = re.compile(r"mini|lite|small|flash|haiku|fast")
_FRONTIER = re.compile(r"gpt-[4-9]|\bo[1-9]\b|claude|gemini|grok|deepseek|kimi|glm-|-large|-max\b")


def tier(name: str) -> Tier:
    """small (up to about 9B parameters), mid (up to 40B, or unknown) or large, by the model's name.

    The size in the name decides where there is one ("qwen3:8b", "mixtral-8x7b" = 56; the first of several, so that
    the total of "30b-a3b" counts). Else words: nano and the like are small, mini, lite and the like mid, families
    known to be big are large.
    """
    text = name.lower()
    if size := _SIZE.search(text):
        billions = float(size[2]) * int(size[1] or 1)
        return "small" if billions <= SMALL_B else "mid" if billions <= MID_B else "large"
    if _TINY.search(text):
        return "small"
    return "large" if _FRONTIER.search(text) and not _LIGHT.search(text) else "mid"


_SEES = re.compile(
    r"gpt-4o|gpt-4\.1|gpt-[5-9]|\bo[1345]\b|\bo4-mini|claude|gemini|grok-[4-9]|vision|llava|pixtral|moondream|minicpm-v"
    r"|internvl|[-.\d]vl\b|gemma-?3(?!n)|llama-?4|multimodal|kimi-k2\.5|mistral-(?:small-3\.[1-9]|medium-3)"
)


def sees(name: str) -> bool:
    """Whether a model of this name is known to take pictures. A wrong yes is found out by its first refusal."""
    return _SEES.search(name.lower()) is not None


def is_local(url: str) -> bool:
    """Whether the address is on loopback or a private network, where one slow machine serves us alone.

    Names count as private if they can't be public: a single label ("ollama"), and the reserved endings of RFC 6761,
    RFC 6762 and ICANN's .internal.
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    try:
        return not ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        return bool(host) and ("." not in host or host.endswith((".localhost", ".local", ".internal", ".lan")))
