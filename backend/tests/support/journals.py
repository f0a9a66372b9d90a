"""Write and read journals by hand."""

from __future__ import annotations

from pathlib import Path

from rlviz.rundir.journal import JournalWriter, read_journal


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def write(path: Path, *steps: int) -> None:
    """Append a row for each of ``steps``, at time 1000."""
    writer = JournalWriter(path, clock=Clock())
    for step in steps:
        writer.append({"step": step})
    writer.close()


def seqs(path: Path) -> list[int | None]:
    """Return the sequence number of each line, or None if it is broken."""
    return [line.record and line.record["seq"] for line in read_journal(path)]
