"""A side-by-side video of two videos of different length."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import av
import numpy as np

from rlviz.domain.evaluation import VideoFacts
from rlviz.learning.playing.video import VideoRecorder


def film(path: Path, frames: int, level: int, *, height: int = 120, width: int = 160) -> VideoFacts:
    with VideoRecorder(path, fps=20) as video:
        for _ in range(frames):
            video.add(np.full((height, width, 3), level, np.uint8), None)
    return video.facts(path.name)


def decoded(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        assert container.streams.video[0].codec_context.pix_fmt == "yuv420p"
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(container.streams.video[0])]


def test_two_videos_are_placed_side_by_side_and_the_shorter_holds_its_last_frame(tmp_path: Path) -> None:
    film(tmp_path / "dark.mp4", 6, 60)
    film(tmp_path / "light.mp4", 12, 200, height=240, width=321)
    target = tmp_path / "both.mp4"
    from rlviz.learning.playing.side_by_side import Part, SideBySide

    parts = [Part(path=tmp_path / f"{name}.mp4", title=name * 40, subtitle="step 1,000") for name in ("dark", "light")]
    wanted = SideBySide(parts=(parts[0], parts[1]), target=target)
    done = subprocess.run(
        [sys.executable, "-m", "rlviz.learning.playing.side_by_side"],
        input=wanted.model_dump_json(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    frames = decoded(target)
    assert len(frames) == 12
    height, width = frames[0].shape[:2]
    assert (height, width) == (48 + 240, 320 + 322)
    for frame in (frames[0], frames[-1]):
        assert abs(float(frame[80:, 10:310].mean()) - 60) < 8
        assert abs(float(frame[80:, 330:630].mean()) - 200) < 8
    assert frames[0][:48].max() > 150  # the labels
