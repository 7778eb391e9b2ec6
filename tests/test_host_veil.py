"""Secrets of our own start-up environment can't be read by our children (FAULTS S11)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, os, subprocess, sys
sys.path.insert(0, sys.argv[1])
from agent.host.veil import veil
count = veil(["the-token-itself", "not there", ""])
shown = subprocess.run(["cat", f"/proc/{os.getpid()}/environ"], capture_output=True, env={}).stdout.decode()
print(json.dumps([count, os.environ["TOKEN"], sorted(shown.split("\\0"))]))
"""


def test_the_kernel_shows_asterisks_and_the_program_keeps_what_it_read() -> None:
    root = str(Path(__file__).resolve().parents[1])
    environment = {"TOKEN": "the-token-itself", "URL": "http://the-token-itself@h", "OTHER": "stays"}
    ran = subprocess.run([sys.executable, "-c", PROGRAM, root], env=environment, capture_output=True, check=True)
    count, kept, shown = json.loads(ran.stdout)
    assert (count, kept) == (2, "the-token-itself")
    assert shown == ["", "OTHER=stays", f"TOKEN={'*' * 16}", f"URL=http://{'*' * 16}@h"]
