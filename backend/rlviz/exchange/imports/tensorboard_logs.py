"""Reads TensorBoard event files without TensorBoard; ``rlviz.exchange.export`` describes the format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from rlviz.domain.errors import ImportRefused
from rlviz.domain.naming import TENSORBOARD
from rlviz.exchange.export import CONFIGURATION, FRAME, masked_crc
from rlviz.exchange.imports.found_run import NO_STEP, FoundRun, Rows, StepOrder, apply_text, to_step
from rlviz.exchange.protobuf import BYTES, FIXED32, FIXED64, Value, decode_number, read_fields, to_signed

SOURCE = "TensorBoard event files"

MOST_SCALAR_BYTES = 1 << 20
"""Longer records hold images, audio or a graph and are skipped."""

_TYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8"}
"""TensorFlow's type numbers of float, double, int32 and int64."""

_RECORD = "record at byte"
_SESSION_START = 1


@dataclass
class Event:
    step: int = 0
    time: float = 0.0
    scalars: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    starts_session: bool = False


def is_event_file(path: Path) -> bool:
    return ".tfevents." in path.name or path.name.endswith(".tfevents")


def read_event_files(paths: list[Path], found: FoundRun) -> None:
    """Add the scalars of event files of one folder to ``found``, oldest file first, and settings from their texts.

    A session that starts at a step, for example after resuming from a checkpoint, replaces what was logged from
    there on, as in TensorBoard. An unreadable file is skipped with a warning. Raises BeyondBounds.
    """
    log = _Log(found.rows)
    for path in sorted(paths, key=_begun_at):
        with found.reading(path), path.open("rb") as file:
            _read_file(file, path.name, found, log)
        log.write()


def _begun_at(path: Path) -> tuple[list[int], str]:
    """Return a sort key: the Unix seconds in the name, after ``tfevents``."""
    _, _, behind = path.name.partition("tfevents")
    return [int(seconds) for seconds in re.findall(r"[0-9]{1,18}", behind)[:1]], path.name


def _read_file(file: BinaryIO, name: str, found: FoundRun, log: _Log) -> None:
    is_ours = False
    for at, record in _records(file, name, found.rows):
        try:
            event = _event(record)
        except ValueError:
            found.rows.leave_out(name, at, "It is not a TensorBoard event.", _RECORD)
            continue
        is_ours = is_ours or CONFIGURATION in event.texts
        for tag, text in event.texts.items():
            apply_text(tag, text, found)
        if (event.scalars or event.starts_session) and to_step(event.step) is None:
            found.rows.leave_out(name, at, NO_STEP, _RECORD)
            continue
        if event.starts_session:
            log.restart(event.step, name)
        if is_ours:
            event.scalars = {TENSORBOARD.decode(tag): value for tag, value in event.scalars.items()}
        if event.scalars:
            log.add_event(event, name, at, apart=is_ours or len(event.scalars) > 1)


class _Log:
    """The rows of a folder. Most tools write one event per scalar: consecutive ones with the same step become one
    row."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self._first = rows, len(rows)
        self._order = StepOrder(rows)
        self._event: Event | None = None

    def add_event(self, event: Event, file: str, at: int, *, apart: bool) -> None:
        for tag in event.scalars:
            self._order.check(file, at, event.step, tag, _RECORD)
        last = self._event
        if last is None or apart or last.step != event.step or last.scalars.keys() & event.scalars.keys():
            self.write()
            self._event = event
        else:
            last.scalars.update(event.scalars)

    def restart(self, step: int, file: str) -> None:
        """Drop what was logged at ``step`` and later."""
        self.write()
        if count := self._rows.drop_from(step, self._first):
            self._rows.warn(
                f"{file} starts again at step {step:,}: {count:,} earlier rows from there on are "
                "dropped, as in TensorBoard."
            )
        self._order.restart(step)

    def write(self) -> None:
        if self._event is not None:
            self._rows.add(self._event.step, self._event.time, self._event.scalars)
        self._event = None


def _records(file: BinaryIO, name: str, rows: Rows) -> Iterator[tuple[int, bytes]]:
    """Yield each record with its first byte. A record with changed content is skipped; after a changed length, nothing
    can be found any more.

    Raises ImportRefused for a file without records.
    """
    size = file.seek(0, 2)
    at = file.seek(0)
    if size == 0:
        raise ImportRefused(f"{name} is empty. Nothing was logged, or the copy is incomplete.")
    while at < size:
        head = file.read(FRAME.size)
        if len(head) == FRAME.size:
            length, checksum = FRAME.unpack(head)
            if masked_crc(head[:8]) != checksum:
                raise _damaged(name, at, size)
            end = at + FRAME.size + length + 4
        if len(head) < FRAME.size or end > size:
            rows.warn(f"{name} ends within a record, at byte {at:,}: the last values may be missing.")
            return
        if length <= MOST_SCALAR_BYTES:
            record = file.read(length)
            if masked_crc(record) == int.from_bytes(file.read(4), "little"):
                yield at, record
            else:
                rows.leave_out(name, at, "It is damaged: a checksum differs.", _RECORD)
        at = file.seek(end)


def _damaged(name: str, at: int, size: int) -> ImportRefused:
    if at == 0:
        return ImportRefused(f"{name} is not a TensorBoard event file, or is damaged at the start: a checksum differs.")
    return ImportRefused(
        f"{name} is damaged at byte {at:,} of {size:,}: a checksum differs. The rest is skipped. Copy the "
        "file again if you have an intact one."
    )


def _event(record: bytes) -> Event:
    """Parse an event. Raises ValueError."""
    event = Event()
    for place, kind, value in read_fields(record):
        if place == 1 and kind == FIXED64:
            event.time = decode_number(kind, value)
        elif place == 2 and isinstance(value, int):
            event.step = to_signed(value)
        elif place == 5 and isinstance(value, bytes):
            for inner, _, part in read_fields(value):
                if inner == 1 and isinstance(part, bytes):
                    _apply_value(part, event)
        elif place == 7 and isinstance(value, bytes):  # a SessionLog; its first field is the status
            event.starts_session = any(inner == 1 and part == _SESSION_START for inner, _, part in read_fields(value))
    return event


def _apply_value(message: bytes, event: Event) -> None:
    """Add a ``Summary.Value``: scalars are a ``simple_value`` or a tensor of one element; texts are tensors of
    strings."""
    tag, tensor = "", None
    scalar: float | None = None
    for place, kind, value in read_fields(message):
        if place == 1 and isinstance(value, bytes):
            tag = value.decode(errors="backslashreplace")
        elif place == 2 and kind == FIXED32:
            scalar = decode_number(kind, value)
        elif place == 8 and isinstance(value, bytes):
            tensor = value
    if scalar is None and tensor is not None:
        scalar, text = _read_tensor(tensor)
        if text is not None:
            event.texts[tag.removesuffix("/text_summary")] = text
    if scalar is not None and tag:
        event.scalars[tag] = scalar


def _read_tensor(message: bytes) -> tuple[float | None, str | None]:
    """Return the only number of a ``TensorProto``, or its first text; None and None for others."""
    numbers: list[float] = []
    texts: list[bytes] = []
    dtype = 0
    content = b""
    for place, kind, value in read_fields(message):
        if place == 1 and isinstance(value, int):
            dtype = value
        elif place == 4 and isinstance(value, bytes):
            content = value
        elif place in (5, 6, 7, 10):  # float_val, double_val, int_val, int64_val
            numbers += _numbers(place, kind, value)
        elif place == 8 and isinstance(value, bytes):
            texts.append(value)
    if content and dtype in _TYPES and len(content) == np.dtype(_TYPES[dtype]).itemsize:
        numbers = [np.frombuffer(content, _TYPES[dtype])[0].item()]
    if len(numbers) == 1:
        return numbers[0], None
    return None, texts[0].decode(errors="replace") if texts else None


def _numbers(place: int, kind: int, value: Value) -> list[float]:
    """Return the numbers of a repeated field, packed or not."""
    if kind != BYTES or not isinstance(value, bytes):
        return [decode_number(kind, value)]
    if place in (5, 6):
        size = "<f4" if place == 5 else "<f8"
        if len(value) % np.dtype(size).itemsize:
            raise ValueError("a tensor is truncated")
        return [float(one) for one in np.frombuffer(value, size)]
    return []  # packed integers: no tool logs scalars that way
