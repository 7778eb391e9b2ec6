"""Whether a claim fits what the session did: it holds, is doubted with a reason, or the disk has to be asked. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from agent.causes import Cause, because
from agent.commandline import simple_commands
from agent.evidence import Deed, Evidence, tested, touched
from agent.guards._claims.found import Claim, Kind
from agent.intent import Effect
from agent.steps import Outcome
from agent.testruns import failing, passed, red, tests
from agent.why import Why

OURS = frozenset({
    "shell", "read_file", "write_file", "edit_file", "list_dir", "search", "plan", "jobs", "task_complete", "blocked",
    "web_search", "web_fetch", "recent_sessions", "session_log", "debate", "list_tools", "get_tool",
    "send_file",
})  # fmt: skip
ON_DISK = frozenset({Kind.MADE, Kind.DELETED, Kind.MOVED, Kind.MODE})
OF_TESTS = frozenset({Kind.TESTS, Kind.COUNT})
FOLDERS = 6  # that a relative path may be in

_ELSEWHERE = re.compile(
    r"\b(?:ssh|kubectl|docker (?:compose )?exec|podman exec|vagrant|lxc|ansible\w*|rsync|fly|heroku)\b"
)
_HEARSAY = re.compile(r"\bgh (?:run|pr)\b|\.log\b|\.xml\b|\bci\b|journalctl|docker logs|report", re.IGNORECASE)
_INSTALLS = re.compile(r"\b(?:install|add|ci|sync|get|i)\b")
_COMMITS = re.compile(r"\bgit\b.{0,200}?\b(?:commit|merge|revert|cherry-pick|am|rebase)\b")
_PUSHES = re.compile(r"\bgit\b.{0,200}?\bpush\b|\bgh pr\b|\bglab mr\b|\bgh repo\b")
_LOOKS_AT_GIT = re.compile(r"\bgit\b.{0,100}?\b(?:status|log|show|diff|rev-parse)\b")
_BUILDS = re.compile(
    r"^(?:c?make|ninja|meson|gcc|g\+\+|cc|c\+\+|clang\+*|rustc|javac|tsc|mvn|gradlew?|msbuild|bazel|webpack|vite|"
    r"esbuild|"
    r"(?:cargo|go|docker|dotnet|npm run|yarn|yarn run|pnpm|pnpm run|next|nuxt|hugo|docker compose) (?:build|check|"
    r"vet|run)|"
    r"cargo test|go test|build|latexmk|pdflatex|hugo|zig|swift|ant|sbt)\b|build"
)
_LINTS = re.compile(
    r"\b(?:ruff|mypy|eslint|flake8|pylint|black|prettier|clippy|pyright|tsc|lint\w*|shellcheck|golangci-lint|typecheck|"
    r"py_compile|check)\b"
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """`why` is a clause. `settled_by_tests`: a test run of the gate's would answer it."""

    claim: Claim
    why: Cause
    settled_by_tests: bool = False


@dataclass(frozen=True, slots=True)
class Course:
    """How it is told that something was never run, failed, has no end yet, or came before the last change."""

    never: Why
    failed: Why
    begun: Why
    stale: Why


BUILD = Course(Why.NO_BUILD, Why.BUILD_FAILED, Why.BUILD_BEGUN, Why.CHANGED_AFTER_BUILD)
CHECK = Course(Why.NO_CHECK, Why.CHECK_FAILED, Why.CHECK_BEGUN, Why.CHANGED_AFTER_CHECK)
RUN = Course(Why.NEVER_RAN, Why.LAST_RUN_FAILED, Why.LAST_RUN_BEGUN, Why.CHANGED_AFTER_RUN)


@dataclass(frozen=True, slots=True)
class Ask:
    """What the disk has to be asked: for each name the places where it may be; a port that should be listened on."""

    claim: Claim
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    port: int | None = None


def check(claim: Claim, evidence: Evidence) -> Doubt | Ask | None:
    """None: it holds, or nothing is known against it."""
    if claim.kind in ON_DISK:
        return _of_files(claim, evidence)
    if claim.kind is Kind.CHANGED:
        return _changed(claim, evidence)
    deeds = evidence.deeds
    if any(deed.succeeded and deed.call.name not in OURS for deed in deeds):
        return None  # a tool that we don't know may have done it
    if any(_ELSEWHERE.search(deed.command) for deed in deeds):
        return None  # it may be told of another machine
    match claim.kind:
        case Kind.TESTS | Kind.COUNT:
            return _tests(claim, evidence)
        case Kind.RAN:
            return _ran(claim, deeds)
        case Kind.SERVICE:
            return Ask(claim, port=claim.number)
        case _:
            return _programs(claim, evidence)


# -- files ----------------------------------------------------------------------------------------------------------
def _of_files(claim: Claim, evidence: Evidence) -> Ask | None:
    left = touched(evidence.deeds)
    if claim.kind is Kind.MADE and all(_left(name, left) for name in claim.names):
        return None
    return Ask(claim, tuple((name, _places(name, evidence, left)) for name in claim.names))


def _left(name: str, left: Mapping[str, Any]) -> bool:
    """The session wrote it, and didn't delete it after that."""
    return any(change.after for path, change in left.items() if _names(name, path))


def _names(name: str, path: str) -> bool:
    """Whether a name as a person would write it means this path."""
    name = name.removeprefix("./").rstrip("/")
    return path == name or path.endswith(f"/{name.lstrip('/')}")


def _places(name: str, evidence: Evidence, left: Mapping[str, Any]) -> tuple[str, ...]:
    if name.startswith("/"):
        return (normpath(name),)
    folders = dict.fromkeys((evidence.cwd, evidence.workspace, *(deed.cwd for deed in reversed(evidence.deeds))))
    near = [normpath(PurePosixPath(folder, name)) for folder in list(folders)[:FOLDERS] if folder]
    return tuple(dict.fromkeys((*near, *(path for path in left if _names(name, path)))))


def _changed(claim: Claim, evidence: Evidence) -> Doubt | None:
    for deed in evidence.deeds:
        if deed.changes is None and deed.ran and deed.meant.effect is not Effect.READ:
            return None  # it may have changed anything
        if any(_names(name, change.path) for name in claim.names for change in deed.changes or ()):
            return None
        if deed.succeeded and deed.meant.mutates and any(base(name) in deed.command for name in claim.names):
            return None
    if any(deed.succeeded and deed.call.name not in OURS for deed in evidence.deeds):
        return None
    return Doubt(claim, because(Why.UNTOUCHED, claim.names[0]))


def base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def answered(asked: Ask, value: Mapping[str, Any]) -> Doubt | None:
    """What the disk's answer makes of it; what it doesn't know speaks against nothing."""
    claim, paths = asked.claim, value.get("paths") or {}
    if asked.port is not None:
        listened = (value.get("ports") or {}).get(str(asked.port))
        return Doubt(claim, because(Why.NOT_LISTENING, asked.port)) if listened is False else None
    known = {name: paths[name] for name, _ in asked.paths if isinstance(paths.get(name), dict)}
    there = [name for name, about in known.items() if about["there"]]
    missing = [name for name in known if name not in there]
    match claim.kind:
        case Kind.DELETED:
            return Doubt(claim, because(Why.STILL_THERE, there[0])) if there else None
        case Kind.MOVED:
            if claim.names[-1] in missing:
                return Doubt(claim, because(Why.NOT_THERE, claim.names[-1]))
            return (
                Doubt(claim, because(Why.STILL_THERE, there[0]))
                if claim.names[:-1] and claim.names[0] in there
                else None
            )
        case Kind.MODE if there:
            return None if known[there[0]]["mode"] & 0o111 else Doubt(claim, because(Why.NOT_EXECUTABLE, there[0]))
        case _:
            return Doubt(claim, because(Why.NOT_THERE, missing[0])) if missing else None


# -- programs -------------------------------------------------------------------------------------------------------
def _tests(claim: Claim, evidence: Evidence) -> Doubt | None:
    runs = list(tested(evidence.deeds).values())
    if not runs:
        if any(deed.begun and tests(deed.meant) for deed in evidence.deeds):
            return Doubt(claim, because(Why.TESTS_BEGUN), True)
        heard = any(deed.succeeded and _HEARSAY.search(deed.command) for deed in evidence.deeds)
        return None if heard else Doubt(claim, because(Why.NO_TEST_RUN), settled_by_tests=True)
    bad = [run for run in runs if not evidence.stale(run) and (red(run.output) or _names_failing(run))]
    newest = bad[-1] if bad else runs[-1]
    if not newest.green:
        about, names = (newest.command[:60], _status(newest)), ", ".join(failing(newest.output)[:3])
        why = because(Why.TESTS_FAILED_IN, *about, names) if names else because(Why.TESTS_FAILED, *about)
        return Doubt(claim, why, settled_by_tests=evidence.stale(newest))
    if evidence.stale(newest):
        return Doubt(claim, because(Why.CHANGED_AFTER_TESTS), settled_by_tests=True)
    counts = [count for run in runs if run.green and (count := passed(run.output)) is not None]
    if claim.number is not None and counts and claim.number not in (*counts, sum(counts)):
        return Doubt(claim, because(Why.COUNTS, counts[-1]))
    return None


def _names_failing(run: Deed) -> bool:
    return not run.green and bool(failing(run.output))


def _status(deed: Deed) -> Cause | str:
    if deed.exit_code is not None:
        return because(Why.EXIT, deed.exit_code)
    ends = {Outcome.KILLED: Why.WAS_KILLED, Outcome.TIMED_OUT: Why.TIMED_OUT}
    return because(ends[deed.outcome]) if deed.outcome in ends else deed.outcome.value.replace("_", " ")


def _ran(claim: Claim, deeds: list[Deed]) -> Doubt | None:
    name = claim.names[0]
    runs = [deed for deed in deeds if deed.ran and _is_run_of(name, deed)]
    if not runs:
        return Doubt(claim, because(Why.NEVER_RAN, name))
    failed = because(Why.LAST_RUN_FAILED, name, _status(runs[-1]))
    return Doubt(claim, failed) if runs[-1].failed else None


def _is_run_of(name: str, deed: Deed) -> bool:
    if deed.meant.effect is Effect.READ and " " not in name:
        return False
    wanted = " ".join(name.split())
    if wanted in deed.command or (" " not in wanted and base(wanted) in deed.command):
        return True
    stems = {part.stem for part in simple_commands(name)} - {"cd", "echo", ""}
    return bool(stems) and stems <= {part.stem for part in deed.meant.parts}


def _programs(claim: Claim, evidence: Evidence) -> Doubt | None:
    deeds = evidence.deeds
    match claim.kind:
        case Kind.INSTALLED:
            return None if _installed(claim, deeds) else Doubt(claim, because(Why.NOT_INSTALLED_HERE))
        case Kind.COMMITTED if not _succeeded(_COMMITS, deeds):
            looked = _succeeded(_LOOKS_AT_GIT, deeds) and not any(deed.changed for deed in evidence.of_run)
            return None if looked else Doubt(claim, because(Why.NO_COMMIT))
        case Kind.PUSHED if not _succeeded(_PUSHES, deeds):
            return Doubt(claim, because(Why.NO_PUSH))
        case Kind.BUILT:
            return _fresh(
                claim, [d for d in deeds if any(_BUILDS.search(p.stem) for p in d.meant.parts)], evidence, BUILD
            )
        case Kind.LINT:
            return _linted(claim, evidence)
    return None


def _succeeded(pattern: re.Pattern[str], deeds: Iterable[Deed]) -> bool:
    return any(deed.succeeded and pattern.search(deed.command) for deed in deeds)


def _installed(claim: Claim, deeds: list[Deed]) -> bool:
    words = set(re.findall(r"[A-Za-z][\w.-]{2,}", claim.said.lower())) - {"the", "der", "die", "das"}
    for deed in deeds:
        if not deed.succeeded:
            continue
        if deed.meant.effect is not Effect.READ and _INSTALLS.search(deed.command):
            return True
        if words & set(re.findall(r"[A-Za-z][\w.-]{2,}", deed.command.lower())) - {"with", "pip", "npm", "apt"}:
            return True
    return False


def _fresh(claim: Claim, runs: list[Deed], evidence: Evidence, of: Course, *name: str) -> Doubt | None:
    """Whether the newest of these runs succeeded, and after the last change."""
    ran = [deed for deed in runs if deed.ran]
    if not ran:
        heard = any(deed.succeeded and _HEARSAY.search(deed.command) for deed in evidence.deeds)
        return None if heard else Doubt(claim, because(of.never, *name))
    if ran[-1].failed:
        return Doubt(claim, because(of.failed, *name, _status(ran[-1])))
    if ran[-1].begun:
        return Doubt(claim, because(of.begun, *name))
    if evidence.stale(ran[-1]):
        return Doubt(claim, because(of.stale, *name))
    return None


def _linted(claim: Claim, evidence: Evidence) -> Doubt | None:
    for name in claim.names or ("",):
        pattern = re.compile(rf"\b{re.escape(name)}\b") if name else _LINTS
        runs = [deed for deed in evidence.deeds if pattern.search(deed.command) and deed.meant.parts]
        if doubt := _fresh(claim, runs, evidence, RUN, name) if name else _fresh(claim, runs, evidence, CHECK):
            return doubt
    return None
