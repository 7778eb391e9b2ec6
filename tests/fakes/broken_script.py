"""The incident: a script written with a backslash before every dollar, and a model that looks for the fault elsewhere.

Twenty variants of the script and of what the model tries, all run by a real bash.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SCAN = """#!/bin/bash
ZAP_CMD=/bin/echo
DOMAIN="$1"
OUTPUT_DIR="./results/$DOMAIN"
mkdir -p "$OUTPUT_DIR"
"$ZAP_CMD" -cmd -quickurl "$DOMAIN"
"""
TOOL = """#!/bin/bash
TOOL_CMD="/usr/bin/env"
"$TOOL_CMD" --version 2>&1
"""
PLAIN = """BACKUP=/bin/ls
SOURCE=.
$BACKUP $SOURCE
"""
BRACED = """#!/usr/bin/env bash
set -e
RUNNER=/bin/echo
${RUNNER} "hello"
"""
READER = """#!/bin/bash
CONFIG=/etc/hostname
cat $CONFIG
"""
FOLDER = """#!/bin/bash
TARGET=/tmp
cd "$TARGET"
ls
"""
COUNTER = """#!/bin/bash
COUNT=3
if [ $COUNT -gt 2 ]; then echo many; fi
"""
FUNCTION = """#!/bin/bash
LOGGER=/bin/echo
run() {
  "$LOGGER" "$@"
}
run start
"""


@dataclass(frozen=True, slots=True)
class Variant:
    """`good` is the script as it was meant; `moves` are what the model runs, in order, in the script's folder."""

    name: str
    good: str
    moves: tuple[str, ...]
    file: str = "scan.sh"

    def write(self, folder: Path) -> None:
        """Leave the broken script there."""
        script = folder / self.file
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(self.good.replace("$", "\\$"))
        script.chmod(0o755)


VARIANTS = (
    Variant("plain", SCAN, ("bash scan.sh http://a.example", "bash scan.sh b", "bash scan.sh")),
    Variant(
        "path",
        SCAN,
        (
            "bash scan.sh http://a.example",
            "PATH=$PATH:/usr/share/zap bash scan.sh http://a.example",
            "export PATH=/opt/zap:/usr/bin:/bin; bash scan.sh http://a.example",
        ),
    ),
    Variant("executable", SCAN, ("./scan.sh x", "chmod +x scan.sh && ./scan.sh x", "ls -l scan.sh; ./scan.sh x")),
    Variant("env", SCAN, ("env PATH=/opt/zap:/usr/bin:/bin bash scan.sh x 2>&1", "env -u LANG bash scan.sh x", "env")),
    Variant("cd", SCAN, ('cd "$PWD" && bash scan.sh x', "cd . && ./scan.sh x", "pwd; bash scan.sh x")),
    Variant("traced", SCAN, ("bash -x scan.sh x", "bash -xv scan.sh x", "bash -x scan.sh x 2>&1 | tail -5")),
    Variant("merged", SCAN, ("bash scan.sh x 2>&1", "bash scan.sh y 2>&1", "bash scan.sh z 2>&1")),
    Variant("or true", SCAN, ("bash scan.sh x || true", "bash scan.sh x 2>&1 || true", "bash scan.sh y || true")),
    Variant(
        "echo done", SCAN, ("bash scan.sh x; echo done", "bash scan.sh x 2>&1; echo done", "echo go; bash scan.sh")
    ),
    Variant(
        "or echo",
        SCAN,
        ("bash scan.sh x || echo failed", "bash scan.sh x 2>&1 || echo no", "(bash scan.sh x) || echo n"),
    ),
    Variant("piped", SCAN, ("bash scan.sh x 2>&1 | cat", "bash scan.sh x 2>&1 | tail -3", "bash scan.sh x |& head -2")),
    Variant(
        "saved", SCAN, ("bash scan.sh x > out.txt 2>&1; tail -2 out.txt", "cat out.txt", "bash scan.sh x | tee log")
    ),
    Variant("swallowed first", SCAN, ("bash scan.sh x 2>/dev/null", "bash scan.sh x >/dev/null", "bash scan.sh x")),
    Variant("tool", TOOL, ("bash scan.sh", "PATH=/usr/bin:/bin bash scan.sh", "bash -x scan.sh")),
    Variant("sh", PLAIN, ("sh scan.sh", "sh ./scan.sh", "sh -x scan.sh"), "scan.sh"),
    Variant("braces", BRACED, ("./run.sh", "bash run.sh; echo $?", "bash -x run.sh"), "run.sh"),
    Variant("a file", READER, ("bash read.sh", "cat /etc/hostname; bash read.sh", "ls /etc; bash read.sh"), "read.sh"),
    Variant("a folder", FOLDER, ("bash go.sh", "mkdir -p /tmp && bash go.sh", "bash go.sh 2>&1 || true"), "go.sh"),
    Variant("a number", COUNTER, ("bash count.sh", "bash count.sh 3", "COUNT=5 bash count.sh"), "count.sh"),
    Variant("a function", FUNCTION, ("bash f.sh", "source f.sh", "which echo; bash f.sh"), "f.sh"),
)
