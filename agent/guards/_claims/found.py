"""What the clauses of a final text claim: of which kind, about what. By the verb, and the names beside it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from agent.guards._claims.clauses import CLEAN, Clause, clauses
from agent.guards._claims.sentences import fences
from agent.guards._claims.words import Words, words
from agent.plan import files_in
from agent.testruns import passed

MOST = 12  # claims of a text


class Kind(Enum):
    MADE = "made"
    CHANGED = "changed"
    DELETED = "deleted"
    MOVED = "moved"
    MODE = "mode"
    TESTS = "tests"
    COUNT = "count"
    RAN = "ran"
    SERVICE = "service"
    INSTALLED = "installed"
    COMMITTED = "committed"
    PUSHED = "pushed"
    BUILT = "built"
    LINT = "lint"


@dataclass(frozen=True, slots=True)
class Claim:
    """`names` are paths, commands or programs; `number` a count or a port; `done`: said as a deed of the run, not just
    as a state of things."""

    kind: Kind
    said: str
    names: tuple[str, ...] = ()
    number: int | None = None
    done: bool = True


def _words(pattern: str) -> Words:
    return words(rf"(?<![\w-])(?:{pattern})(?![\w-])")


_MAKE = _words(
    r"creat(?:ed)|wrote|written|saved?|generated|set up|stored|produced|exported|downloaded|put|made|erstellt|angelegt|"
    r"geschrieben|erzeugt|gespeichert|generiert|abgelegt|heruntergeladen|exportiert|eingerichtet|verfasst"
)
_LIES = _words(
    r"(?:is|are|now) (?:now |already )?(?:in|at|under|located|available|ready|stored|there|saved)|lives? (?:in|at)|"
    r"now lives|liegt|steht (?:jetzt )?(?:in|unter|bereit)|befindet sich|ist (?:jetzt |nun )?(?:da|bereit|verfügbar)|"
    r"stored as|found at|zu finden"
)
_CHANGE = _words(
    r"fixed|corrected|updated|modified|changed|edited|replaced|patched|refactored|adjusted|rewrote|rewritten|extended|"
    r"behoben|korrigiert|angepasst|geändert|bearbeitet|ersetzt|aktualisiert|überarbeitet|umgestellt|repariert|"
    r"umgeschrieben|erweitert|verbessert|ergänzt|added|now (?:\w+s|handles|trims|strips|uses|returns)"
)
_DELETE = _words(r"deleted|removed|gone|erased|wiped|cleaned up|gelöscht|entfernt|weg|beseitigt")
_MOVE = _words(r"moved|renamed|relocated|verschoben|umbenannt|copied|kopiert")
_COPY = _words(r"copied|kopiert")
_MODE = _words(
    r"executable|execut\w+ (?:permission|bit|right)s?|ausführbar\w*|ausführungsrecht\w*|ausführen-bit|chmod \+x|"
    r"can (?:now )?be executed(?: now)?|kann (?:jetzt |nun )?ausgeführt werden"
)
_TEST = words(
    r"(?<![\w/.-])(?:(?:unit|integration|regression)?[ -]?tests?|test[ -]?suites?|suite|testsuite\w*|\w*tests|specs?|"
    r"pytest|jest|vitest|unittests?|testlauf\w*)(?![\w/]|\.\w)"
)
_GOOD = words(
    r"\b(?:pass(?:es|ed|ing)?|green|succe(?:ss|ed)\w*|(?:runs?|ran|go(?:es)?|went) (?:all )?(?:through|clean\w*|fine|"
    r"ok)|"
    rf"bestanden\w*|bestehen|besteht|grün|erfolgreich\w*|durch|durchgelaufen|{CLEAN}|clean\w*|ok|okay|fine|sauber\w*|"
    r"einwandfrei|fehlerfrei|reibungslos|problemlos|well|works?|klapp\w+|funktionier\w+)\b"
)
_COUNT = words(
    r"(?<![\w.])(?P<a>\d{1,6}) (?:tests? )?(?:passed|passing|pass\b|green|bestanden\w*|grün\w*|erfolgreich\w*)"
    r"|(?<![\w.])(?P<b>\d{1,6}) (?:of|von|out of) (?P<all>\d{1,6})\b(?=.{0,20}\btests?)"
    r"|(?<![\w.])(?P<c>\d{1,6})/(?P<every>\d{1,6})(?![\w.])(?=.{0,20}\btests?)"
    r"|(?<![\w.])(?P<d>\d{1,6}) (?:\w+ )?tests? (?:pass\w*|green|bestanden|bestehen|grün|erfolgreich)"
)
_RUN = _words(
    r"ran|run|runs|executed|executing|running|execution|started|launched|ausgeführt\w*|ausführen\w*|laufen lassen|"
    r"läuft|"
    r"gestartet|aufgerufen|lief|durchgelaufen"
)
_SCRIPT = re.compile(r"\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl|php|lua|R|jl|go|ps1)$")
_PRESENT = _words(r"runs|run|läuft|running")
_TICKED = re.compile(r"`([^`\n]{2,300})`")
_PROGRAM = re.compile(r"^(?:\./)?[\w./-]+(?: .+)?$")
_SERVICE = _words(
    r"(?:web ?)?servers?|services?|apps?|applications?|api|daemon|site|website|dashboard|backend|frontend|endpoint|it|"
    r"webserver\w*|dienst\w*|anwendung\w*|webseite|seite|es|er|sie|http\.server|nginx|container|instance|instanz"
)
_UP = _words(
    r"running|listening|listens|up|live|started|reachable|available|online|serving|serves|läuft|lauscht|hört|gestartet|"
    r"erreichbar\w*|verfügbar|can be (?:reached|accessed)|bereit"
)
_PORT = words(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(?P<url>\d{2,5})\b|\bport[ :]{1,2}(?P<port>\d{2,5})\b")
_ELSEWHERE = words(r"https?://(?!localhost|127\.0\.0\.1|0\.0\.0\.0|\[::)[\w.-]+")
_INSTALL = _words(r"installed|installiert\w*")
_ALREADY = _words(r"already|bereits|schon|before|vorher|previously|pre-installed|vorinstalliert")
_COMMIT = _words(
    r"committed|commit(?:t)?et|eingecheckt|checked in|made (?:a|the) commit|(?:a|the|der|den|einen) commit"
)
_COMMITS = _words(
    r"committed|commit(?:t)?et|eingecheckt|checked in|made|created|in place|done|gemacht|angelegt|erstellt|erzeugt|"
    r"there"
)
_PUSH = _words(
    r"pushed|gepusht\w*|hochgeladen|(?:the |der )?push (?:went|is|was|succe\w+|ist|lief|hat|war)|on the remote|"
    r"auf dem remote"
)
_PUSHING = words(r"\b(?:push|gepusht|git|origin|remote|github|gitlab|repo\w*|branch|upstream|main|master)")
_BUILD = _words(r"builds?|built|compil\w+|kompil\w+|gebaut|bauen|baut|übersetz\w+|build-\w+")
_ALL = _words(r"everything|all(?: of them)?|they|alles|alle|sie")
_PREPOSED = words(
    r"\b(?:from|in|inside|into|of|within|aus|im|innerhalb|von|to)(?: (?:the|a|der|dem|den|die|das))?"
    r"(?: (?:file|script|module|datei|skript|modul))? [`'\"*(]*$"
)
_LINT = _words(
    r"ruff|mypy|eslint|flake8|pylint|black|prettier|clippy|pyright|tsc|lint\w*|type[ -]?check\w*|typprüfung|"
    r"typecheck\w*|"
    r"shellcheck|golangci-lint|linting"
)
_NAMES_OF_LINT = ("ruff", "mypy", "eslint", "flake8", "pylint", "black", "prettier", "clippy", "pyright", "tsc",
                  "shellcheck", "golangci-lint")  # fmt: skip


def claims(text: str) -> tuple[Claim, ...]:
    """What a text claims, in order, at most 12."""
    found: dict[tuple[Kind, tuple[str, ...], int | None], Claim] = {}
    for clause in clauses(text):
        for claim in _of(clause):
            found.setdefault((claim.kind, claim.names, claim.number), claim)
    for block in fences(text):
        if (count := passed(block)) is not None:
            found.setdefault((Kind.COUNT, (), count), Claim(Kind.COUNT, "the output of a test run", (), count))
    return tuple(found.values())[:MOST]


def _of(clause: Clause) -> Iterator[Claim]:
    yield from _about_files(clause)
    yield from _about_tests(clause)
    yield from _about_runs(clause)
    yield from _about_service(clause)
    yield from _about_programs(clause)


def _about_files(clause: Clause) -> Iterator[Claim]:
    text, paths = clause.text, files_in(clause.text) or _ticked_folders(clause.text)
    if not paths and (_MOVE.search(text) or _LIES.search(text)):
        paths = files_in(clause.sentence)
    if not paths:
        return
    whole = not _PREPOSED.search(text[: max(0, text.find(paths[0]))])  # it is about the file, not about what is in it
    made, gone, moved = (pattern.search(text) is not None for pattern in (_MAKE, _DELETE, _MOVE))
    if _MODE.search(text):
        yield Claim(Kind.MODE, text, paths[:1])
    elif made + gone + moved > 1:
        return
    elif (gone or moved) and not whole:
        yield Claim(Kind.CHANGED, text, paths)
    elif moved and (len(paths) > 1 or _LIES.search(clause.sentence)):
        yield Claim(Kind.MOVED, text, paths[-1:] if _COPY.search(text) else paths[-2:])
    elif gone:
        yield Claim(Kind.DELETED, text, paths)
    elif _CHANGE.search(text) and not made:
        yield Claim(Kind.CHANGED, text, paths)
    elif made or _LIES.search(text):
        yield Claim(Kind.MADE, text, paths, done=made)


def _ticked_folders(text: str) -> tuple[str, ...]:
    return tuple(name for name in _TICKED.findall(text) if name.endswith("/") and " " not in name)


def _about_tests(clause: Clause) -> Iterator[Claim]:
    text = clause.text
    if count := _COUNT.search(text):
        numbers = [int(count[name]) for name in "abcd" if count[name]]
        whole = next((int(count[name]) for name in ("all", "every") if count[name]), numbers[0])
        if numbers[0] == whole:
            yield Claim(Kind.COUNT, text, (), numbers[0])
    elif _GOOD.search(text) and (_TEST.search(text) or (_ALL.search(text) and _TEST.search(clause.sentence))):
        yield Claim(Kind.TESTS, text)


def _about_runs(clause: Clause) -> Iterator[Claim]:
    text = clause.text
    if not _RUN.search(text) or _PORT.search(text):
        return
    scripts = tuple(name for name in files_in(text) if _SCRIPT.search(name))
    commands = tuple(name for name in _TICKED.findall(text) if " " in name and _PROGRAM.fullmatch(name))
    names = commands or scripts
    if names and (_GOOD.search(clause.sentence) or not _PRESENT.search(text) or commands):
        yield Claim(Kind.RAN, text, names[:1])


def _about_service(clause: Clause) -> Iterator[Claim]:
    text = clause.text
    if _ELSEWHERE.search(clause.sentence) or not _UP.search(text):
        return
    port = _PORT.search(text) or _PORT.search(clause.sentence)
    if port is not None:
        yield Claim(Kind.SERVICE, text, (), int(port["url"] or port["port"]))


def _about_programs(clause: Clause) -> Iterator[Claim]:
    text = clause.text
    if _INSTALL.search(text) and not _ALREADY.search(text):
        yield Claim(Kind.INSTALLED, text)
    if _COMMIT.search(text) and _COMMITS.search(text):
        yield Claim(Kind.COMMITTED, text)
    if _PUSH.search(text) and _PUSHING.search(clause.sentence):
        yield Claim(Kind.PUSHED, text)
    told = clause.sentence if CLEAN in text else text
    if _LINT.search(told) and _GOOD.search(text):
        named = tuple(name for name in _NAMES_OF_LINT if re.search(rf"\b{name}\b", told, re.IGNORECASE))
        yield Claim(Kind.LINT, text, named)
    elif _BUILD.search(text) and _GOOD.search(text) and not _TEST.search(text):
        yield Claim(Kind.BUILT, text)
