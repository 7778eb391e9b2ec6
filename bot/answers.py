"""Which durable messages a session's journal calls for: a fold, the same live and after a restart. Pure.

Each draft has a key that is unique for ever, so that projecting the same steps again adds nothing.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace

from agent import steps as s
from bot import modelwords, words
from bot.because import because
from bot.footer import Footer
from bot.trouble import ModelTrouble
from bot.verdict import Verdict

ASKED_FOR = "person"  # the cause of a checkpoint that somebody wanted: it is shown at once
PRESSED = "press:"  # how the ref of a question begins that is no message but a tap


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
    button: tuple[str, str] | None = None  # its words, and its data but for the session
    public: str = ""  # what others than the owner read instead; the owner is told
    private: tuple[str, str] = ("", "")  # ... this: a sentence, and its causes as JSON text
    parcel: s.Parcel | None = None  # a file, with `markdown` under it


@dataclass(slots=True)
class Answers:
    """Fold each step in order; the drafts that it calls for come back."""

    _asked: list[tuple[int, str | None]] = field(default_factory=list)  # (seq, ref) of this run
    _authors: dict[str, str] = field(default_factory=dict)  # of this run: author -> name as displayed
    _held: tuple[int, s.Said] | None = None  # spoken, not yet delivered
    _verdict: Verdict = field(default_factory=Verdict)
    _kept: Draft | None = None  # the checkpoint of a run that ends: after its last words
    _footer: Footer = field(default_factory=Footer)
    _trouble: ModelTrouble = field(default_factory=ModelTrouble)
    zone: datetime.tzinfo = datetime.UTC

    def fold(self, seq: int, step: s.Step) -> list[Draft]:
        self._footer.fold(step)
        self._verdict.fold(seq, step)
        self._trouble.fold(seq, step)
        match step:
            case s.Asked():
                self._asked.append((seq, step.ref))
                self._authors.pop(step.author, None)
                self._authors[step.author] = step.name or words.person(step.author)
            case s.Said():
                return [*self._cut(seq, step), *self._said(seq, step)]
            case s.Ended():
                return self._ended(seq, step)
            case s.Parked():
                return self._parked(seq, step)
            case s.Nudged(level=s.Level.HOLD, about=None, slot=None):
                self._held = None  # the text went back to the model
            case s.Nudged(level=s.Level.ASK):
                asker = next(reversed(self._authors.values()), "")
                key, authors = f"{seq}:ask", tuple(self._authors)
                return [Draft(key, "", self._ref(seq), role="approval", ask=step, authors=authors, asker=asker)]
            case s.Nudged(guard="workshop"):
                return [Draft(f"{seq}:tools", words.about_tools(step.text), None, silent=True, role="notice")]
            case s.Handed():
                return self._handed(seq, step)
            case s.Finished():
                return self._finished(seq, step)
            case _:
                pass
        return []

    def _finished(self, seq: int, step: s.Finished) -> list[Draft]:
        ref, parcel = self._ref(seq), step.parcel
        if parcel is not None:
            return [Draft(f"{seq}:file", parcel.caption, ref, silent=True, role="file", parcel=parcel)]
        if step.outcome is s.Outcome.INTERRUPTED:
            return [Draft(f"{seq}:restarted", words.RESTARTED, ref, silent=True, role="notice")]
        return []

    def _handed(self, seq: int, step: s.Handed) -> list[Draft]:
        draft = Draft(f"{seq}:checkpoint", "", None, silent=step.fresh, role="notice", checkpoint=step.checkpoint)
        if step.cause == ASKED_FOR:
            return [draft]
        self._kept = None if step.fresh else draft
        return [draft] if step.fresh else []

    def _said(self, seq: int, said: s.Said) -> list[Draft]:
        drafts = self._release()
        if said.calls:
            return drafts
        self._held = (seq, said)
        if self._asked and self._asked[-1][0] > said.upto:  # the run goes on with what came meanwhile
            drafts += self._release()
        return drafts

    def _cut(self, seq: int, said: s.Said) -> list[Draft]:
        """A server that reads less than it is sent is told of once a session and model: the key knows no seq."""
        if not said.usage.expected:
            return []
        text = modelwords.cut(said.model, said.usage.prompt, said.usage.expected)
        return [Draft(f"cut:{said.model}", text, self._ref(seq), silent=True, role="notice")]

    def _parked(self, seq: int, parked: s.Parked) -> list[Draft]:
        """A wait is told when it begins; from then on that message is kept up to date (bot.parked)."""
        if parked.until is None:
            return [Draft(f"{seq}:parked", because(parked.why, parked.causes), self._ref(seq), role="notice")]
        if self._trouble.parked != seq or not self._asked:
            return []
        text = modelwords.parked(
            because(parked.why, parked.causes), modelwords.at_time(parked.until, parked.at, self.zone)
        )
        cancel = (modelwords.CANCEL, f"wait:{self._asked[0][0]}")
        return [Draft(f"{seq}:parked", text, self._ref(seq), role="notice", button=cancel)]

    def _end(self, seq: int, ended: s.Ended) -> Draft:
        draft = Draft(f"{seq}:end", because(ended.reason, ended.causes), self._ref(seq))
        if ended.end != s.End.FAILED:
            return draft
        public = modelwords.NEEDS_OWNER if self._trouble.owners else ""
        again = (modelwords.TRY_AGAIN, f"retry:{seq}") if self._trouble.worth_another_try else None
        return replace(draft, button=again, public=public, private=(ended.reason, ended.causes))

    def _ended(self, seq: int, ended: s.Ended) -> list[Draft]:
        if ended.end in (s.End.ANSWERED, s.End.UNRESOLVED):
            self._held = self._held or self._verdict.claimed
        unresolved = ended.end == s.End.UNRESOLVED and self._held
        note = because(ended.reason, ended.causes) if unresolved else ""
        drafts = self._release(note) if ended.end != s.End.STOPPED else []
        if ended.reason and not note:
            drafts.append(self._end(seq, ended))
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
        lines = (words.warning(note),) if note else self._verdict.lines
        return [Draft(f"{seq}:answer", "\n\n".join((text, *lines)), self._ref(said.upto))]

    def _ref(self, upto: int) -> str | None:
        """The newest question that was known at `upto`."""
        known = (ref for seq, ref in reversed(self._asked) if seq <= upto and ref)
        return next((ref for ref in known if not ref.startswith(PRESSED)), None)
