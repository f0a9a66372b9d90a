"""What travels between the worker of a session and the service: packets on a Unix socket.

A packet is its kind (one byte), the length of what follows (four bytes, big endian), and that:

- ``MESSAGE``: JSON. From the worker a ServerMessage, handed on as it is; to the worker a ClientMessage or a Presence.
- ``STEP``: the length of a StepRecord (four bytes), the record as JSON, and its frame, or nothing, as JPEG.
- ``SECRET``: the first packet of a worker, by which the service knows that it is the one it started.

Only the standard library and pydantic: the service imports this.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter

from rlviz.domain.session_messages import ClientMessage

MAX_PACKET_BYTES = 64 << 20
"""More than the largest picture that anybody renders; what claims to be longer is no packet."""

HEAD = struct.Struct(">BI")
_LENGTH = struct.Struct(">I")


class Kind(IntEnum):
    SECRET = 0
    MESSAGE = 1
    STEP = 2


class Presence(BaseModel):
    """Somebody looks from now on, or nobody does. Whoever begins to look is told everything from the beginning."""

    type: Literal["presence"] = "presence"
    looks: bool


WORKER_MESSAGE: TypeAdapter[ClientMessage | Presence] = TypeAdapter(
    Annotated[ClientMessage | Presence, Field(discriminator="type")]
)


def pack(kind: Kind, content: bytes) -> bytes:
    return HEAD.pack(kind, len(content)) + content


def parse_head(head: bytes) -> tuple[Kind, int]:
    """Kind and length of the packet that begins with ``head``. Raises ValueError if none does."""
    kind, length = HEAD.unpack(head)
    if length > MAX_PACKET_BYTES:
        raise ValueError(f"A packet of {length:,} bytes is none.")
    return Kind(kind), length


def pack_step(record: bytes, frame: bytes) -> bytes:
    """``record``: JSON; ``frame``: JPEG, or empty."""
    return pack(Kind.STEP, _LENGTH.pack(len(record)) + record + frame)


def unpack_step(content: bytes) -> tuple[bytes, bytes]:
    """The record and the frame of a STEP packet."""
    (length,) = _LENGTH.unpack_from(content)
    end = _LENGTH.size + length
    return content[_LENGTH.size : end], content[end:]
