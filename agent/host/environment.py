"""The environment of a command: built new, from what is named here and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from agent.host.spill import Redacts

MARK = "AGENT_CALL_ID"  # on every process of ours: how a later start finds what a crash left behind
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# What may come from outside. No loader, shell start-up or interpreter variable is among them.
PASSED = (
    "HOME", "USER", "LOGNAME", "TZ", "XDG_RUNTIME_DIR",
    "http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS",
)  # fmt: skip

# Nobody sits at a terminal: no prompt, no pager, no colour, and output as soon as it is written.
FIXED = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "SHELL": "/bin/bash",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_MERGE_AUTOEDIT": "no",
    "DEBIAN_FRONTEND": "noninteractive",
    "NEEDRESTART_MODE": "a",
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONUNBUFFERED": "1",
}


def built(base: Mapping[str, str], redactor: Redacts) -> dict[str, str]:
    """All but the mark. A passed value that holds one of our secrets is left out."""
    passed = {name: base[name] for name in PASSED if name in base and not redactor.holds_secret(base[name])}
    home = passed.get("HOME", "/")
    # Last, so that nothing a user installed there takes the place of a system program.
    return {"HOME": home, **passed, **FIXED, "PATH": f"{PATH}:{home.rstrip('/')}/.local/bin"}
