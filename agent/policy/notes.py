"""What is noticed while a call is judged, and what of it only the disk can answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.acts import Act
from agent.policy import places
from agent.policy.marks import MARKS, shown
from agent.policy.paths import askable, asked, candidates, home_put_in, on_disk, resolved
from agent.policy.verdict import Finding, Judgement, Questions, Scene, Tier, highest

MOST = 64  # questions of a kind
MOST_CHECKS = 4_000  # paths looked at by name for one call


@dataclass(slots=True)
class Notes:
    """Gathers the findings of one call in its scene."""

    scene: Scene
    findings: list[Finding] = field(default_factory=list)
    argv: list[tuple[str, ...]] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)  # of the scripts themselves
    executables: dict[str, None] = field(default_factory=dict)
    paths: dict[str, None] = field(default_factory=dict)
    scripts: dict[str, None] = field(default_factory=dict)
    checks: int = 0

    def judgement(self) -> Judgement:
        """The sum of it."""
        for asks in (self.executables, self.paths, self.scripts):
            if len(asks) > MOST:
                self.findings.append(Finding(Tier.LEAVE, Act.MANY_FILES, once=True))
        top = highest(self.findings)
        workspace = (self.scene.workspace,) if self.paths else ()
        questions = Questions(
            tuple(self.executables)[:MOST],
            tuple(dict.fromkeys((*tuple(self.paths)[:MOST], *workspace))),
            tuple(self.scripts)[:MOST],
        )
        session_ok = not any(finding.once for finding in self.findings)
        return Judgement(top.tier, top.cause, tuple(self.argv), session_ok, questions)

    def touch(self, word: str, cwds: tuple[str, ...], *, names_only: bool = False, ask: bool = True) -> None:
        """A word that may name a file, whatever is done with it."""
        if own := places.mentioned(word, self.scene):
            self.findings.append(own)
        for part in candidates(word):
            if self._exhausted(len(cwds)):
                return
            for path in resolved(part, cwds, self.scene):
                self._screen(path, names_only=names_only)
        if ask and askable(word):
            self._ask(word, cwds)

    def write(self, word: str, cwds: tuple[str, ...]) -> None:
        """A file that is written, made or deleted."""
        if word == "-":
            return
        self.touch(word, cwds)
        if places.is_harmless(word):
            return
        self.findings.append(Finding(Tier.CHANGE, Act.CHANGES_FILES))
        for cwd in cwds:
            for path in resolved(word, (cwd,), self.scene):
                if places.planted(path):
                    self.findings.append(Finding(Tier.LEAVE, Act.PLANTS, shown(path)))
            # What the disk says counts, where it was asked.
            path = on_disk(home_put_in(word, self.scene.home), cwd, self.scene) or next(
                resolved(word, (cwd,), self.scene)
            )
            if not places.inside(path, self.scene) and not places.is_open(path):
                self.findings.append(Finding(Tier.LEAVE, Act.WRITES_OUTSIDE, shown(path)))

    def take_all(self, word: str, cwds: tuple[str, ...]) -> None:
        """A folder of which everything is read or changed."""
        for path in resolved(word, cwds, self.scene):
            for finding in (places.forbidden(path, self.scene, deep=True), places.denied(path, self.scene, deep=True)):
                if finding:
                    self.findings.append(finding)

    def execute(self, word: str, cwds: tuple[str, ...]) -> None:
        """A file whose content will run."""
        self.touch(word, cwds, ask=False)
        if word.startswith(("/dev/", "/proc/")):
            self.findings.append(Finding(Tier.LEAVE, Act.RUNS_UNSEEN, shown(word), once=True))
        if MARKS.isdisjoint(word):
            for cwd in cwds:
                if MARKS.isdisjoint(cwd):
                    self.scripts[asked(word, cwd)] = None

    def _exhausted(self, more: int) -> bool:
        """Whether the call is too large to be checked, which nobody may wave through."""
        self.checks += more
        if self.checks <= MOST_CHECKS:
            return False
        if self.checks - more <= MOST_CHECKS:
            self.findings.append(Finding(Tier.NEVER, Act.MANY_PATHS, once=True))
        return True

    def _ask(self, word: str, cwds: tuple[str, ...]) -> None:
        for cwd in cwds:
            if MARKS.isdisjoint(cwd):
                self.paths[asked(home_put_in(word, self.scene.home), cwd)] = None

    def _screen(self, path: str, *, names_only: bool) -> None:
        if own := places.forbidden(path, self.scene):
            self.findings.append(own)
        elif not names_only and (secret := places.denied(path, self.scene)):
            self.findings.append(secret)
        elif path.startswith(("/dev/tcp/", "/dev/udp/")):
            self.findings.append(Finding(Tier.LEAVE, Act.NETWORK, "/dev/tcp"))
