"""The wire format of protocol buffers (protobuf.dev/programming-guides/encoding), as far as event files need it."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Value = int | bytes


def read_fields(message: bytes) -> Iterator[tuple[int, int, Value]]:
    """Yield each field as (number, wire type, value): a varint as an unsigned integer, everything else as bytes.

    Raises ValueError for an invalid message.
    """
    at, end = 0, len(message)
    while at < end:
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, at = _varint(message, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError(f"wire type {kind} is unknown")
        if at + size > end:
            raise ValueError("a field is longer than its message")
        yield number, kind, message[at : at + size]
        at += size


def to_signed(value: int) -> int:
    """Return the int64 that a varint encodes."""
    return value - (1 << 64) if value >= 1 << 63 else value


def decode_number(kind: int, value: Value) -> float:
    """Return a float or double from its bytes, or the integer of a varint. Raises ValueError."""
    if kind == FIXED32 and isinstance(value, bytes):
        return float(struct.unpack("<f", value)[0])
    if kind == FIXED64 and isinstance(value, bytes):
        return float(struct.unpack("<d", value)[0])
    if isinstance(value, int):
        return to_signed(value)
    raise ValueError("bytes where a number is expected")


def encode_varint(value: int) -> bytes:
    """Encode an unsigned integer of up to 64 bits."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def encode_field(number: int, value: int | float | bytes | str, kind: int = BYTES) -> bytes:
    """Encode one field: text and messages as ``BYTES``, integers as ``VARINT``, doubles as ``FIXED64``, floats as
    ``FIXED32`` (too large ones become infinite)."""
    key = encode_varint(number << 3 | kind)
    if isinstance(value, str | bytes):
        content = value.encode() if isinstance(value, str) else value
        return key + encode_varint(len(content)) + content
    if kind == VARINT:
        return key + encode_varint(int(value) & 0xFFFF_FFFF_FFFF_FFFF)
    if kind == FIXED64:
        return key + struct.pack("<d", value)
    try:
        return key + struct.pack("<f", value)
    except OverflowError:
        return key + struct.pack("<f", math.copysign(math.inf, value))


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(message) or shift > 63:
            raise ValueError("a number does not end")
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
