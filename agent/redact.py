"""The one redactor, used at every door: our own secrets and strings shaped like somebody's become one placeholder."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

MASK = "[jarvis:secret]"  # unlike anything a file holds by itself: a write that contains it is refused
LOOK_BEHIND = 16  # characters; no shape looks further back
SHORTEST = 6  # characters; masking every "1234" would destroy text and protect nothing


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    """What to mask. `reach` is the length of the longest match in characters: whether a match begins at some place is
    known once that many, and one more, stand behind it. What group `keep` matched stays."""

    pattern: re.Pattern[str]
    reach: int
    keep: str = ""

    def masked(self, text: str) -> str:
        return self.pattern.sub(self.keep + MASK, text)


def rule(pattern: str, reach: int, keep: str = "") -> Rule:
    return Rule(re.compile(pattern), reach, keep)


# Shapes as their issuers publish them, and as gitleaks' rules collect them. Each begins with literal text, so that the
# search is a scan for it; quantifiers are bounded and possessive, so that no input is slow.
_TOKEN = "[A-Za-z0-9_-]"
_ASSIGNED = r"[\"']?\s{0,3}[=:]\s{0,3}[\"']?"
SHAPES = (
    rule(
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:\\[nr]|\s){1,4}+[A-Za-z0-9+/=:, -]{0,80}+(?<!--)){0,120}+"
        r"(?:(?:\\[nr]|\s){0,4}+-----END [A-Z0-9 ]{0,50}+-----)?",
        11_000,
    ),
    rule(rf"eyJ(?<!{_TOKEN}eyJ){_TOKEN}{{8,2000}}+\.eyJ{_TOKEN}{{4,4000}}+\.{_TOKEN}{{8,1000}}+", 7100),
    rule(rf"sk-(?<!{_TOKEN}sk-)(?=[A-Za-z_-]{{0,60}}+[0-9]){_TOKEN}{{20,250}}+", 254),
    rule(r"(?:AKIA|ASIA)(?<![A-Z0-9]....)[A-Z0-9]{16}(?![A-Z0-9])", 21),
    rule(r"gh[pousr]_(?<![A-Za-z0-9_]....)[A-Za-z0-9]{36,255}+", 260),
    rule(r"github_pat_[A-Za-z0-9_]{22,255}+", 270),
    rule(rf"glpat-{_TOKEN}{{20,64}}+", 71),
    rule(r"xox[abeoprs]-[A-Za-z0-9-]{10,250}+", 256),
    rule(rf"AIza(?<!{_TOKEN}AIza){_TOKEN}{{35}}(?!{_TOKEN})", 41),
    rule(r"k_live_(?<=[sr]k_live_)[A-Za-z0-9]{20,250}+", 260),
    rule(r"hf_(?<![A-Za-z0-9_]hf_)[A-Za-z0-9]{30,60}+", 64),
    rule(rf":AA(?<=[0-9]{{6}}:AA){_TOKEN}{{30,40}}+(?!{_TOKEN})", 45),
    rule(r"(earer(?<=[Bb]earer)[ \t]{1,4}+)(?=[A-Za-z._~+/-]{0,60}+[0-9])[A-Za-z0-9._~+/=-]{16,4000}+", 4012, r"\1"),
    rule(r"(asic(?<=[Bb]asic)[ \t]{1,4}+)(?=[A-Za-z+/]{0,60}+[0-9])[A-Za-z0-9+/]{12,2000}+={0,2}", 2014, r"\1"),
    rule(rf"(secret_access_key{_ASSIGNED})[A-Za-z0-9/+]{{40}}", 72, r"\1"),
    rule(rf"(SECRET_ACCESS_KEY{_ASSIGNED})[A-Za-z0-9/+]{{40}}", 72, r"\1"),
    rule(r"(://[^\s:/@'\"]{0,100}+:)(?![$<{%])[^\s/@'\"]{1,200}+(?=@)", 305, r"\1"),
)


class Redactor:
    """Masks known values and, in tool output, key shapes. Immutable, safe to share."""

    __slots__ = ("_count", "_forms", "_known")

    def __init__(self, known: Iterable[str]) -> None:
        """`known` are our own secrets; values under six characters are ignored."""
        values = {value for value in known if len(value) >= SHORTEST}
        forms = sorted({form for value in values for form in written(value)}, key=lambda form: (-len(form), form))
        self._count, self._forms = len(values), tuple(forms)
        self._known = rule("|".join(map(re.escape, forms)), len(forms[0])) if forms else None

    def __repr__(self) -> str:
        return f"Redactor({self._count} known secrets)"

    def text(self, text: str) -> str:
        """Known secrets masked: as they are, URL-encoded, in base64 (also inside of longer base64), JSON-escaped."""
        return self._known.masked(text) if self._known else text

    def output(self, text: str) -> str:
        """For what a command, a file or the net gave us: also what is shaped like a key."""
        for shape in self._rules(shapes=True):
            text = shape.masked(text)
        return text

    def partial(self, text: str) -> str:
        """`output` of a text that isn't whole yet, without an end that may be the beginning of a secret: its last word,
        and what begins one of our own."""
        end = len(text)
        while end and "!" <= text[end - 1] <= "~":
            end -= 1
        longest = len(self._forms[0]) if self._forms else 0
        starts = range(max(0, end - longest), end)
        end = next((at for at in starts if any(form.startswith(text[at:end]) for form in self._forms)), end)
        return self.output(text[:end])

    def stream(self, shapes: bool = False) -> StreamRedactor:
        """For text in pieces: `text` of the whole, or with `shapes` `output` of the whole."""
        return StreamRedactor(self._rules(shapes))

    def holds_secret(self, text: str) -> bool:
        """Whether one of our own secrets is in it, in any form that `text` masks."""
        return self._known is not None and self._known.pattern.search(text) is not None

    def holds_mask(self, text: str) -> bool:
        """Whether it was read through us: to write it back would replace a secret by the placeholder."""
        return MASK in text

    def _rules(self, shapes: bool) -> tuple[Rule, ...]:
        known = (self._known,) if self._known else ()
        return (*known, *SHAPES) if shapes else known


class StreamRedactor:
    """Masks text that comes in pieces, with the same result however it is cut. What comes out lags behind."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._stages = [Stage(each) for each in rules]

    def feed(self, text: str) -> str:
        """What is certain by now."""
        for stage in self._stages:
            text = stage.feed(text)
        return text

    def close(self) -> str:
        """The rest."""
        text = ""
        for stage in self._stages:
            text = stage.feed(text) + stage.close()
        return text


class Stage:
    """One rule on a stream: a match may begin where as much text follows as the rule can reach."""

    __slots__ = ("_done", "_rule", "_text")

    def __init__(self, each: Rule) -> None:
        self._rule = each
        self._text = ""  # some decided text that a look-behind may need, then the undecided
        self._done = 0  # how much of it is decided

    def feed(self, text: str) -> str:
        self._text += text
        certain = len(self._text) - self._rule.reach - 1
        return self._advance(certain) if certain > self._done else ""

    def close(self) -> str:
        return self._advance(len(self._text))

    def _advance(self, certain: int) -> str:
        parts: list[str] = []
        place = self._done
        for found in self._rule.pattern.finditer(self._text, place):
            if found.start() >= certain:
                break
            parts += self._text[place : found.start()], found.expand(self._rule.keep + MASK)
            place = found.end()
        if certain > place:
            parts.append(self._text[place:certain])
            place = certain
        kept = max(0, place - LOOK_BEHIND)
        self._text, self._done = self._text[kept:], place - kept
        return "".join(parts)


UNSPOKEN = frozenset(vars(logging.makeLogRecord({}))) - {"exc_text", "stack_info"}  # what no caller fills with text


class LogFilter(logging.Filter):
    """Masks records, their tracebacks and their extra fields. Set it on each handler: a logger's filter doesn't see
    the records of its children."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):  # arguments that don't fit their message
            message = f"{record.msg} {record.args!r}"
        record.msg, record.args = self._redactor.output(message), None
        if record.exc_info:
            record.exc_text = record.exc_text or logging.Formatter().formatException(record.exc_info)
            record.exc_info = None
        for name, value in vars(record).items():
            if isinstance(value, str) and name not in UNSPOKEN:
                setattr(record, name, self._redactor.output(value))
        return True


def written(secret: str) -> set[str]:
    """The forms in which a secret turns up."""
    encoded = quote(secret, safe="")
    forms = {secret, encoded, re.sub("%..", lambda found: found[0].lower(), encoded), quote_plus(secret)}
    forms |= {quote(secret), json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    forms.add(json.dumps(secret)[1:-1].replace("/", "\\/"))
    data = secret.encode(errors="surrogateescape")
    for shift in range(3):
        code = base64.b64encode(b"\0" * shift + data).rstrip(b"=").decode()
        # The first and the last character also carry bits of the neighbours.
        core = code[-(-shift * 8 // 6) : len(code) - ((len(data) + shift) % 3 > 0)]
        forms |= {core, core.replace("+", "-").replace("/", "_")}
    return {form for form in forms if len(form) >= SHORTEST}
