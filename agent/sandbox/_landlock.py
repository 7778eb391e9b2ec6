"""Confines the process it runs in by Landlock and seccomp, then becomes the command. Run as a script, stdlib only.

Arguments: ABI, network (0 or 1), TMPDIR, a count and so many writable folders, a count and so many hidden paths, the
folder to begin in, the command. All paths are real ones. Whatever goes wrong ends it before the command runs.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterator
from typing import NoReturn

LIBC = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446

# Rights of files in their order of appearance (linux/landlock.h). Reading folders isn't one that we handle: a rule
# covers everything below, so that the list of a folder above a hidden path would have to stay closed.
EXECUTE, WRITE_FILE, READ_FILE = 1 << 0, 1 << 1, 1 << 2
READ_DIR, MAKE_CHAR, MAKE_BLOCK = 1 << 3, 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
KNOWN = {3: (1 << 15) - 1, 4: (1 << 15) - 1}  # 5 and later: one more
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READS = EXECUTE | READ_FILE
TCP = 0b11  # bind and connect, from ABI 4 on
SCOPES, SCOPING = 0b11, 6  # abstract UNIX sockets and signals stay inside, from ABI 6 on
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")

PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 22, 24, 38
CAPABILITY_VERSION_3 = 0x20080522
EACCES, EPERM, ENOSYS = 13, 1, 38
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # BPF: ld [k], jeq, jge, ret
NUMBER, ARCH, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
IO_URING_SETUP, AF_UNIX = 425, 1
CALLS = {"x86_64": (0xC000003E, 41, 62), "aarch64": (0xC00000B7, 198, 129)}  # audit arch, socket, kill


def done(result: int) -> int:
    """Raises OSError for a system call that failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def around(folder: str, hidden: list[str]) -> Iterator[str]:
    """`folder`, or what is in it but for the hidden paths and the folders on the way to them."""
    below = [path for path in hidden if path == folder or path.startswith(folder.rstrip("/") + "/")]
    if not below:
        yield folder
    elif folder not in below:
        try:
            entries = [entry.path for entry in os.scandir(folder) if not entry.is_symlink()]
        except OSError:  # not ours to list, nor the command's
            return
        for path in entries:
            yield from around(path, below)


class Ruleset:
    """A Landlock ruleset being built."""

    def __init__(self, abi: int, network: bool) -> None:
        self._handled = KNOWN.get(abi, (1 << 16) - 1) & ~READ_DIR
        fields = [self._handled, 0 if network else TCP, SCOPES][: 1 if abi < 4 else 2 if abi < SCOPING else 3]
        attributes = struct.pack(f"{len(fields)}Q", *fields)
        self._fd = done(LIBC.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))

    def allow(self, path: str, rights: int) -> None:
        try:
            fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:  # gone since it was listed, or not ours to reach
            return
        rights &= self._handled if stat.S_ISDIR(os.fstat(fd).st_mode) else self._handled & OF_FILES
        done(LIBC.syscall(ADD_RULE, self._fd, 1, struct.pack("=Qi", rights, fd), 0))
        os.close(fd)

    def enforce(self) -> None:
        done(LIBC.syscall(RESTRICT_SELF, self._fd, 0))
        os.close(self._fd)


def restrict_files(abi: int, network: bool, writable: list[str], hidden: list[str]) -> None:
    rules = Ruleset(abi, network)
    for path in around("/", [*hidden, "/dev"]):
        rules.allow(path, READS)
    for path in (path for folder in writable for path in around(folder, hidden)):
        rules.allow(path, ~(MAKE_CHAR | MAKE_BLOCK))
    for name in DEVICES:
        rules.allow(f"/dev/{name}", READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV)
    rules.enforce()


def restrict_calls(abi: int, network: bool) -> None:
    """No sockets (Landlock knows TCP alone), or none in the file system; no way around the filter."""
    arch, socket, kill = CALLS[os.uname().machine]
    all_mine = [
        (EQUAL, 0, 4, kill),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (EQUAL, 0, 1, 0xFFFFFFFF),
        (RETURN, 0, 0, ERRNO | EPERM),
        (LOAD, 0, 0, NUMBER),
    ]
    install([
        (LOAD, 0, 0, ARCH),
        (EQUAL, 1, 0, arch),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, 0x40000000),  # the x32 calls
        (RETURN, 0, 0, ERRNO | ENOSYS),
        (EQUAL, 0, 1, IO_URING_SETUP),  # it opens sockets too
        (RETURN, 0, 0, ERRNO | ENOSYS),
        *(all_mine if abi < SCOPING else []),
        (EQUAL, 0, 3, socket),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (EQUAL, 0, 1, AF_UNIX) if network else (AT_LEAST, 0, 0, 0),
        (RETURN, 0, 0, ERRNO | EACCES),
        (RETURN, 0, 0, ALLOW),
    ])  # fmt: skip


def install(program: list[tuple[int, int, int, int]]) -> None:
    """A seccomp filter of (code, jump if true, jump if false, operand) (seccomp(2)). Raises OSError."""
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *entry) for entry in program))
    described = struct.pack("H6xQ", len(program), ctypes.addressof(code))
    done(LIBC.prctl(PR_SET_SECCOMP, 2, described, 0, 0))


def drop_privileges() -> None:
    """Root without capabilities, for good; nothing to do for anybody else."""
    for capability in range(64):
        if LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):  # past the last one, or not root
            break
    done(LIBC.capset(struct.pack("=Ii", CAPABILITY_VERSION_3, 0), bytes(24)))
    done(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def taken(words: list[str]) -> list[str]:
    """A count and so many words, taken out of `words`."""
    count = int(words.pop(0))
    found, words[:count] = words[:count], []
    return found


def main(words: list[str]) -> NoReturn:
    """Raises OSError where it can't confine, or can't start the command."""
    abi, network, folder = int(words[0]), words[1] == "1", words[2]
    words = words[3:]
    writable, hidden = taken(words), taken(words)
    os.chdir(words.pop(0))
    drop_privileges()
    restrict_files(abi, network, [*writable, folder], hidden)
    restrict_calls(abi, network)
    # Not by os.environ: the host runs this in a fork whose C environment is the command's and whose Python's isn't.
    LIBC.setenv(b"TMPDIR", os.fsencode(folder), 1)
    os.execv(words[0], words)


if __name__ == "__main__":
    main(sys.argv[1:])
