"""Searches whose process is killed at any byte of the journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.searching import SPACE
from rlviz.domain.experiments import IntRange, SamplerName, Sweep
from rlviz.learning.search.study import JOURNAL, SearchRecord, Study


@pytest.mark.parametrize("name", [SamplerName.TPE, SamplerName.GRID])
def test_a_search_continues_complete_after_a_writer_kill_at_any_byte(tmp_path: Path, name: SamplerName) -> None:
    """A process killed while writing leaves a truncated line, its lock, or a partial proposal."""
    space: Any = {"n": IntRange(low=1, high=3), "kind": SPACE["kind"]}
    sweep = Sweep(space=space, sampler=name, trials=6)
    first = Study(tmp_path, "test", sweep)
    for _ in range(3):
        asked = first.ask()
        assert asked is not None
        first.complete(asked.number, float(asked.number))
    journal = tmp_path / JOURNAL
    whole = journal.read_bytes()
    for kept in range(0, len(whole), 97):
        journal.write_bytes(whole[:kept])
        (tmp_path / f"{JOURNAL}.lock").symlink_to(journal)
        again = Study(tmp_path, "test", sweep)
        while (asked := again.ask()) is not None:
            assert set(asked.values) == set(space)
        for trial in again.trials:
            again.complete(trial.number, 1.0)
        assert len(again.trials) == 6
        assert SearchRecord(tmp_path, "test").trials == again.trials
        if name is SamplerName.GRID:
            assert len({json.dumps(trial.values) for trial in again.trials}) == 6
