"""Which addresses of the network a page may be fetched from: public ones alone.

A name is resolved here and the connection goes to the very address that was judged, so that a name which answers
differently a moment later (DNS rebinding) leads nowhere else.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Union

from agent.errors import ToolError

Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]

RESOLVE_S = 10.0
# Prefixes under which an IPv4 address travels inside an IPv6 one, and the place of its first byte: NAT64 (RFC 6052,
# RFC 8215), 6to4 (RFC 3056).
_CARRIED = (
    (ipaddress.IPv6Network("64:ff9b::/96"), 12),
    (ipaddress.IPv6Network("64:ff9b:1::/48"), 12),
    (ipaddress.IPv6Network("2002::/16"), 2),
)
_NEVER = (ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("2001::/32"), ipaddress.IPv6Network("fec0::/10"))


def is_public(text: str) -> bool:
    """Whether an address, as the resolver writes it, belongs to the public internet and to no one machine's inside."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return all(map(_public, _meant(address)))


def _meant(address: Address) -> list[Address]:
    """The address and the IPv4 one that it carries."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    carried = [ipaddress.IPv4Address(address.packed[at : at + 4]) for net, at in _CARRIED if address in net]
    return [*carried] if carried else [address]


def _public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and any(address in net for net in _NEVER):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


async def resolved(host: str, port: int) -> list[str]:
    """The addresses of a host, all of them public. Raises ToolError for one that isn't, or is unknown."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(RESOLVE_S):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise ToolError(f"The name {host} could not be looked up within {RESOLVE_S:.0f} s.") from None
    except (OSError, UnicodeError) as error:
        raise ToolError(f"The name {host} can't be looked up: {_why(error)}. Check the spelling.") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not addresses or not all(map(is_public, addresses)):
        raise ToolError(
            f"Not fetched: {host} is an address inside this machine or its network, and web_fetch reaches public ones "
            "alone. For a service of this host use the shell, for example curl."
        )
    return addresses


def _why(error: Exception) -> str:
    return (error.strerror or "unknown") if isinstance(error, OSError) else "it is no name"
