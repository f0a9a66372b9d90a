"""Indexing of a large run in bounded memory. It is exhaustive because it needs a large run."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.run_folders import make_run
from tests.unit.test_bounded_reading import MB, compress, no_collection, write_rows

__all__ = ["no_collection"]


def write_events(path: Path, size: int) -> None:
    with path.open("w") as file:
        count = 0
        while file.tell() < size:
            count += 1
            data = f'{{"message": "{count}{"y" * 400}"}}'
            file.write(f'{{"seq":{count},"time":1e9,"event":"warning","step":{count},"data":{data}}}\n')


@pytest.mark.usefixtures("no_collection")
def test_indexing_a_run_needs_little_memory(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "run-1")
    rows = write_rows(folder.metrics_path, 6 * MB)
    write_events(folder.events_path, 4 * MB)
    compress(folder.metrics_path)
    compress(folder.events_path)
    row_of_folder(folder)  # imports what it needs
    tracemalloc.start()
    try:
        row = row_of_folder(folder)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert row.step == 10 * rows
    assert peak < 6 * MB
