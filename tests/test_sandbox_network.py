"""What a boxed command can reach: nothing without `network`, and no socket in the file system in any case."""

from __future__ import annotations

import select
import socket
import uuid
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from agent.sandbox.sockets import listening
from agent.steps import Outcome
from tests.box_bench import CONFINING, Place, place

STREAM, DATAGRAM = socket.SOCK_STREAM, socket.SOCK_DGRAM
SPEAK = """python3 - <<'END'
import socket
with socket.socket({family}, {kind}) as end:
    end.settimeout(5)
    end.connect({address!r})
    end.send(b"from inside")
END
"""
IO_URING = "python3 -c 'import ctypes; print(ctypes.CDLL(None, use_errno=True).syscall(425, 1, bytes(120)))'"


@pytest.fixture(params=CONFINING)
def here(request: pytest.FixtureRequest) -> Iterator[Place]:
    yield from place("/var/tmp", request.param)


class Listeners:
    """Sockets outside; `heard` says which of them were spoken to."""

    def __init__(self, stack: ExitStack, here: Place) -> None:
        self._ends: dict[str, socket.socket] = {}
        self._addresses: dict[str, tuple[int, int, object]] = {}
        places = {
            "tcp": (socket.AF_INET, STREAM, ("127.0.0.1", 0)),
            "tcp6": (socket.AF_INET6, STREAM, ("::1", 0)),
            "udp": (socket.AF_INET, DATAGRAM, ("127.0.0.1", 0)),
            "abstract": (socket.AF_UNIX, STREAM, f"\0box-{uuid.uuid4().hex}"),
            "file": (socket.AF_UNIX, STREAM, str(here.outside / "socket")),
        }
        for name, (family, kind, address) in places.items():
            end = stack.enter_context(socket.socket(family, kind))
            try:
                end.bind(address)
            except OSError:  # no IPv6 here
                continue
            if kind == STREAM:
                end.listen()
            self._ends[name] = end
            self._addresses[name] = (int(family), int(kind), end.getsockname() if address[0] != "\0" else address)

    def speak(self, name: str) -> str:
        if name not in self._addresses:
            pytest.skip("no IPv6 here")
        family, kind, address = self._addresses[name]
        return SPEAK.format(family=family, kind=kind, address=address)

    def heard(self) -> set[str]:
        ready, _, _ = select.select([*self._ends.values()], [], [], 0)
        return {name for name, end in self._ends.items() if end in ready}


@pytest.fixture
def outside(here: Place) -> Iterator[Listeners]:
    with ExitStack() as stack:
        yield Listeners(stack, here)


@pytest.mark.parametrize("name", ["tcp", "tcp6", "udp", "abstract", "file"])
async def test_nothing_outside_hears_a_command(here: Place, outside: Listeners, name: str) -> None:
    async with here.bench() as at:
        ran = await at.run(outside.speak(name))
    assert outside.heard() == set()
    if name != "udp":  # which a loopback of its own takes from anybody
        assert ran.outcome is Outcome.FAILED


@pytest.mark.parametrize("name", ["tcp", "tcp6", "udp"])
async def test_a_command_with_network_is_heard(here: Place, outside: Listeners, name: str) -> None:
    async with here.bench() as at:
        at.network = True
        ran = await at.run(outside.speak(name))
    assert ran.outcome is Outcome.OK, ran.stderr.head
    assert outside.heard() == {name}


async def test_a_socket_in_the_file_system_is_out_of_reach_with_network_too(here: Place, outside: Listeners) -> None:
    """The service manager listens on one."""
    async with here.bench() as at:
        at.network = True
        assert (await at.run(outside.speak("file"))).outcome is Outcome.FAILED
        assert (await at.run("python3 -c 'import socket; socket.socketpair()'")).outcome is Outcome.OK
    assert outside.heard() == set()


async def test_the_system_call_that_opens_sockets_behind_a_filter_is_closed(here: Place) -> None:
    if here.kind == "bubblewrap":
        pytest.skip("it has namespaces and needs no filter")
    async with here.bench() as at:
        assert (await at.run(IO_URING)).stdout.head == "-1\n"


async def test_a_server_and_its_client_in_one_command_find_each_other(here: Place) -> None:
    if here.kind != "bubblewrap":
        pytest.skip("Landlock can't tell loopback from the rest")
    serve = "(cd . && exec python3 -m http.server 8123 --bind 127.0.0.1) >/dev/null 2>&1 & "
    ask = "for n in $(seq 100); do curl -sf 127.0.0.1:8123/file && break; sleep 0.1; done; kill %1"
    async with here.bench() as at:
        assert (await at.run(f"echo hi > file; {serve}{ask}")).stdout.head == "hi\n"


def test_listening_sockets_are_found_and_others_are_not(here: Place, outside: Listeners) -> None:
    with socket.socket(socket.AF_UNIX, DATAGRAM) as logger:
        logger.bind(str(here.outside / "log"))
        assert str(here.outside / "socket") in (found := listening())
        assert str(here.outside / "log") not in found


@pytest.mark.parametrize(
    "row",
    [
        "",
        "0000: 00000002 00000000 00010000 0001 01 1",
        "0000: 00000002 00000000 00010000 0001 01 1 @/abstract",
        "0000: 00000002 00000000 00010000 0001 01 1 /nowhere at all",
        "0000: 00000002 00000000 00010000 0001 01 1 /etc/passwd",
    ],
)
def test_rows_of_the_table_that_name_no_socket_are_passed_over(here: Place, row: str) -> None:
    table = here.root / "table"
    table.write_text(f"Num RefCount Protocol Flags Type St Inode Path\n{row}\n")
    assert listening(str(table)) == []


def test_a_table_that_cannot_be_read_has_no_sockets(here: Place) -> None:
    assert listening(str(here.root / "missing")) == []
