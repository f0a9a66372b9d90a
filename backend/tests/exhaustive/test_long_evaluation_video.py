"""The memory of the recorder does not grow with the length of a video. It is exhaustive because it needs a long
video.
"""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from tests.unit.test_evaluation_recorder import pictures, record


def test_memory_does_not_grow_with_the_length_of_a_video(tmp_path: Path) -> None:
    def peak(frames: int) -> int:
        tracemalloc.start()
        try:
            record(tmp_path / f"{frames}.mp4", pictures(frames, 100, 150))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    one_frame = 100 * 150 * 3
    assert abs(peak(3_000) - peak(300)) < 2 * one_frame
