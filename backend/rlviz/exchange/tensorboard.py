"""A run's metrics as TensorBoard's event files, written without TensorBoard, and the framing of their records.

The framing is that of TFRecord (tensorflow.org/tutorials/load_data/tfrecord): length, its checksum, content, its
checksum; checksums are CRC-32C, masked. The content is an Event (tensorflow/core/util/event.proto).
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rlviz.domain.naming import TENSORBOARD
from rlviz.exchange.protobuf import FIXED32, FIXED64, VARINT, field

NAME = "events.out.tfevents.rlviz"
"""Of the event file of an export: the same each time, so that the next one replaces it."""

CONFIGURATION = "configuration"
"""The text in which our event files carry the configuration of a run."""

FRAME = struct.Struct("<QI")

_VERSION = field(3, "brain.Event:2")
_STRING = field(1, 7, VARINT)
"""TensorFlow's number of the type of texts."""
_TEXT_PLUGIN = field(9, field(1, field(1, "text")) + field(4, 2, VARINT))
"""Metadata by which TensorBoard shows a tensor on its page of texts."""


class EventFile:
    """One event file of scalars. Tags are the names of metrics as ``TENSORBOARD`` takes them."""

    def __init__(self, path: Path, configuration: str) -> None:
        """``configuration``: JSON, shown on TensorBoard's page of texts. Raises OSError: there must be no such file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("xb")
        self._write(0.0, 0, _VERSION)
        fenced = configuration.replace("`", "\\u0060")  # the same JSON, which does not end the block
        tensor = field(8, _STRING + field(8, f"```json\n{fenced}\n```"))
        self._write(0.0, 0, field(5, field(1, field(1, CONFIGURATION) + tensor + _TEXT_PLUGIN)))

    def add(self, time: float, step: int, values: Mapping[str, float | None]) -> int:
        """Write scalars, but what is null or no number; return how many. ``time``: Unix seconds."""
        scalars = [
            field(1, field(1, tag) + field(2, value, FIXED32))
            for tag, value in values.items()
            if isinstance(value, int | float)
        ]
        if scalars:
            self._write(time, step, field(5, b"".join(scalars)))
        return len(scalars)

    def flush(self) -> None:
        """Return once all that was added is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def _write(self, time: float, step: int, what: bytes) -> None:
        self._file.write(framed(field(1, time, FIXED64) + field(2, step, VARINT) + what))


class WrittenEvents(NamedTuple):
    """``values``: how many scalars were written; ``renamed``: metrics whose tag has another name, and that name."""

    values: int
    renamed: dict[str, str]


def write_event_files(rows: Iterable[Mapping[str, Any]], configuration: str, directory: Path) -> WrittenEvents:
    """Write scalars into one event file in ``directory``, whole or not at all.

    One that was written there before is replaced. ``rows``: ``step``, ``time`` (Unix seconds) and ``values`` by metric,
    as ``metrics.jsonl`` has them. Raises FileExistsError where event files of other programs lie, which TensorBoard
    would draw as the same run, and OSError.
    """
    if others := [path.name for path in sorted(directory.glob("*tfevents*")) if path.name != NAME]:
        raise FileExistsError(
            f"{directory} has event files already ({others[0]}), and TensorBoard would draw both as one run. Name a "
            "folder of its own."
        )
    target = directory / NAME
    if os.path.lexists(target) and (target.is_symlink() or not target.is_file()):
        raise FileExistsError(f"{target} is no regular file, and is not replaced. Name another folder.")
    directory.mkdir(parents=True, exist_ok=True)
    tags: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix=".rlviz-", dir=directory) as beside:
        written = Path(beside) / NAME
        file = EventFile(written, configuration)
        try:
            count = sum(file.add(row["time"], row["step"], _tagged(row["values"], tags)) for row in rows)
        finally:
            file.close()
        written.replace(target)
    return WrittenEvents(count, TENSORBOARD.renamed(tags))


def _tagged(values: Mapping[str, float | None], tags: dict[str, str]) -> dict[str, float | None]:
    """``tags``: the tag of each metric; new ones are added to it."""
    for name in values:
        if name not in tags:
            tags[name] = TENSORBOARD.encode(name)
    return {tags[name]: value for name, value in values.items()}


def framed(record: bytes) -> bytes:
    """Return a record with its length and its checksums."""
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", masked_crc(length)) + record + struct.pack("<I", masked_crc(record))


def _crc_table() -> list[int]:
    """Of the Castagnoli polynomial, reflected."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ 0x82F63B78 if byte & 1 else byte >> 1
        table.append(byte)
    return table


_CRC = _crc_table()


def masked_crc(content: bytes) -> int:
    """CRC-32C, masked as TFRecord does."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
