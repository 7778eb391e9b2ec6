"""Places that matter: our own state, secrets, raw devices, start-up files; and what lies outside of the workspace.

A path may hold marks (see `marks`); then a place counts if it may be meant.
"""

from __future__ import annotations

from agent.acts import Act
from agent.policy.marks import MARKS, UNKNOWN, matches, segments, within
from agent.policy.names import names
from agent.policy.verdict import Finding, Scene, Tier

Parts = tuple[str, ...]


def _rows(text: str) -> dict[str, tuple[Parts, ...]]:
    """Places by their first name."""
    out: dict[str, tuple[Parts, ...]] = {}
    for place in text.split():
        parts = tuple(place.split("/"))
        out[parts[0]] = (*out.get(parts[0], ()), parts)
    return out


_OWN = Finding(Tier.NEVER, Act.OWN_STATE)
_SECRET = Finding(Tier.NEVER, Act.SECRETS)

# Wherever they stand.
_SECRETS = _rows(
    ".ssh/id_rsa .ssh/id_dsa .ssh/id_ecdsa .ssh/id_ed25519 .ssh/id_ecdsa_sk .ssh/id_ed25519_sk .ssh/identity "
    ".aws/credentials .aws/sso .aws/cli .config/gcloud .azure .kube/config .docker/config.json .git-credentials "
    ".gnupg/private-keys-v1.d .gnupg/secring.gpg .config/gh/hosts.yml .config/git/credentials .vault-token "
    ".terraform.d/credentials.tfrc.json .oci .password-store .config/rclone/rclone.conf .local/share/keyrings "
    ".config/op .netrc _netrc .pgpass etc/shadow etc/gshadow etc/shadow- etc/gshadow- etc/kubernetes/admin.conf "
    "run/secrets etc/ssl/private etc/ssh/ssh_host_rsa_key etc/ssh/ssh_host_ecdsa_key etc/ssh/ssh_host_ed25519_key"
)
# In a project they are ordinary files.
_SECRETS_OUTSIDE = _rows(".pypirc .npmrc .my.cnf id_rsa id_dsa id_ecdsa id_ed25519")
_SECRET_FOLDERS = names(".ssh .aws .gnupg .kube .config .docker")
_SECRET_ENDS = (".p12", ".pfx", ".kdbx", ".jks", ".ppk", ".key")
_DISKS = names("sd nvme vd xvd hd mmcblk dm- md mapper disk nbd sr mem kmem port kcore loop")
_PROCESS_SECRETS = names("environ mem auxv maps smaps pagemap kcore kmem")
_HARMLESS = names("/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/zero /dev/full /dev/random /dev/urandom")
_PLANTED = _rows(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .kshrc "
    ".inputrc .vimrc .ssh .git/hooks .git/config .gitconfig .config/git .config/systemd .config/autostart "
    ".config/fish .local/share/systemd systemd/system systemd/user .pam_environment .xprofile .xinitrc .xsession "
    ".tmux.conf .gdbinit .lesskey .forward .rhosts .shosts etc/cron.d etc/cron.daily etc/cron.hourly "
    "etc/cron.weekly etc/cron.monthly etc/crontab var/spool/cron etc/profile.d etc/profile etc/rc.local etc/init.d "
    "etc/ld.so.preload usercustomize.py sitecustomize.py .husky"
)


def forbidden(path: str, scene: Scene, *, deep: bool = False) -> Finding | None:
    """Our own state; with `deep`, also a folder that holds it."""
    for place in scene.forbidden:
        if within(path, place) or (deep and MARKS.isdisjoint(path) and _holds(path, place)):
            return _OWN
    return None


def mentioned(text: str, scene: Scene) -> Finding | None:
    """Our own state, spelled out somewhere in a text such as code."""
    for place in scene.forbidden:
        short = "~" + place[len(scene.home) :] if scene.home and place.startswith(scene.home + "/") else place
        for spelling in (place, short):
            at = text.find(spelling)
            while at >= 0:
                following = text[at + len(spelling) : at + len(spelling) + 1]
                if not (following.isalnum() or following in tuple("-_.")):
                    return _OWN
                at = text.find(spelling, at + 1)
    return None


def denied(path: str, scene: Scene, *, deep: bool = False) -> Finding | None:
    """What nobody's command may read: raw devices, other processes' secrets, private keys, credentials of clouds."""
    parts = segments(path)
    if not parts:
        return None
    if parts[0] == "dev" and len(parts) > 1 and path not in _HARMLESS and _is_disk(parts[1]):
        return Finding(Tier.NEVER, Act.RAW_DEVICE, f"/{'/'.join(parts)}")
    if parts[0] == "proc" and len(parts) > 1 and any(_meant(parts[-1], name) for name in _PROCESS_SECRETS):
        return Finding(Tier.NEVER, Act.PROCESS_MEMORY)
    if _is_secret(parts, path, scene) or (deep and parts[-1] in _SECRET_FOLDERS):
        return _SECRET
    return None


def planted(path: str) -> bool:
    """Whether writing there plants what is run or trusted later."""
    return _among(segments(path), _PLANTED)


def is_harmless(path: str) -> bool:
    """Whether writing there changes nothing."""
    return path in _HARMLESS or path.startswith("/dev/fd/")


def inside(path: str, scene: Scene) -> bool:
    """Whether a path, up to its first unknown part, lies in the workspace or in a folder that the sandbox keeps
    private."""
    if is_harmless(path):
        return True
    literal = _literal(path)
    real = scene.world.paths.get(scene.workspace, "") if scene.world else ""
    return any(literal == root or literal.startswith(root.rstrip("/") + "/") for root in (*_roots(scene), real) if root)


def is_open(path: str) -> bool:
    """Whether a path begins with something unknown, so that it may lie anywhere."""
    return segments(path)[:1] != () and segments(path)[0].startswith(UNKNOWN)


def _roots(scene: Scene) -> Parts:
    return (scene.workspace, *scene.scratch)


def _holds(path: str, place: str) -> bool:
    parts = segments(path)
    return segments(place)[: len(parts)] == parts


def _is_disk(name: str) -> bool:
    return UNKNOWN not in name and any(matches(name[: len(disk)], disk) for disk in _DISKS)


def _is_secret(parts: Parts, path: str, scene: Scene) -> bool:
    if _among(parts, _SECRETS):
        return not parts[-1].endswith(".pub")
    if inside(path, scene):  # keys made for a test are the workspace's own
        return False
    name = parts[-1].lower()
    pem = name.endswith(".pem") and ("key" in name or "priv" in name)
    return pem or name.endswith(_SECRET_ENDS) or _among(parts, _SECRETS_OUTSIDE)


def _among(parts: Parts, places: dict[str, tuple[Parts, ...]]) -> bool:
    """Whether the parts hold one of the places: all its names in a row."""
    for at, part in enumerate(parts):
        if MARKS.isdisjoint(part):
            rows = places.get(part, ())
        elif MARKS.issuperset(part):  # the first name must be spelled at least in part
            continue
        else:
            rows = tuple(row for first, of_first in places.items() if _meant(part, first) for row in of_first)
        if any(_row_at(parts[at:], row) for row in rows):
            return True
    return False


def _row_at(parts: Parts, row: Parts) -> bool:
    return len(parts) >= len(row) and all(_meant(part, name) for part, name in zip(parts, row, strict=False))


def _meant(part: str, name: str) -> bool:
    """One name. A part of which nothing is known means nothing, and a glob doesn't find what begins with a dot."""
    if part == UNKNOWN or (name.startswith(".") and part[0] in MARKS):
        return False
    return part == name or (not MARKS.isdisjoint(part) and matches(part, name))


def _literal(path: str) -> str:
    for at, char in enumerate(path):
        if char in MARKS:
            return path[:at].rpartition("/")[0] or "/"
    return path
