"""What a call is meant to do: the programs it runs, what it runs them on, and whether that reads or changes things.

By the verb alone, for when nobody knows what changed on disk: a backtest, an overlap, a foreign journal. Pure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from agent.commandline import LONGEST, Simple, simple_commands


class Effect(StrEnum):
    """By intention. RUN is what may do either: a script, a test run, an unknown program."""

    READ = "read"
    RUN = "run"
    MUTATE = "mutate"


@dataclass(frozen=True, slots=True)
class Intent:
    """`verbs` are the stems of the programs in order; `targets` the operands and paths; `text` the command line."""

    tool: str
    text: str
    verbs: tuple[str, ...]
    targets: tuple[str, ...]
    effect: Effect
    parts: tuple[Simple, ...] = ()

    @property
    def mutates(self) -> bool:
        return self.effect is Effect.MUTATE


SHELLS = frozenset({
    "shell", "bash", "sh", "terminal", "exec", "execute", "run", "cmd", "command", "run_command", "execute_command",
    "execute_bash", "run_shell", "run_shell_command", "shell_command", "run_terminal_cmd", "bash_tool", "ctf",
})  # fmt: skip
CODE = frozenset({"python", "code", "ipython", "execute_python", "run_python", "notebook", "jupyter"})
COMMANDS = ("command", "cmd", "commands", "script", "input")
PATHS = ("path", "file_path", "filename", "file", "filepath", "target_file", "url", "directory", "query", "pattern")

READS = frozenset({
    "ls", "cat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "find", "fd", "wc",
    "pwd", "cd", "echo", "printf", "which", "type", "whereis", "file", "stat", "du", "df", "ps", "top", "free", "env",
    "printenv", "date", "whoami", "id", "hostname", "uname", "uptime", "diff", "cmp", "sort", "uniq", "cut", "tr",
    "awk", "gawk", "mawk", "sed", "jq", "yq", "xxd", "od", "hexdump", "strings", "md5sum", "sha1sum", "sha256sum",
    "cksum", "tree", "basename", "dirname", "realpath", "readlink", "test", "[", "[[", "true", "history", "man",
    "curl", "ping", "dig", "nslookup", "host", "ss", "netstat", "lsof", "pgrep", "pidof", "journalctl", "dmesg", "nl",
    "column", "comm", "paste", "seq", "sleep", "zcat", "tac", "rev", "fold", "lsblk", "lscpu", "nproc", "groups",
    "command -v", "command -V", "ip addr", "ip a", "ip link", "ip route", "open", "goto", "scroll_down", "scroll_up",
    "search_dir", "search_file", "find_file", "view", "git status", "git log", "git diff", "git show", "git blame",
    "git grep", "git ls-files", "git remote", "git rev-parse", "git describe", "git reflog", "git shortlog",
    "pip list", "pip show", "pip freeze", "pip check", "pip3 list", "pip3 show", "npm ls", "npm list", "npm view",
    "npm outdated", "cargo tree", "cargo metadata", "go list", "go env", "go version", "go doc", "docker ps",
    "docker images", "docker logs", "docker inspect", "docker version", "docker info", "systemctl status",
    "systemctl is-active", "systemctl is-enabled", "systemctl list-units", "service status", "kubectl get",
    "kubectl describe", "kubectl logs", "terraform show", "terraform output", "apt-cache", "apt list", "apt search",
    "apt show", "dpkg-query", "select", "show", "describe", "explain", "desc", "with",
})  # fmt: skip
MUTATIONS = frozenset({
    "rm", "mv", "cp", "mkdir", "rmdir", "touch", "ln", "chmod", "chown", "chgrp", "truncate", "dd", "install", "tee",
    "patch", "unzip", "zip", "gunzip", "gzip", "bzip2", "bunzip2", "xz", "unxz", "7z", "split", "mkfifo", "mktemp",
    "shred", "rsync", "scp", "sftp", "wget", "useradd", "userdel", "usermod", "groupadd", "passwd", "mount", "umount",
    "kill", "pkill", "killall", "crontab", "ed", "make", "cmake", "ninja", "gcc", "g++", "cc", "c++", "clang",
    "clang++", "rustc", "javac", "tsc", "dpkg", "create", "edit", "insert", "rename", "undo_edit", "git add",
    "git commit", "git checkout", "git switch", "git restore", "git merge", "git rebase", "git reset", "git pull",
    "git push", "git clone", "git init", "git stash", "git apply", "git am", "git cherry-pick", "git revert", "git rm",
    "git mv", "git tag", "git clean", "git fetch", "git worktree", "git submodule", "pip install", "pip uninstall",
    "pip download", "pip3 install", "pip3 uninstall", "uv pip install", "uv pip uninstall", "uv add", "uv sync",
    "poetry add", "poetry install", "conda install", "conda create", "conda env", "npm install", "npm i", "npm ci",
    "npm uninstall", "npm update", "npm init", "npm run build", "yarn add", "yarn install", "yarn remove", "pnpm add",
    "pnpm install", "cargo build", "cargo new", "cargo init", "cargo add", "cargo install", "cargo fix", "cargo fmt",
    "cargo clean", "cargo update", "go build", "go get", "go install", "go mod", "go generate", "gem install",
    "bundle install", "apt-get install", "apt-get remove", "apt-get purge", "apt-get update", "apt-get upgrade",
    "apt install", "apt remove", "apt update", "apt upgrade", "dnf install", "yum install", "apk add", "brew install",
    "docker build", "docker run", "docker rm", "docker rmi", "docker stop", "docker start", "docker restart",
    "docker pull", "docker push", "docker exec", "docker compose up", "docker compose down", "docker compose build",
    "systemctl start", "systemctl stop", "systemctl restart", "systemctl reload", "systemctl enable",
    "systemctl disable", "systemctl daemon-reload", "kubectl apply", "kubectl create", "kubectl delete",
    "kubectl patch", "kubectl scale", "helm install", "helm upgrade", "terraform apply", "terraform destroy",
    "terraform init", "terraform import", "update", "delete", "drop", "alter", "replace",
})  # fmt: skip
# The first or last word of a tool's name, where the tool isn't known.
_READING = frozenset({
    "read", "get", "list", "search", "find", "view", "show", "open", "query", "look", "lookup", "calculate", "think",
    "cat", "ls", "grep", "fetch", "web", "browse", "inspect", "check", "describe", "recent", "goto", "scroll",
})  # fmt: skip
_CHANGING = frozenset({
    "write", "edit", "create", "update", "delete", "remove", "save", "set", "add", "insert", "replace", "apply", "move",
    "rename", "copy", "put", "post", "send", "book", "cancel", "modify", "append", "patch", "exchange", "return",
    "upload", "install", "mkdir", "make",
})  # fmt: skip
_SQL_CHANGE = re.compile(r"(?:insert into|update \w|delete from|create |drop |alter |truncate )")  # in lower case
_CODE_CHANGE = re.compile(
    r"""open\([^()\n]{1,200}['"][wax][bt+]{0,2}['"]|\.write_(?:text|bytes)\(|\.to_(?:csv|json|parquet|excel|pickle)\("""
    r"|os\.(?:remove|rename|makedirs|mkdir|unlink|replace)\(|shutil\.|savefig\(|\.save(?:_pretrained)?\(|pickle\.dump\("
    r"|writeFile|fs\.(?:rm|mkdir|unlink)"
)
DATABASES = frozenset({"psql", "sqlite3", "mysql", "mariadb", "duckdb"})
_SENDING = re.compile(
    r"-[a-zA-Z]{0,5}[oO]|-[XdTF]|--(?:output|remote-name|data|request|upload-file|form)(?:=.{0,200})?"
)
_EDITING = re.compile(r"(?:-[a-zA-Z]{0,5}i|--in-place)")


@lru_cache(maxsize=64)
def intent(tool: str, arguments: str) -> Intent:
    """What a call means to do. `arguments` is the raw JSON text of the call, or a bare command line or code."""
    args = _object(arguments)
    name = tool.lower()
    command = _first(args, COMMANDS) or ("" if args else arguments)
    if name in SHELLS or (name in ("", "editor") and command):
        return _of_shell(tool, command.lstrip("!% \n") if command[:1] in "!%" else command)
    if name in CODE:
        code = _first(args, ("code", *COMMANDS)) or arguments
        return Intent(tool, code[:LONGEST], (tool,), (), _of_code(code))
    if name == "sql":
        return Intent(
            tool,
            arguments[:LONGEST],
            (tool,),
            (),
            Effect.MUTATE if _SQL_CHANGE.search(arguments[:LONGEST].lower()) else Effect.READ,
        )
    targets = tuple(str(args[key]) for key in PATHS if isinstance(args.get(key), str))
    return Intent(tool, arguments[:LONGEST], (tool,), targets, _of_name(name, args))


def _of_shell(tool: str, command: str) -> Intent:
    parts = simple_commands(command)
    effects = [effect_of(part) for part in parts]
    effect = next((each for each in (Effect.MUTATE, Effect.RUN) if each in effects), Effect.READ)
    targets = tuple(word for part in parts for word in (*part.operands, *part.writes))
    return Intent(
        tool, command[:LONGEST], tuple(p.stem for p in parts if p.stem), targets, effect if parts else Effect.RUN, parts
    )


def effect_of(part: Simple) -> Effect:
    """What one program of a command line does."""
    stem = part.stem.lower()
    if part.writes or stem in MUTATIONS or _changes(stem, part):
        return Effect.MUTATE
    if (
        stem in READS
        or (stem == "tar" and _lists(part.words[1:]))
        or (part.words[1:] and part.words[-1] in ("--version", "--help", "-V", "version", "help"))
    ):
        return Effect.READ
    return Effect.RUN


def _changes(stem: str, part: Simple) -> bool:
    """Whether the options make a program that mostly reads change something."""
    words = part.words[1:]
    match stem:
        case "sed" | "perl" | "perl -e" | "gawk" | "yq":
            return any(_EDITING.fullmatch(word) or word.startswith("--in-place") or word == "inplace" for word in words)
        case "sort":
            return "-o" in words
        case "curl":
            return any(_SENDING.fullmatch(word) for word in words)
        case "tar":
            return not _lists(words)
        case "find" | "fd":
            return "-delete" in words or ("-exec" in words and any(word in MUTATIONS for word in words))
        case "git branch" | "git config":
            return bool(part.operands) and "--get" not in words and "--list" not in words
    return any(_SQL_CHANGE.search(word.lower()) for word in words) if stem in DATABASES else _code_changes(stem, words)


def _lists(words: tuple[str, ...]) -> bool:
    return "--list" in words or any("t" in word.lstrip("-")[:4] for word in words[:1])


def _code_changes(stem: str, words: tuple[str, ...]) -> bool:
    return stem in ("python -c", "python3 -c", "node -e") and any(_CODE_CHANGE.search(word) for word in words[:1])


def _of_code(code: str) -> Effect:
    return Effect.MUTATE if _CODE_CHANGE.search(code[:LONGEST]) else Effect.RUN


def _of_name(name: str, args: dict[str, object]) -> Effect:
    words = re.split(r"[_\W]+", name[:80])
    inner = args.get("command")
    if isinstance(inner, str) and ("edit" in name or "editor" in words):  # str_replace_editor and its like
        return (
            Effect.READ
            if inner.split(" ", 1)[0] in ("view", "open", "goto", "scroll_down", "scroll_up")
            else Effect.MUTATE
        )
    for word in (words[0], words[-1]):
        if word in _CHANGING:
            return Effect.MUTATE
        if word in _READING:
            return Effect.READ
    return Effect.RUN


def _object(arguments: str) -> dict[str, object]:
    if not arguments.lstrip().startswith("{"):
        return {}
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _first(args: dict[str, object], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := args.get(key), str)), "")
