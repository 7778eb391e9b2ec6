"""Variables that change what programs do or which programs run (FAULTS S15)."""

from __future__ import annotations

from agent.acts import Act
from agent.policy.marks import is_known
from agent.policy.names import names
from agent.policy.verdict import Finding, Tier

_NAMES = names(
    "PATH ENV BASH_ENV SHELLOPTS BASHOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND IFS CDPATH GLOBIGNORE FIGNORE HOME SHELL "
    "EDITOR VISUAL PAGER MANPAGER BROWSER LESS LESSOPEN LESSCLOSE LESSKEY GCONV_PATH HOSTALIASES RES_OPTIONS "
    "LOCALDOMAIN NLSPATH TMPDIR MAKEFLAGS MAKEFILES GNUMAKEFLAGS MFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTC "
    "RUSTFLAGS CARGO_HOME PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PYTHONUSERBASE PYTHONEXECUTABLE "
    "PYTHONPLATLIBDIR PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYOPT RUBYLIB NODE_OPTIONS NODE_PATH JAVA_TOOL_OPTIONS "
    "_JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR GOFLAGS GOPROXY "
    "GOTOOLDIR GNUPGHOME TERMINFO TERMCAP XDG_CONFIG_HOME XDG_DATA_HOME XDG_CONFIG_DIRS SUDO_ASKPASS VIMINIT EXINIT "
    "TAR_OPTIONS RSYNC_RSH CVS_RSH WGETRC CURL_HOME MALLOC_CONF GLIBC_TUNABLES OPENSSL_CONF OPENSSL_ENGINES "
    "KUBECONFIG DOCKER_HOST HISTFILE INPUTRC ZDOTDIR FPATH MANPATH INFOPATH GREP_OPTIONS AWKPATH AWKLIBPATH "
    "PKG_CONFIG COMPILER_PATH LIBRARY_PATH GCC_EXEC_PREFIX LC_MESSAGES_PATH BASH_FUNC BASH_LOADABLES_PATH"
)
_PREFIXES = ("LD_", "DYLD_", "BASH_FUNC_", "npm_config_", "NPM_CONFIG_", "SSH_", "PIP_", "UV_", "CONDA_")
_PROXIES = names("http_proxy https_proxy all_proxy no_proxy ftp_proxy")
_GIT_HARMLESS = ("GIT_AUTHOR_", "GIT_COMMITTER_")
_NO_PROGRAM = names("cat true false :")


def assigned(name: str, value: str) -> Finding | None:
    """What setting this variable means, if it means anything."""
    pager = name in ("PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "GIT_EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR")
    if pager and value in _NO_PROGRAM:
        return None
    git = name.startswith("GIT_") and not name.startswith(_GIT_HARMLESS)
    if name in _NAMES or git or name.startswith(_PREFIXES) or name.lower() in _PROXIES:
        return Finding(Tier.LEAVE, Act.SETS, name, once=True)
    if "$(" in value or "`" in value:  # arithmetic and prompts run what stands in a variable (bash manual, "Shell
        return Finding(Tier.LEAVE, Act.COMMAND_IN, name, once=True)  # Arithmetic")
    return None if is_known(name) else Finding(Tier.LEAVE, Act.SETS_SOME, once=True)
