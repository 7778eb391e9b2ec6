"""Runs entries of this table again and tells which come out differently: `python record.py FOLDER [ID ...]`.

FOLDER is scratch and is emptied. The tools have to be installed; the entries of psql need a server in FOLDER/../pg.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path


def run(command: str, folder: Path, locale: str, user: str) -> tuple[int, str, str]:
    """(exit as a shell shows it, stdout, stderr)."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LC_ALL": locale, "TERM": "dumb"}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment | {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
        user=user or None,
    )
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return code, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def main(scratch: Path, wanted: set[str]) -> None:
    for file in sorted(Path(__file__).parent.glob("*.toml")):
        for entry in tomllib.loads(file.read_text("utf-8"))["output"]:
            if wanted and entry["id"] not in wanted:
                continue
            folder = scratch / "app"
            shutil.rmtree(scratch, ignore_errors=True)
            folder.mkdir(parents=True)
            run(entry.get("setup", "true"), folder, "C.UTF-8", "")
            now = run(entry["command"], folder, entry.get("locale", "C.UTF-8"), entry.get("user", ""))
            before = (entry["exit"], entry.get("stdout", ""), entry.get("stderr", ""))
            told = "same" if now == before else f"differs: {now}"
            sys.stdout.write(f"{entry['id']} {told}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), set(sys.argv[2:]))
