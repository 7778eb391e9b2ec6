"""Policy: each call belongs to a tier; by mode and role it runs, waits for a person, or is out of reach."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from agent.acts import Act
from agent.causes import Cause, because, plain
from agent.policy import Answer, Judgement, Scene, Tier, World, answer, command_of, judge, subject
from agent.policy.modes import MODES, lower, stricter
from agent.ports import Look, Nudge
from agent.steps import (
    Asked,
    Commanded,
    Decided,
    Ended,
    Finished,
    Level,
    Looking,
    Nudged,
    Opened,
    Proposed,
    Seen,
    Step,
)

PROBE = "world"
_FROM_THE_WEB = frozenset(("web_fetch", "web_search"))
_LOOKS_AT_FILES = frozenset(("write_file", "edit_file", "read_file", "search", "send_file"))


@dataclass(frozen=True, slots=True)
class _Open:
    """A proposed call, where it would run, and what was answered by name alone."""

    step: Proposed
    scene: Scene
    answer: Answer


@dataclass(slots=True)
class Policy:
    """`mode` is the standing one of the settings; the stricter of it and the session's own counts. `confines`: a
    sandbox works on this machine. `home` is the commands' HOME; `forbidden` are absolute paths of our own state, as
    spelled and as resolved; `scratch` are folders that the sandbox keeps private, where writing leaves nothing."""

    mode: str = "sandbox"
    confines: bool = True
    home: str = ""
    forbidden: tuple[str, ...] = ()
    scratch: tuple[str, ...] = ()
    name: str = "policy"
    strict: bool = True
    _standing: str = field(default="full", init=False, repr=False)
    _until: tuple[str, float | None] | None = field(default=None, init=False, repr=False)  # a mode set by a person
    _role: str | None = field(default=None, init=False, repr=False)  # the lowest of the run
    _tainted: bool = field(default=False, init=False, repr=False)
    _workspace: str = field(default="", init=False, repr=False)
    _cwd: str = field(default="", init=False, repr=False)
    _open: dict[str, _Open] = field(default_factory=dict, init=False, repr=False)
    _recalled: dict[str, Proposed] = field(default_factory=dict, init=False, repr=False)  # judged before, not again
    _looks: dict[str, str] = field(default_factory=dict, init=False, repr=False)  # look -> call
    _asked: dict[str, str] = field(default_factory=dict, init=False, repr=False)  # call -> what would be allowed
    _allowed: set[str] = field(default_factory=set, init=False, repr=False)

    def observe(self, step: Step) -> Nudge | Look | None:
        match step:
            case Proposed():
                return self._proposed(step)
            case Seen(look=look) if look in self._looks:
                return self._seen(step)
            case Looking(guard=self.name, look=look, about=str(about)):
                self._looks[look] = about
            case Decided(call_id=call_id, verdict="allow", reason="session") if call_id in self._asked:
                self._allowed.add(self._asked[call_id])
            case _:
                self._fold(step)
        return None

    def recall(self, step: Step) -> None:
        """A step that was judged before. A call is judged again only if it was looked into or asked about: reading its
        command is most of what an old session costs when it is opened."""
        match step:
            case Proposed():
                self._recalled[step.call.id] = step
                return
            case (
                Looking(guard=self.name, about=str(about)) | Nudged(guard=self.name, level=Level.ASK, about=str(about))
            ):
                if (proposed := self._recalled.pop(about, None)) is not None:
                    self._proposed(proposed)
            case _:
                pass
        self.observe(step)

    # -- what is remembered -----------------------------------------------------------------------------------------
    def _fold(self, step: Step) -> None:
        match step:
            case Opened():
                self._standing, self._workspace = step.mode, step.workspace or step.cwd
                self._cwd = self._cwd or step.cwd
            case Commanded(command="mode", value=value, until=until) if value in MODES:
                self._until = (value, until)
            case Asked():
                self._role = step.role if self._role is None else lower(self._role, step.role)
                self._tainted |= step.forwarded or step.tainted
            case Finished():
                self._cwd = step.cwd or self._cwd
                self._tainted |= step.tool in _FROM_THE_WEB or step.tainted
                self._open.pop(step.call_id, None)
                self._recalled.pop(step.call_id, None)
            case Ended():
                self._role, self._tainted = None, False
                for held in (self._open, self._recalled, self._looks, self._asked):
                    held.clear()
            case _:
                pass

    def _mode(self, at: float) -> str:
        """The mode in force: what a person set for a while, else the stricter of the standing ones."""
        if self._until is not None and (self._until[1] is None or at < self._until[1]):
            return self._until[0]
        return stricter(self.mode, self._standing)

    # -- what is said -----------------------------------------------------------------------------------------------
    def _proposed(self, step: Proposed) -> Nudge | Look | None:
        step = replace(step, call=subject(step.call, step.command))
        boxed = self.confines and self._mode(step.at) != "full"
        scratch = self.scratch if boxed else ()  # outside of the sandbox these are the real folders
        scene = Scene(self._cwd, self._workspace, self.home, self.forbidden, scratch, self._tainted)
        judgement = judge(step.call, step.effect, scene)
        first = self._answer(step, judgement)
        if self._must_look(step, judgement, first):
            self._open[step.call.id] = _Open(step, scene, first)
            return Look(PROBE, _question(judgement, scene))
        return self._said(step, scene, judgement, first, {})

    def _seen(self, step: Seen) -> Nudge | None:
        about = self._open.get(self._looks.pop(step.look))
        if about is None:
            return None
        world = _world(step)
        scene = replace(about.scene, world=world)
        judgement = judge(about.step.call, about.step.effect, scene)
        final = self._answer(about.step, judgement)
        if world is None and final is Answer.RUN:
            judgement = replace(judgement, cause=because(Act.UNCHECKED_PATHS, judgement.cause))
            final = Answer.ASK
        if world is None:
            judgement = replace(judgement, session_ok=False)
        return self._said(about.step, scene, judgement, final, dict(world.scripts) if world else {})

    def _answer(self, step: Proposed, judgement: Judgement) -> Answer:
        said = answer(self._mode(step.at), self._role or "viewer", judgement.tier)
        loose = step.call.name == "shell" and judgement.tier == Tier.CHANGE and not self.confines
        return Answer.ASK if said is Answer.RUN and loose and self._mode(step.at) != "full" else said

    def _must_look(self, step: Proposed, judgement: Judgement, first: Answer) -> bool:
        """Whether the disk could change the answer, or a person must be shown more than the names."""
        if first is Answer.ASK:
            return bool(judgement.questions)
        if first is Answer.HOLD or not judgement.questions.paths:
            return False
        # In the sandbox our own state isn't there, and what is written outside isn't kept.
        boxed = self.confines and self._mode(step.at) != "full"
        return step.call.name in _LOOKS_AT_FILES or not boxed

    def _said(
        self, step: Proposed, scene: Scene, judgement: Judgement, final: Answer, scripts: dict[str, str | None]
    ) -> Nudge | None:
        if final is Answer.RUN:
            return None
        if final is Answer.HOLD:
            text, why = _refusal(judgement, self._role or "viewer")
            return Nudge(Level.HOLD, text, event="tool.rejected", data=_data(step, scene, judgement, {}, why))
        permitted = _fingerprint(step, scene, scripts)
        if judgement.session_ok and permitted in self._allowed:
            return None
        if judgement.session_ok:
            self._asked[step.call.id] = permitted
        else:
            self._asked.pop(step.call.id, None)
        loose = judgement.tier == Tier.CHANGE and not self.confines
        why = because(Act.UNBOXED, judgement.cause) if loose else judgement.cause
        return Nudge(Level.ASK, str(why), event="approval.asked", data=_data(step, scene, judgement, scripts, why))


def _refusal(judgement: Judgement, role: str) -> tuple[str, Cause]:
    """Why a call doesn't run, and who could allow it and how: for the model, and for the chat."""
    if judgement.tier == Tier.NEVER:
        text = (
            f"Not run: {judgement.reason}. That is out of reach in every mode, and nobody can allow it in chat. Do the "
            "task without it, or tell the user what they would have to do by themselves on the host."
        )
        return text, because(Act.OUT_OF_REACH, judgement.cause)
    text = (
        f"Not run: {judgement.reason}. A {role} takes part in this run, and then it may only read. The owner can give "
        "more rights with /users; an operator can ask for it in a run of their own."
    )
    return text, because(Act.MAY_ONLY_READ, judgement.cause, role)


def _question(judgement: Judgement, scene: Scene) -> str:
    asked = judgement.questions
    return json.dumps(
        {
            "executables": asked.executables,
            "paths": asked.paths,
            "scripts": asked.scripts,
            "cwd": scene.cwd,
            "home": scene.home,
        },
        ensure_ascii=False,
    )


def _world(step: Seen) -> World | None:
    """The answers of the probe; None where it gave none, or none that can be read."""
    try:
        value: Any = json.loads(step.value) if step.status == "ok" else None
        return World(dict(value["executables"]), dict(value["paths"]), dict(value["scripts"]))
    except (ValueError, TypeError, KeyError):
        return None


def _fingerprint(step: Proposed, scene: Scene, scripts: dict[str, str | None]) -> str:
    """What exactly a person allows for the rest of the session."""
    whole = [step.call.name, step.call.arguments, scene.cwd, scene.tainted, sorted(scripts.items())]
    return sha256(json.dumps(whole).encode()).hexdigest()


def _data(step: Proposed, scene: Scene, judgement: Judgement, scripts: dict[str, str | None], why: Cause) -> str:
    return json.dumps(
        {
            "tier": int(judgement.tier),
            "reason": judgement.reason,
            "command": command_of(step.call),
            "cwd": scene.cwd,
            "argv": judgement.argv,
            "scripts": scripts,
            "session_ok": judgement.session_ok,
            "by": "tier",
            "causes": plain(why),
        },
        ensure_ascii=False,
    )


guard = Policy
