"""A run's metrics as TensorBoard's event files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rlviz.domain.errors import ExtraMissing


def write_event_files(rows: Iterable[Mapping[str, Any]], configuration: str, directory: Path) -> int:
    """Write scalars into one event file in ``directory``; return how many.

    ``rows``: ``step``, ``time`` (Unix seconds) and ``values`` by metric, as ``metrics.jsonl`` has them; what is null is
    left out. Tags are the names of metrics. ``configuration``: JSON, shown on TensorBoard's page of texts.
    Raises ExtraMissing without the package tensorboard, and OSError.
    """
    try:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.plugins.text.summary_v2 import text_pb
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError as error:
        raise ExtraMissing("tensorboard") from error
    writer, count = EventFileWriter(str(directory)), 0
    try:
        texts = text_pb("configuration", f"```json\n{configuration}\n```")
        writer.add_event(Event(wall_time=0.0, step=0, summary=texts))
        for row in rows:
            known = ((name, value) for name, value in row["values"].items() if value is not None)
            values = [Summary.Value(tag=name, simple_value=value) for name, value in known]
            if values:
                writer.add_event(Event(wall_time=row["time"], step=row["step"], summary=Summary(value=values)))
                count += len(values)
    finally:
        writer.close()
    return count
