"""A run's metrics as TensorBoard's event files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rlviz.domain.errors import ExtraMissing

EXTRA = "tensorboard"
"""The optional part, named as its package, that writes them."""

NAME = "events.out.tfevents.rlviz"
"""Of the event file of an export: the same each time, so that the next one replaces it."""


def is_installed() -> bool:
    """Whether event files can be written. Nothing is imported."""
    return find_spec(EXTRA) is not None


class EventFile:
    """One event file, new in ``directory``. Tags are the names of metrics."""

    def __init__(self, directory: Path, configuration: str) -> None:
        """``configuration``: JSON, shown on TensorBoard's page of texts. Raises ExtraMissing without the package
        tensorboard, and OSError."""
        try:
            from tensorboard.compat.proto.event_pb2 import Event
            from tensorboard.compat.proto.summary_pb2 import Summary
            from tensorboard.plugins.text.summary_v2 import text_pb
            from tensorboard.summary.writer.event_file_writer import EventFileWriter
        except ImportError as error:
            raise ExtraMissing(EXTRA) from error
        self._event, self._summary = Event, Summary
        self._writer = EventFileWriter(str(directory))
        texts = text_pb("configuration", f"```json\n{configuration}\n```")
        self._writer.add_event(Event(wall_time=0.0, step=0, summary=texts))

    def add(self, time: float, step: int, values: Mapping[str, float | None]) -> int:
        """Write scalars, but what is null or no number; return how many. ``time``: Unix seconds."""
        known = ((name, value) for name, value in values.items() if isinstance(value, int | float))
        scalars = [self._summary.Value(tag=name, simple_value=value) for name, value in known]
        if scalars:
            self._writer.add_event(self._event(wall_time=time, step=step, summary=self._summary(value=scalars)))
        return len(scalars)

    def flush(self) -> None:
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()


def write_event_files(rows: Iterable[Mapping[str, Any]], configuration: str, directory: Path) -> int:
    """Write scalars into one event file in ``directory``, whole or not at all; return how many.

    One that was written there before is replaced. ``rows``: ``step``, ``time`` (Unix seconds) and ``values`` by metric,
    as ``metrics.jsonl`` has them. Raises FileExistsError where event files of other programs lie, which TensorBoard
    would draw as the same run, and what ``EventFile`` does.
    """
    if others := [path.name for path in sorted(directory.glob("*tfevents*")) if path.name != NAME]:
        raise FileExistsError(
            f"{directory} has event files already ({others[0]}), and TensorBoard would draw both as one run. Name a "
            "folder of its own."
        )
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".rlviz-", dir=directory) as beside:
        file = EventFile(Path(beside), configuration)
        try:
            count = sum(file.add(row["time"], row["step"], row["values"]) for row in rows)
        finally:
            file.close()
        [written] = Path(beside).iterdir()
        written.replace(directory / NAME)
    return count
