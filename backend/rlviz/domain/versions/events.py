"""How the lines of ``events.jsonl`` have changed."""

from __future__ import annotations

from collections.abc import Mapping

from rlviz.domain.versions.format import Document, Migration


def _name_the_worker(line: Document) -> Document:
    """The process of the worker stood in three fields; now it is one text, by which its launcher finds it."""
    data = line.get("data")
    if line.get("event") != "started" or not isinstance(data, Mapping) or type(data.get("pid")) is not int:
        return line
    process = (data["pid"], data.get("process_started_at"), data.get("boot_id") or "")
    fields = ("pid", "process_started_at", "boot_id")
    others = {key: value for key, value in data.items() if key not in fields}
    return {**line, "data": {"worker": "process:{}:{}:{}".format(*process), **others}}


MIGRATIONS = (
    Migration(
        "A `started` line names its worker by one text, `worker`, not by `pid`, `process_started_at` and `boot_id`.",
        _name_the_worker,
        {"pid": "worker", "process_started_at": "worker", "boot_id": "worker"},
    ),
)
