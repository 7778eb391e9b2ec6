"""The words by which tools complain, in English, German and French, as the patterns that `complaint` ranks lines with.

All are matched against lower case. Found by reading real outputs (tests/data/outputs), not by guessing.
"""

from __future__ import annotations

import re

# A line without any of these says nothing about a failure.
_ENGLISH = (
    "error", "err!", "exception", "fatal", "fail", "panic", "abort", "killed", "denied", "refus", "reject", "reset by",
    "conflict", "corrupt", "timed out", "timeout", "too (?:many|long|large|few)", "broken", "busy",
    "out of (?:memory|range)", "segmentation", "syntax",
    "no (?:such|space|module|rule|match|matching|targets|route|configured|required|tests|files)", "nothing to",
    "not (?:found|a |an |permitted|allowed|empty|supported|recogni|installed|in |exist|match|valid|specified|know|"
    "implemented|accessible|set|been|could|enough|authori)",
    "n't ", "has no ", "cannot", "could not", "does not", "did not", "must ", "already exists", "file exists",
    "is a directory", "exec format", "in use", "read-?only", "missing", "invalid", "illegal", "bad ",
    "un(?:able|known|recogni|expected|terminated|matched|bound|defined|reachable|resolved|declared|closed|formatted|"
    "supported|available|authori|balanced)",
    "would (?:be )?reformat", "style issues", "expected", "division by", "attempt to", "traceback", "assert",
)  # fmt: skip
_GERMAN = (
    "fehler", "fehlgeschlagen", "nicht", "kein", "konnte", "ungültig", "unbekannt", "abgelehnt", "verweigert",
    "gescheitert", "unerwartet", "schwerwiegend", "ist ein verz", "existiert bereits", "unterbrochen",
    "zu (?:viele|lang)", "schreibgesch",
)  # fmt: skip
_FRENCH = (
    "erreur", "échec", "échou", "impossible", "introuvable", "invalide", "inconnu", "aucun", "n'est", "n'exist",
    "existe", "est un dossier", "non (?:reconnu|accord|perm)", "inachev", "inattendu", "prématur",
    "ne (?:peut|correspond)", "sans liaison", "lecture seul", "refusé", "ni ceci", "brisé",
)  # fmt: skip
_SHAPES = (
    r":\d{1,6}:\d{1,6}: ",  # a place in a source file
    r"\n[a-z]{1,5}\d{3,4} ",  # a linter's code
    r"\n *e {3}",  # pytest's lines
    "● ",  # jest's
    "# ",  # go's package line and shell comments: the line below may be a place
)


def _by_first_letter(words: tuple[str, ...]) -> str:
    """One pattern of all, in which a letter that none begins with costs one comparison instead of a hundred."""
    groups = {letter: "|".join(w[1:] for w in words if w[0] == letter) for letter in sorted({w[0] for w in words})}
    return "|".join(f"{letter}(?:{rest})" for letter, rest in groups.items())


WORDS = re.compile("|".join((_by_first_letter((*_ENGLISH, *_GERMAN, *_FRENCH)), *_SHAPES)))

# A line that says error outright, or has the shape of one.
_OUTRIGHT = ("errors?", "err!", "fatal", "panic", "panicked", "exception", "critical", "traceback", "fehler",
             "schwerwiegend", "erreur")  # fmt: skip
ERROR = re.compile(
    _by_first_letter((*(f"{word}(?![a-z0-9_-])" for word in _OUTRIGHT), "no module named", "segmentation fault"))
    + r"|\*\*\* |: (?:not found|syntax error)$"
)
ERROR_START = re.compile(
    r"\A(?:e: |e {3,20}(?!assert\b|[\[\s])|● |--- fail|(?:failed|error) \S{1,300}::|[a-z]{1,5}\d{3,4} |make: \*"
    r"|invalid-syntax|[^\s:(]{1,200}(?::\d{1,6}:|\(\d{1,6},\d{1,6}\):))"
)

# A line that only says that something before it went wrong, or that belongs to another line.
_TRAILERS = (
    r"(?:make(?:\[\d{1,4}\])?|gmake): \*\*\* \[", "collect2: ", "compilation terminated",
    "error: (?:aborting due|could not compile|test failed|process didn|script )", r"\d{1,6} errors?\b",
    r"found \d{1,6} error", r"fail(?:$|[ \t])", r"failed \(", "failures?[ !:=]{0,2}$", "errors?:?$",
    "npm (?:err!|error)(?:$| (?:code|errno|syscall|path|command|a complete|lifecycle|to see|  |enoent$|enoent this"
    "|json.parse (?:failed|note)))",
    r"(?:[=✖ ]{0,80}|tests?(?: suites)?: {1,9})\d{1,6} (?:failed|passed|errors?|problems?)\b", "test result: ",
    "tests?(?: suites)?: ", "[_=*!-]{4}", "[0-9a-f]{8,16}:error:", "begin failed", "-- configuring incomplete",
    "caused by:$", "warning", r"\[warn\]", "hint: ", "note: ", "help: ", "at ", "in ", "from ", "raise ", "throw ",
    "stack trace", "error occurred when checking", r"[^\s:]{1,200}:\d{1,7}: \w{0,60}(?:error|exception)$",
    r"[.fesx]{1,200}\s{1,80}\[\s{0,2}\d{1,3}%\]$",
)  # fmt: skip
TRAILER = re.compile(rf"\A(?:{'|'.join(_TRAILERS)})")
TRAILS = (
    "exit status", "exit code", "exited with", "exiting with", "returned status", "returned non-zero", "child returned",
    "error is not recoverable", "had compilation errors", "had errors", ": warning", ": warnung", ": note: ",
    "--- failed",
)  # fmt: skip

# "0 errors": the reverse. The plain words let most lines skip the pattern.
HARMLESS = re.compile(r"\b(?:0|no|without|zero) (?:errors?|failures?|failed|problems?|issues?)\b|errors?[:=] ?0\b")
HARMLESS_WORDS = ("0 ", "no ", "without ", "zero ", "error: 0", "errors: 0", "errors=0")
