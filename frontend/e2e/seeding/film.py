"""Evaluations with a small real video of a cart and its pole."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image, ImageDraw

from rlviz.domain.clips import ClipRecord, FutureOutcome, FuturePlan
from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus, VideoFacts
from rlviz.domain.ids import new_evaluation_id, utc
from rlviz.learning.playing.summary import summarize
from rlviz.learning.playing.video import Caption, VideoRecorder
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from seeding.records import write_records

FPS = 50.0
SIZE = (400, 264)


_room = TemporaryDirectory(prefix="rlviz-film-")
remove_films = _room.cleanup
"""For a process that executes another program: otherwise they are deleted at its exit."""


@dataclass(frozen=True)
class Film:
    path: Path
    episodes: tuple[EpisodeResult, ...]
    facts: VideoFacts


@cache
def film(lengths: tuple[int, ...]) -> Film:
    """One MP4 with an episode of each length (steps), encoded once per process."""
    path = Path(_room.name) / f"{'-'.join(map(str, lengths))}.mp4"
    episodes: list[EpisodeResult] = []
    with VideoRecorder(path, fps=FPS) as recorder:
        for index, length in enumerate(lengths, start=1):
            first = recorder.frames
            for step in range(length + 1):
                recorder.add(_picture(step, index), Caption(index, len(lengths), step, float(step)))
            episodes.append(_episode(index, length, first, capped=length == max(lengths)))
    return Film(path, tuple(episodes), recorder.facts("film.mp4"))


def _episode(index: int, length: int, first: int, *, capped: bool) -> EpisodeResult:
    return EpisodeResult(
        index=index,
        episode_return=float(length),
        episode_length=length,
        terminated=not capped,
        truncated=capped,
        seed=1_000_000 + index - 1,
        first_frame=first,
    )


def _picture(step: int, episode: int) -> np.ndarray:
    image = Image.new("RGB", SIZE, (250, 250, 252))
    draw = ImageDraw.Draw(image)
    x = 200 + 90 * math.sin(step / 25 + episode)
    tilt = 0.25 * math.sin(step / 9 + episode)
    draw.line((0, 200, 400, 200), fill=(120, 126, 134), width=2)
    draw.rectangle((x - 28, 184, x + 28, 206), fill=(40, 46, 54))
    draw.line((x, 188, x + 110 * math.sin(tilt), 188 - 110 * math.cos(tilt)), fill=(201, 138, 61), width=9)
    return np.asarray(image)


def completed(
    folder: RunFolder,
    at: float,
    step: int,
    lengths: tuple[int, ...],
    *,
    keep: bool = True,
    filmed: bool = True,
    steps: bool = False,
) -> str:
    """A completed evaluation of the policy at ``step``; its video is retired unless ``keep``. Returns its id.

    ``steps``: with records of each.
    """
    name = new_evaluation_id(utc(at))
    video, facts = folder.evaluations.video_path(name), None
    if filmed:
        shot = film(lengths)
        episodes = shot.episodes
        facts = shot.facts.model_copy(update={"file": video.relative_to(folder.path).as_posix()})
        if keep:
            shutil.copyfile(shot.path, video)
    else:
        episodes = tuple(_episode(index, length, 0, capped=False) for index, length in enumerate(lengths, start=1))
    folder.evaluations.write(
        EvaluationRecord(
            id=name,
            run_id=folder.run_id,
            status=EvaluationStatus.COMPLETED,
            created_at=utc(at),
            started_at=utc(at + 1),
            ended_at=utc(at + 4),
            episodes=len(lengths),
            checkpoint="model.zip",
            checkpoint_step=step,
            episodes_done=len(lengths),
            video=filmed,
            summary=summarize(episodes, facts, write_records(folder, name, episodes) if steps else None),
        )
    )
    return name


def other_future(folder: RunFolder, evaluation_id: str, action: float, length: int) -> None:
    """Write the counterfactual of ``action`` after the first step, which ends after ``length`` steps."""
    clips, shot = Clips(folder), film((length,))
    clips.requests.make_folders()
    plan = FuturePlan(evaluation_id=evaluation_id, episode=0, index=0, action=[action])
    video = clips.video_path(plan.future_id)
    shutil.copyfile(shot.path, video)
    recorded = folder.evaluations.read(evaluation_id).summary
    assert recorded is not None
    was = recorded.episodes[0]
    clips.requests.answer(
        ClipRecord(
            id=plan.future_id,
            kind="future",
            seed=was.seed,
            greedy=True,
            video=shot.facts.model_copy(update={"file": video.relative_to(folder.path).as_posix()}),
            future=plan,
            outcome=FutureOutcome(
                episode_return=float(length),
                episode_length=length,
                terminated=True,
                truncated=False,
                cut=False,
                recorded_return=was.episode_return,
                recorded_length=was.episode_length,
            ),
        )
    )


def failed(folder: RunFolder, at: float, step: int, cause: str) -> None:
    folder.evaluations.write(
        EvaluationRecord(
            id=new_evaluation_id(utc(at)),
            run_id=folder.run_id,
            status=EvaluationStatus.FAILED,
            cause=cause,
            created_at=utc(at),
            started_at=utc(at + 1),
            ended_at=utc(at + 2),
            episodes=5,
            checkpoint="model.zip",
            checkpoint_step=step,
        )
    )
