"""Videos of episodes that a person plays, with synthetic frames and a real ffmpeg."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from rlviz.domain.errors import VideoNotWritten
from rlviz.learning.playing.rollout import Step
from rlviz.learning.playing.video import join_videos
from rlviz.learning.sessions import camera as episode_film
from rlviz.learning.sessions.camera import Camera


def play(camera: Camera, numbers: Sequence[int], *, base: int = 0, person_acts: bool = False) -> None:
    """Play these steps; the brightness of each frame is ten times its number, plus ``base``."""
    for number in numbers:
        frame = np.full((400, 400, 3), base + 10 * number, np.uint8)
        camera.show(Step(0, number, None), frame, person_acts=person_acts)
        frame[:] = 255  # an environment may draw the next one into the same array


def levels(path: Path) -> list[int]:
    """Return the brightness of each frame in the video, from 0 to 25."""
    with av.open(str(path)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(container.streams.video[0])]
    return [round(float(frame[:300].mean()) / 10) for frame in frames]


def test_an_episode_has_a_frame_for_each_step_and_one_for_the_reset(tmp_path: Path) -> None:
    camera = Camera(tmp_path, fps=30, always=True)
    play(camera, range(12))
    film = camera.take_film()
    assert film is not None
    facts = film.finished.result(timeout=30)
    assert levels(film.path) == list(range(12))
    assert (facts.frames, facts.duration) == (12, 12 / 30)
    assert camera.take_film() is None


def test_the_videos_of_two_episodes_are_one_after_the_other(tmp_path: Path) -> None:
    camera, parts = Camera(tmp_path, fps=15, always=True), []
    for base in (0, 100):
        play(camera, range(8), base=base)
        film = camera.take_film()
        assert film is not None
        film.finished.result(timeout=30)
        parts.append(film.path)
    whole = tmp_path / "it's whole.mp4"
    join_videos(parts, whole)
    assert levels(whole) == [*range(8), *range(10, 18)]
    join_videos([whole, parts[0]], again := tmp_path / "again.mp4")
    assert levels(again) == [*range(8), *range(10, 18), *range(8)]


@pytest.mark.parametrize(
    ("numbers", "filmed"),
    [([0, 1, 2, 1, 2], None), ([0, 1, 2, 0, 1], [0, 1]), ([0, 1, 1], None)],
)
def test_a_step_back_ends_the_recording_unless_it_returns_to_the_start(
    tmp_path: Path, numbers: list[int], filmed: list[int] | None
) -> None:
    camera = Camera(tmp_path, fps=30, always=True)
    play(camera, numbers)
    film = camera.take_film()
    if film is not None:
        film.finished.result(timeout=30)
    assert (film and levels(film.path)) == filmed


def test_in_other_sessions_an_episode_is_filmed_if_a_person_controls_its_start(tmp_path: Path) -> None:
    camera = Camera(tmp_path, fps=30, always=False)
    play(camera, range(3))
    assert camera.take_film() is None
    play(camera, range(3), person_acts=True)
    assert camera.take_film() is not None


def test_a_video_that_the_encoder_cannot_keep_up_with_is_dropped_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episode_film, "MAX_WAITING_BYTES", 0)
    camera = Camera(tmp_path, fps=30, always=True)
    play(camera, range(3))
    film = camera.take_film()
    assert film is not None
    with pytest.raises(VideoNotWritten, match="keep up"):
        film.finished.result(timeout=30)
    assert list(tmp_path.iterdir()) == []


def test_a_discarded_episode_leaves_no_video(tmp_path: Path) -> None:
    camera = Camera(tmp_path, fps=30, always=True)
    play(camera, range(5))
    film: Any = camera._film
    camera.discard()
    with pytest.raises(VideoNotWritten):
        film.finished.result(timeout=30)
    assert list(tmp_path.iterdir()) == []


def test_invalid_videos_cannot_be_joined(tmp_path: Path) -> None:
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    with pytest.raises(VideoNotWritten):
        join_videos([tmp_path / "bad.mp4"], tmp_path / "whole.mp4")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.mp4"]
