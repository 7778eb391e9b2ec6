"""Which durable messages a session's journal calls for: a fold, the same live and after a restart. Pure.

Each draft has a key that is unique for ever, so that projecting the same steps again adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agent import steps as s
from bot import words
from bot.footer import Footer
from bot.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Draft:
    """A message to be: `key` is session-wide, `markdown` of any length, `ref` the question it replies to."""

    key: str
    markdown: str
    ref: str | None
    silent: bool = False
    role: str = "answer"
    ask: s.Nudged | None = None  # a question to a human, asked by the authors of the run, the newest last
    authors: tuple[str, ...] = ()
    asker: str = ""
    checkpoint: str = ""  # its JSON text
    footer: str = ""  # a line under the last part


@dataclass(slots=True)
class Answers:
    """Fold each step in order; the drafts that it calls for come back."""

    _asked: list[tuple[int, str | None]] = field(default_factory=list)  # (seq, ref) of this run
    _authors: dict[str, str] = field(default_factory=dict)  # of this run: author -> name as displayed
    _held: tuple[int, s.Said] | None = None  # spoken, not yet delivered
    _verdict: Verdict = field(default_factory=Verdict)
    _kept: Draft | None = None  # the checkpoint of a run that ends: after its last words
    _footer: Footer = field(default_factory=Footer)

    def fold(self, seq: int, step: s.Step) -> list[Draft]:
        self._footer.fold(step)
        self._verdict.fold(seq, step)
        match step:
            case s.Asked():
                self._asked.append((seq, step.ref))
                self._authors.pop(step.author, None)
                self._authors[step.author] = step.name or words.person(step.author)
            case s.Said():
                return self._said(seq, step)
            case s.Ended():
                return self._ended(seq, step)
            case s.Parked():
                seconds = None if step.until is None else step.until - step.at
                return [Draft(f"{seq}:parked", words.parked(step.why, seconds), self._ref(seq), role="notice")]
            case s.Nudged(level=s.Level.HOLD, about=None, slot=None):
                self._held = None  # the text went back to the model
            case s.Nudged(level=s.Level.ASK):
                asker = next(reversed(self._authors.values()), "")
                key, authors = f"{seq}:ask", tuple(self._authors)
                return [Draft(key, "", self._ref(seq), role="approval", ask=step, authors=authors, asker=asker)]
            case s.Nudged(guard="workshop"):
                return [Draft(f"{seq}:tools", words.about_tools(step.text), None, silent=True, role="notice")]
            case s.Handed():
                draft = Draft(
                    f"{seq}:checkpoint", "", None, silent=step.fresh, role="notice", checkpoint=step.checkpoint
                )
                self._kept = None if step.fresh else draft
                return [draft] if step.fresh else []
            case s.Finished(outcome=s.Outcome.INTERRUPTED):
                return [Draft(f"{seq}:restarted", words.RESTARTED, self._ref(seq), silent=True, role="notice")]
            case _:
                pass
        return []

    def _said(self, seq: int, said: s.Said) -> list[Draft]:
        drafts = self._release()
        if said.calls:
            return drafts
        self._held = (seq, said)
        if self._asked and self._asked[-1][0] > said.upto:  # the run goes on with what came meanwhile
            drafts += self._release()
        return drafts

    def _ended(self, seq: int, ended: s.Ended) -> list[Draft]:
        if ended.end in (s.End.ANSWERED, s.End.UNRESOLVED):
            self._held = self._held or self._verdict.claimed
        note = ended.reason if ended.end == s.End.UNRESOLVED and self._held else ""
        drafts = self._release(note) if ended.end != s.End.STOPPED else []
        if ended.reason and not note:
            drafts.append(Draft(f"{seq}:end", ended.reason, self._ref(seq)))
        drafts[-1:] = [replace(draft, footer=self._footer.line(ended.at)) for draft in drafts[-1:]]
        self._footer = Footer()
        if self._kept:
            drafts.append(self._kept)
        self._kept = None
        self._asked.clear()
        self._authors.clear()
        self._held = None
        return drafts

    def _release(self, note: str = "") -> list[Draft]:
        if self._held is None:
            return []
        seq, said = self._held
        self._held = None
        text = f"{said.text}\n\n{words.CUT}" if said.finish == "length" else said.text
        lines = (f"⚠ {note}",) if note else self._verdict.lines
        return [Draft(f"{seq}:answer", "\n\n".join((text, *lines)), self._ref(said.upto))]

    def _ref(self, upto: int) -> str | None:
        """The newest question that was known at `upto`."""
        return next((ref for seq, ref in reversed(self._asked) if seq <= upto and ref), None)
