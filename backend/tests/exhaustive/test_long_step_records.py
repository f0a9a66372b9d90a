"""Recording of a very long episode in bounded memory. It is exhaustive because it plays the episode."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psutil

from rlviz.learning.records.reader import StepFile
from rlviz.learning.records.writer import StepWriter
from tests.support.step_files import about, row
from tests.unit.test_step_records import NAME


def test_recording_a_very_long_episode_needs_constant_memory_and_stops_at_the_size_limit(tmp_path: Path) -> None:
    said = about()
    process = psutil.Process()
    peaks = []
    with StepWriter(tmp_path / NAME, tmp_path, said, max_bytes=2_000_000) as writer:
        for index in range(120_000):
            noise = bytes(np.random.default_rng(index).bytes(16))
            writer.add(row(said, 0, index, [index, 0], None if index == 0 else 1, frame_hash=noise))
            if index % 20_000 == 0:
                peaks.append(process.memory_info().rss)
    facts = writer.facts()
    assert facts.cut
    assert 2_000_000 <= facts.size_bytes < 2_500_000
    assert facts.rows < 120_000
    assert peaks[-1] - peaks[1] < 60_000_000
    with StepFile(tmp_path / NAME, tmp_path) as file:
        assert file.about.cut
        assert file.rows == facts.rows
