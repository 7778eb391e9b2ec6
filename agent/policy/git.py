"""git: its subcommands, and the settings by which it runs other programs."""

from __future__ import annotations

import re
from collections.abc import Callable

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads, unclear
from agent.policy.marks import is_known
from agent.policy.names import names
from agent.policy.options import Line, Takes, parse
from agent.policy.script import Simple

_GLOBAL = Takes("Cc", ("git-dir", "work-tree", "namespace", "exec-path", "config-env", "super-prefix", "attr-source"))
_READ = names(
    "status log diff show blame annotate ls-files ls-tree cat-file rev-parse rev-list describe shortlog grep "
    "for-each-ref show-ref merge-base name-rev diff-tree diff-index diff-files count-objects check-ignore "
    "check-attr whatchanged version help var verify-commit verify-tag cherry range-diff show-branch "
    "symbolic-ref"
)
_CHANGE = names(
    "add rm mv commit checkout switch restore reset merge rebase cherry-pick revert stash tag branch init "
    "clean apply am notes worktree gc prune fsck repack format-patch update-index update-ref write-tree "
    "commit-tree read-tree hash-object sparse-checkout rerere reflog pack-refs archive bundle mktag mktree "
    "replace"
)
_NETWORK = names(
    "push pull fetch clone ls-remote remote submodule lfs svn send-email request-pull daemon http-fetch "
    "http-push fetch-pack send-pack archive-remote imap-send p4 credential instaweb maintenance"
)
# Settings that name no program to run.
_HARMLESS_KEYS = re.compile(
    r"(?:user\.(?:name|email|signingkey)|color\..*|core\.(?:quotepath|autocrlf|filemode|ignorecase|abbrev|longpaths)"
    r"|init\.defaultbranch|commit\.gpgsign|tag\.gpgsign|advice\..*|safe\.directory|pull\.(?:rebase|ff)|log\..*"
    r"|merge\.(?:conflictstyle|ff)|rebase\.autostash|push\.default|diff\.(?:renames|algorithm|noprefix)"
    r"|status\..*|column\..*|format\.pretty|protocol\.version|gc\.auto)",
    re.IGNORECASE,
)
_NO_PAGER = frozenset(("cat", "", "false"))
_RUNS_A_PROGRAM = ("exec", "x", "upload-pack", "receive-pack", "extcmd", "open-files-in-pager", "O", "ext-diff")


def git(simple: Simple) -> Effects:
    """The effects of a git command."""
    line = parse(simple.words[1:], _GLOBAL, stop=True)
    if line.has("exec-path") and any(value for name, value in line.options if name.startswith("exec")):
        return unclear(Act.UNCLEAR, "git --exec-path")
    if line.has("config-env"):
        return unclear(Act.UNCLEAR, "git --config-env")
    for setting in line.values("c"):
        if not _is_harmless(setting):
            return unclear(Act.UNCLEAR, f"git -c {setting.partition('=')[0]}")
    inside = next(line.values("C"), None)
    words = line.operands
    findings = _subcommand(words)
    outside = tuple(line.values("git-dir", "work-tree"))
    changed = any(finding.tier > 0 for finding in findings.findings)
    places = (*((inside,) if inside else ()), *outside) if changed else ()
    return Effects(findings.findings, (*findings.writes, *places), runs=findings.runs, texts=findings.texts)


def _is_harmless(setting: str) -> bool:
    key, _, value = setting.partition("=")
    if key.lower() == "core.pager" or key.lower().startswith("pager."):
        return value in _NO_PAGER
    return is_known(setting) and _HARMLESS_KEYS.fullmatch(key) is not None


def _subcommand(words: tuple[str, ...]) -> Effects:
    if not words:
        return Effects((reads(),))
    name, rest = words[0], words[1:]
    if (name, rest[:1]) == ("bisect", ("run",)):
        return Effects((changes(Act.CHANGES_REPOSITORY, "git bisect"),), runs=(rest[1:],) if rest[1:] else ())
    if (name, rest[:1]) == ("submodule", ("foreach",)):
        return Effects((leaves(Act.NETWORK, "git submodule"),), texts=(" ".join(rest[1:]),))
    line = parse(rest, Takes("mFCcbBoxSGOn", ("message", "file", "output", "exec", "format", "extcmd")))
    if any(_runs(name, option) for option, _ in line.options):
        return unclear(Act.RUNS_COMMAND, f"git {name}")
    if name in _SPECIAL:
        return _SPECIAL[name](line)
    if name in _READ:
        outputs = tuple(line.values("output"))
        return Effects((changes(Act.WRITES_FILES, "git") if outputs else reads(),), outputs)
    if name in _CHANGE:
        return Effects((changes(Act.CHANGES_REPOSITORY, f"git {name}"),), tuple(line.values("output")))
    if name in _NETWORK:
        return Effects((leaves(Act.NETWORK, f"git {name}"),))
    return unclear(Act.UNCLEAR, f"git {name}") if is_known(name) else unclear(Act.FILLED_BY_SHELL, "git")


def _runs(name: str, option: str) -> bool:
    if option in ("x", "O"):
        return (name, option) in (("rebase", "x"), ("grep", "O"), ("difftool", "x"))
    return any(option == full or (len(option) > 3 and full.startswith(option)) for full in _RUNS_A_PROGRAM)


def _config(line: Line) -> Effects:
    getters = line.has("l", "list", "get", "get-all", "get-regexp", "show-origin") or line.operands[:1] in (
        ("list",), ("get",)
    )  # fmt: skip
    operands = tuple(word for word in line.operands if word not in ("get", "set", "list"))
    if line.has("e", "edit") or line.operands[:1] == ("edit",):
        return unclear(Act.UNCLEAR, "git config --edit")
    if getters or len(operands) == 1:
        return Effects((reads(),))
    if line.has("global", "system", "f", "file"):
        return Effects((leaves(Act.OUTER_SETTINGS, "git config"),))
    if operands and _is_harmless(f"{operands[0]}={operands[-1]}"):
        return Effects((changes(Act.CHANGES_REPOSITORY, "git config"),))
    return unclear(Act.UNCLEAR, f"git config {operands[0] if operands else ''}")


def _remote(line: Line) -> Effects:
    shows = not line.operands or (line.operands[0] == "get-url")
    return Effects((reads() if shows else leaves(Act.NETWORK, "git remote"),))


def _filter(line: Line) -> Effects:
    return unclear(Act.UNCLEAR, "git filter-branch")


def _symbolic(line: Line) -> Effects:
    return Effects((reads() if len(line.operands) < 2 else changes(Act.CHANGES_REPOSITORY, "git symbolic-ref"),))


def _archive(line: Line) -> Effects:
    if line.has("remote"):
        return Effects((leaves(Act.NETWORK, "git archive"),))
    return Effects((changes(Act.WRITES_FILES, "git archive"),), tuple(line.values("o", "output")))


def _worktree(line: Line) -> Effects:
    return Effects((changes(Act.CHANGES_REPOSITORY, "git worktree"),), line.operands[1:2])


def _init(line: Line) -> Effects:
    if line.has("template"):
        return unclear(Act.UNCLEAR, "git init --template")
    return Effects((changes(Act.CHANGES_REPOSITORY, "git init"),), line.operands)


def _lists(name: str) -> Callable[[Line], Effects]:
    """Subcommands that only list where nothing is named, or where they are asked to."""

    def rule(line: Line) -> Effects:
        asks = line.has("l", "list", "show-current", "contains", "merged") or line.operands[:1] in (
            ("list",),
            ("show",),
        )
        plain = not line.operands and all(option in _LISTING for option, _ in line.options) and name != "stash"
        return Effects((reads() if asks or plain else changes(Act.CHANGES_REPOSITORY, f"git {name}"),))

    return rule


_LISTING = names("a r v vv all remotes verbose n sort column no-column color no-color format")
_SPECIAL = {
    **{name: _lists(name) for name in ("branch", "tag", "stash")},
    "config": _config,
    "remote": _remote,
    "filter-branch": _filter,
    "symbolic-ref": _symbolic,
    "archive": _archive,
    "worktree": _worktree,
    "init": _init,
}
RULES: dict[str, Rule] = {"git": git}
