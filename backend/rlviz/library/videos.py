"""Store videos from your own program, each as an evaluation of its run."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain
from pathlib import Path
from threading import Lock

import numpy as np

from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus, VideoFacts
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.limits import LIMITS
from rlviz.learning.playing.recording import Pixels
from rlviz.learning.playing.summary import summarize
from rlviz.learning.playing.video import VideoRecorder, copy_for_browsers, probe_video
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_videos

Episodes = Sequence[tuple[float, int]]
"""Return and length of each episode."""


class TrackedVideos:
    """The videos of one run; the newest ``keep`` are kept. Thread-safe."""

    def __init__(self, folder: RunFolder, *, seed: int, keep: int) -> None:
        self._folder, self._seed, self._keep = folder, seed, keep
        self._lock = Lock()
        self._newest = datetime.min.replace(tzinfo=UTC)

    def add(
        self, source: str | os.PathLike[str] | Iterable[object], *, step: int, episodes: Episodes, fps: float
    ) -> Path:
        """Store a video; return its path. ``source``: a file or frames.

        Raises FileNotFoundError or ValueError for an invalid source, VideoNotWritten or OSError.
        """
        checked = _checked(episodes)
        if isinstance(source, str | os.PathLike):
            file = Path(source).expanduser()
            if not file.is_file():
                raise FileNotFoundError(f"There is no file {file}.")
            probe_video(file)
        elif not 0 < fps < math.inf:
            raise ValueError(f"fps is {fps!r}: it must be a number of frames per second.")
        with self._lock:
            now = self._now()
            evaluation_id = new_evaluation_id(now)
            target = self._folder.evaluations.video_path(evaluation_id)
            name = f"{target.parent.name}/{target.name}"
            with suppress(FileExistsError):
                target.parent.mkdir()
            if isinstance(source, str | os.PathLike):
                facts = copy_for_browsers(file, target, name=name)
            else:
                facts = _film(source, target, fps, name)
            self._folder.evaluations.write(self._record(evaluation_id, now, step, checked, facts))
            retain_videos(self._folder, self._keep)
            return target

    def _now(self) -> datetime:
        """Return the current time, at least a millisecond after the previous video, since ids of evaluations have
        milliseconds."""
        self._newest = max(datetime.now(UTC), self._newest + timedelta(milliseconds=1))
        return self._newest

    def _record(
        self, evaluation_id: str, now: datetime, step: int, episodes: Episodes, video: VideoFacts
    ) -> EvaluationRecord:
        results = [
            EpisodeResult(
                index=index,
                episode_return=episode_return,
                episode_length=length,
                terminated=False,
                truncated=False,
                seed=self._seed,
                first_frame=first,
            )
            for index, ((episode_return, length), first) in enumerate(
                zip(episodes, _first_frames(episodes, video.frames), strict=True), 1
            )
        ]
        return EvaluationRecord(
            id=evaluation_id,
            run_id=self._folder.run_id,
            status=EvaluationStatus.COMPLETED,
            created_at=now,
            started_at=now,
            ended_at=now,
            episodes=max(len(results), 1),
            episodes_done=len(results),
            seed=self._seed,
            checkpoint_step=step,
            summary=summarize(results, video),
        )


def _film(frames: Iterable[object], target: Path, fps: float, name: str) -> VideoFacts:
    pictures = map(_picture, frames)
    if (first := next(pictures, None)) is None:
        raise ValueError("The video has no frames.")
    with VideoRecorder(target, fps=fps) as recorder:
        for picture in chain([first], pictures):
            recorder.add(picture, None)
    return recorder.facts(name)


def _picture(frame: object) -> Pixels:
    """Return a frame as pixels. Raises ValueError if it is not a picture."""
    pixels = np.asarray(frame)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or pixels.size == 0:
        raise ValueError(
            f"A frame has shape {pixels.shape} and type {pixels.dtype}; it must be (height, width, 3) of uint8."
        )
    return pixels


def _first_frames(episodes: Episodes, frames: int) -> list[int]:
    """Return the first frame of each episode. A video has a frame for each step and usually one for each reset."""
    lengths = [length for _, length in episodes]
    for extra in (1, 0):
        if sum(lengths) + extra * len(lengths) == frames:
            return list(accumulate(chain([0], (length + extra for length in lengths[:-1]))))
    return [0 for _ in lengths]


def _checked(episodes: Episodes) -> Episodes:
    """Raises ValueError."""
    most = LIMITS.scored_episodes.maximum
    if len(episodes) > most:
        raise ValueError(f"{len(episodes):,} episodes are too many for a video; at most {most:,} are allowed.")
    try:
        plain = [(float(episode_return), int(length)) for episode_return, length in episodes]
    except (TypeError, ValueError) as error:
        raise ValueError(f"episodes is {episodes!r:.200}: it must be a list of (return, length).") from error
    if not all(math.isfinite(episode_return) and length >= 0 for episode_return, length in plain):
        raise ValueError("A return must be a finite number, and a length 0 or more.")
    return plain
