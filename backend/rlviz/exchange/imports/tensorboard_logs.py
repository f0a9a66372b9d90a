"""TensorBoard's event files, read without TensorBoard.

The framing is that of TFRecord (tensorflow.org/tutorials/load_data/tfrecord): length, its checksum, content, its
checksum; checksums are CRC-32C, masked. The content is an Event (tensorflow/core/util/event.proto).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from rlviz.domain.errors import ImportRefused
from rlviz.exchange.imports.found_run import FoundRun, Rows
from rlviz.exchange.imports.logged_settings import CONFIGURATION, take_text
from rlviz.exchange.imports.protobuf import BYTES, FIXED32, FIXED64, Value, fields, number, signed

SOURCE = "TensorBoard event files"

MOST_SCALAR_BYTES = 1 << 20
"""A longer record holds pictures, sounds or a graph, no scalars: it is stepped over."""

_FRAME = struct.Struct("<QI")
_TYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8"}
"""TensorFlow's numbers of float, double, int32 and int64."""


class Event(NamedTuple):
    step: int
    time: float
    scalars: dict[str, float]
    texts: dict[str, str]


def is_event_file(path: Path) -> bool:
    return ".tfevents." in path.name or path.name.endswith(".tfevents")


def read_event_files(paths: list[Path], found: FoundRun) -> None:
    """Add the scalars of event files of one folder, in the order of their names, to ``found``, and what their texts say
    of its settings. Raises ImportRefused, which names the file and the place in it, and OSError."""
    for path in sorted(paths):
        with path.open("rb") as file:
            _read_file(file, path.name, found)


def _read_file(file: BinaryIO, name: str, found: FoundRun) -> None:
    waiting, is_ours = _Waiting(found.rows), False
    for at, record in _records(file, name, found.rows):
        try:
            event = _event(record)
        except ValueError as error:
            raise ImportRefused(f"{name} holds something at byte {at:,} that is no event: {error}.") from None
        is_ours = is_ours or CONFIGURATION in event.texts
        for tag, text in event.texts.items():
            take_text(tag, text, found)
        if event.scalars:
            waiting.take(event, apart=is_ours or len(event.scalars) > 1)
    waiting.write()


class _Waiting:
    """Most tools write an event a scalar: those of one step that follow on one another become one row."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._event: Event | None = None

    def take(self, event: Event, *, apart: bool) -> None:
        last = self._event
        if last is None or apart or last.step != event.step or last.scalars.keys() & event.scalars.keys():
            self.write()
            self._event = event
        else:
            last.scalars.update(event.scalars)

    def write(self) -> None:
        if self._event is not None:
            self._rows.add(self._event.step, self._event.time, self._event.scalars)
        self._event = None


def _records(file: BinaryIO, name: str, rows: Rows) -> Iterator[tuple[int, bytes]]:
    """Each record with the byte at which it begins. A torn one at the end is left out with a warning.

    Raises ImportRefused for a checksum that differs, and for a file without any record.
    """
    size = file.seek(0, 2)
    at = file.seek(0)
    if size == 0:
        raise ImportRefused(f"{name} is empty. Nothing was logged into it, or it was not copied whole.")
    while at < size:
        head = file.read(_FRAME.size)
        if len(head) == _FRAME.size:
            length, checksum = _FRAME.unpack(head)
            if masked_crc(head[:8]) != checksum:
                raise _damaged(name, at)
            end = at + _FRAME.size + length + 4
        if len(head) < _FRAME.size or end > size:
            rows.warn(f"{name} ends within a record, at byte {at:,}: what was logged last may be missing.")
            return
        if length <= MOST_SCALAR_BYTES:
            record = file.read(length)
            if masked_crc(record) != int.from_bytes(file.read(4), "little"):
                raise _damaged(name, at)
            yield at, record
        at = file.seek(end)


def _damaged(name: str, at: int) -> ImportRefused:
    if at == 0:
        return ImportRefused(
            f"{name} is no event file of TensorBoard, or is damaged at its beginning: a checksum differs."
        )
    return ImportRefused(
        f"{name} is damaged at byte {at:,}: a checksum differs. Copy it again. If that does not help, "
        f"`head -c {at} {name}` is what comes before, and can be imported."
    )


def _event(record: bytes) -> Event:
    """Raises ValueError."""
    event = Event(0, 0.0, {}, {})
    for field, kind, value in fields(record):
        if field == 1 and kind == FIXED64:
            event = event._replace(time=number(kind, value))
        elif field == 2 and isinstance(value, int):
            event = event._replace(step=signed(value))
        elif field == 5 and isinstance(value, bytes):
            for inner, _, part in fields(value):
                if inner == 1 and isinstance(part, bytes):
                    _take_value(part, event)
    return event


def _take_value(message: bytes, event: Event) -> None:
    """A ``Summary.Value``: a scalar is its ``simple_value``, or a tensor of one element; a text a tensor of texts."""
    tag, tensor = "", None
    scalar: float | None = None
    for field, kind, value in fields(message):
        if field == 1 and isinstance(value, bytes):
            tag = value.decode(errors="replace")
        elif field == 2 and kind == FIXED32:
            scalar = number(kind, value)
        elif field == 8 and isinstance(value, bytes):
            tensor = value
    if scalar is None and tensor is not None:
        scalar, text = _read_tensor(tensor)
        if text is not None:
            event.texts[tag.removesuffix("/text_summary")] = text
    if scalar is not None and tag:
        event.scalars[tag] = scalar


def _read_tensor(message: bytes) -> tuple[float | None, str | None]:
    """The one number of a ``TensorProto``, or its first text; None and None for all others."""
    numbers: list[float] = []
    texts: list[bytes] = []
    dtype = 0
    content = b""
    for field, kind, value in fields(message):
        if field == 1 and isinstance(value, int):
            dtype = value
        elif field == 4 and isinstance(value, bytes):
            content = value
        elif field in (5, 6, 7, 10):  # float_val, double_val, int_val, int64_val
            numbers += _numbers(field, kind, value)
        elif field == 8 and isinstance(value, bytes):
            texts.append(value)
    if content and dtype in _TYPES and len(content) == np.dtype(_TYPES[dtype]).itemsize:
        numbers = [np.frombuffer(content, _TYPES[dtype])[0].item()]
    if len(numbers) == 1:
        return numbers[0], None
    return None, texts[0].decode(errors="replace") if texts else None


def _numbers(field: int, kind: int, value: Value) -> list[float]:
    """Those of a repeated field, packed or not."""
    if kind != BYTES or not isinstance(value, bytes):
        return [number(kind, value)]
    if field in (5, 6):
        size = "<f4" if field == 5 else "<f8"
        if len(value) % np.dtype(size).itemsize:
            raise ValueError("a tensor is cut short")
        return [float(one) for one in np.frombuffer(value, size)]
    return []  # packed integers: no tool logs scalars so


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
