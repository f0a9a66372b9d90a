"""The packets between the worker of a session and the service, on a Unix socket.

A packet is its kind (one byte), the length of its content (four bytes, big endian), and the content:

- ``MESSAGE``: JSON. A worker sends a ServerMessage, which is passed on unchanged; the service sends a ClientMessage, a
  Presence or a Recording.
- ``STEP``: the Line of a PackedStep (one byte), then its other parts, each after its length (four bytes).
- ``SLICE``: a SliceMessage as JSON; a kind of its own because a newer one replaces it.
- ``RECORD``: empty. An episode was played by hand and needs a run to be stored in; a Recording answers.
- ``SECRET``: the first packet of a worker, by which the service recognises it.

The service imports this module, so it needs only the standard library and pydantic.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from rlviz.domain.evaluation import StepsWanted
from rlviz.domain.lazy_model import LAZY, LazyModel
from rlviz.domain.sessions import ClientMessage, Line

MAX_PACKET_BYTES = 64 << 20
"""Larger than any picture; a packet that claims to be longer is invalid."""

HEAD = struct.Struct(">BI")
_LENGTH = struct.Struct(">I")


class Kind(IntEnum):
    SECRET = 0
    MESSAGE = 1
    STEP = 2
    SLICE = 3
    RECORD = 4


class PackedStep(NamedTuple):
    """A StepRecord as JSON, its frame as JPEG, a SeenPictures as JSON, and its pictures as PNG. Empty if missing."""

    record: bytes
    frame: bytes = b""
    seen: bytes = b""
    pictures: bytes = b""
    line: Line = Line.PLAYED


class Presence(LazyModel):
    """A viewer has connected or left. A new viewer gets everything again."""

    type: Literal["presence"] = "presence"
    looks: bool


class Recording(LazyModel):
    """Episodes played by hand are stored in this run folder from now on, with step records if ``steps`` is set. The
    newest ``keep_videos`` videos are kept."""

    type: Literal["recording"] = "recording"
    run_folder: Path
    steps: StepsWanted | None
    keep_videos: int


WORKER_MESSAGE: TypeAdapter[ClientMessage | Presence | Recording] = TypeAdapter(
    Annotated[ClientMessage | Presence | Recording, Field(discriminator="type")], config=LAZY
)


def pack(kind: Kind, content: bytes) -> bytes:
    return HEAD.pack(kind, len(content)) + content


def parse_head(head: bytes) -> tuple[Kind, int]:
    """Return kind and length of the packet that starts with ``head``. Raises ValueError if it is invalid."""
    kind, length = HEAD.unpack(head)
    if length > MAX_PACKET_BYTES:
        raise ValueError(f"A packet cannot have {length:,} bytes.")
    return Kind(kind), length


def pack_step(step: PackedStep) -> bytes:
    *parts, line = step
    return pack(Kind.STEP, bytes([line]) + b"".join(_LENGTH.pack(len(part)) + part for part in parts))


def unpack_step(content: bytes) -> PackedStep:
    """Parse the content of a STEP packet. Raises ValueError if it is invalid."""
    parts, rest = [], memoryview(content)[1:]
    for _ in PackedStep._fields[:-1]:
        length = int.from_bytes(rest[: _LENGTH.size], "big")
        part, rest = rest[_LENGTH.size :][:length], rest[_LENGTH.size + length :]
        if len(part) < length:
            raise ValueError("The packet of a step is shorter than its header says.")
        parts.append(bytes(part))
    record, frame, seen, pictures = parts
    return PackedStep(record, frame, seen, pictures, Line(int.from_bytes(content[:1], "big")))
