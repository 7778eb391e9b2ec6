"""Which files are shown as a photo: what Telegram takes as one and shows as it is. Pure."""

from __future__ import annotations

LARGEST = 10_000_000  # bytes: https://core.telegram.org/bots/api#sendphoto
LONGEST_SIDE = 2_560  # pixels; a larger one is shrunk: https://core.telegram.org/api/files#image-thumbnail-types
SHORTEST_SIDE = 16  # pixels; a smaller one is nothing to look at
MARKERS = 1_000  # of a JPEG that are looked through for its frame
NARROWEST = 20  # length to breadth: https://core.telegram.org/bots/api#sendphoto

_PNG = b"\x89PNG\r\n\x1a\n"
# Start-of-frame markers of JPEG, ITU-T T.81 table B.1: C0 to CF without DHT (C4), JPG (C8) and DAC (CC).
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset((0x01, *range(0xD0, 0xD9)))  # markers without a length


def is_photo(data: bytes) -> bool:
    """Whether these are the bytes of a PNG or JPEG that loses nothing as a photo."""
    if len(data) > LARGEST:
        return False
    short, long = sorted(_sides(data))
    return short >= SHORTEST_SIDE and long <= LONGEST_SIDE and long <= NARROWEST * short


def _sides(data: bytes) -> tuple[int, int]:
    """Width and height in pixels; (0, 0) where it is no picture or is damaged."""
    if data.startswith(_PNG) and data[12:16] == b"IHDR" and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    return _jpeg(data) if data.startswith(b"\xff\xd8\xff") else (0, 0)


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    for _ in range(MARKERS):
        if at + 9 > len(data) or data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker in _FRAMES:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker in _BARE:
            at += 2
        else:
            at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4]))
    return 0, 0
