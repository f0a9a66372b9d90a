"""Films evaluations, and verifies them by playing their episodes again and comparing with the step records.

Verification takes the recorded actions, so it needs no policy: the policy may be deleted, and a person's episodes have
none. That way a video can be made from records later. Readings are not computed again; a hash of the whole file shows
whether anything was changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import traceback
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from rlviz.domain.clips import ClipRequest
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import EpisodeUnusable, RlvizError, VideoNotWritten, summarize_error
from rlviz.domain.evaluation import Difference, EpisodeResult, Verification, VerificationStatus
from rlviz.learning.algorithms.policy import Policy
from rlviz.learning.environments.conforming import brief_action
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing.rollout import MAX_EPISODE_STEPS, Env, Episode, Step, digest_of, numbers_of, play, seed_all
from rlviz.learning.playing.rollout import element_hash as hash_of
from rlviz.learning.playing.video import Caption, VideoRecorder
from rlviz.learning.records.about import COMPONENT
from rlviz.learning.records.reader import Column, StepFile
from rlviz.rundir.clips import Clips
from rlviz.rundir.files import open_file
from rlviz.rundir.folder import RunFolder


class Recorder(Protocol):
    """Writes frames to a video."""

    @property
    def frames(self) -> int:
        """Number of frames so far."""

    def add(self, picture: object, caption: Caption) -> None: ...


class Steps(Protocol):
    """Records steps, some of them with their frames."""

    def wants_frame(self, step: Step) -> bool:
        """Return whether the frame of ``step`` is needed. Called once for each step."""

    def add_frame(self, step: Step, picture: object) -> None:
        """Handle the frame of the step that is added next. Called with every drawn frame."""

    def add(self, step: Step, env: Env, seed: int) -> None: ...


def film(
    env: Env,
    policy: Policy,
    recorder: Recorder | None,
    *,
    episodes: int,
    seed: int,
    deterministic: bool,
    steps: Steps | None = None,
    max_steps: int = MAX_EPISODE_STEPS,
) -> Iterator[EpisodeResult]:
    """Play ``episodes`` episodes, each with the next seed from ``seed`` on; yield each when it has ended.

    An episode of n steps has n + 1 frames and n + 1 records: the reset, then the result of each step. So step k of an
    episode is frame ``first_frame + k`` of the video. Raises EpisodeUnusable for a reward that is not finite.
    """
    first_frame, seeds = 0, range(seed, seed + episodes)
    played = play([env], policy, seeds, deterministic=deterministic, max_steps=max_steps)
    for frame, step in enumerate(played):
        _check_reward(step)
        is_wanted = steps is not None and steps.wants_frame(step)
        if recorder is not None or is_wanted:
            picture = env.render()
            if steps is not None:
                steps.add_frame(step, picture)
            if recorder is not None:
                recorder.add(picture, Caption(step.episode + 1, episodes, step.number, step.episode_return))
        if steps is not None:
            steps.add(step, env, seeds[step.episode])
        if step.is_last:
            yield EpisodeResult(
                index=step.episode + 1,
                episode_return=step.episode_return,
                episode_length=step.number,
                terminated=step.terminated,
                truncated=step.truncated,
                seed=seeds[step.episode],
                first_frame=first_frame,
            )
            first_frame = frame + 1


def _check_reward(step: Step) -> None:
    if not math.isfinite(step.reward):
        raise EpisodeUnusable(
            f"The environment gave a reward of {step.reward} in step {step.number} of episode {step.episode + 1}, "
            f"after action {brief_action(step.action)}; rewards must be finite numbers."
        )


LOOK_EVERY = 25
"""Steps to play between two checks for more urgent requests."""


class MoreUrgent(Exception):
    """Raised during an episode when a more urgent request waits."""


class Interruption:
    """Raises MoreUrgent during an episode for ``request`` when a more urgent one arrives. The request stays."""

    def __init__(self, clips: Clips, request: ClipRequest) -> None:
        self._clips, self._request = clips, request

    def wants_frame(self, step: Step) -> bool:
        return False

    def add_frame(self, step: Step, picture: object) -> None:
        """Do nothing: frames are not rendered."""

    def add(self, step: Step, env: Env, seed: int) -> None:
        self.check(step.number)

    def check(self, step: int) -> None:
        """Check for more urgent requests. Call it with each step of an episode."""
        if step % LOOK_EVERY == 0 and self._clips.requests.is_overtaken(self._request):
            raise MoreUrgent


REPORT_EVERY = 1_000
"""Number of records between two reports of progress."""

_CHANGED = "The file was changed after it was written, in a part that a replay cannot check."


def verify(folder: RunFolder, evaluation_id: str, *, film: bool = False) -> Verification:
    """Verify an evaluation and write the result, also of a failure.

    With ``film``, a video is made meanwhile, which replaces that of the evaluation if nothing differs.
    """
    try:
        found = _filmed(folder, evaluation_id) if film else _verify(folder, evaluation_id, None)
    except Exception as error:
        traceback.print_exc()
        cause = (
            str(error)
            if isinstance(error, RlvizError)
            else f"{summarize_error(error)}; the traceback is in worker.log."
        )
        found = Verification(status=VerificationStatus.FAILED, cause=cause)
    found = found.model_copy(update={"film": film})
    folder.evaluations.write_verification(evaluation_id, found)
    return found


class _Differs(Exception):
    """The filmed episode differs from the recorded one."""


def _filmed(folder: RunFolder, evaluation_id: str) -> Verification:
    record, path = folder.evaluations.read(evaluation_id), folder.evaluations.video_path(evaluation_id)
    if record.summary is None:
        raise VideoNotWritten(f"Evaluation {evaluation_id} is not complete, so there is nothing to film.")
    if record.summary.steps is not None and record.summary.steps.cut:
        raise VideoNotWritten("The records are incomplete, because their file reached its maximum size.")
    found = Verification()
    fps = find_environment(folder.read_config()).render_fps
    with contextlib.suppress(_Differs), VideoRecorder(path, fps=fps, fits=True) as video:
        found = _verify(folder, evaluation_id, _Camera(video, len(record.summary.episodes)))
        if not found.identical:
            raise _Differs  # which discards the video
    if found.identical:
        facts = video.facts(path.relative_to(folder.path).as_posix())
        summary = record.summary.model_copy(update={"video": facts})
        folder.evaluations.write(record.model_copy(update={"video": True, "summary": summary}))
    return found


class _Camera:
    def __init__(self, video: VideoRecorder, episodes: int) -> None:
        self._video, self._episodes = video, episodes

    def show(self, step: Step, picture: object) -> None:
        self._video.add(picture, Caption(step.episode + 1, self._episodes, step.number, step.episode_return))


def _verify(folder: RunFolder, evaluation_id: str, camera: _Camera | None) -> Verification:
    config, path = folder.read_config(), folder.evaluations.steps_path(evaluation_id)
    steps = 0
    with StepFile(path, folder.path) as file:
        for steps, difference in _differences(file, config, camera):
            if difference is not None:
                return _completed(steps, difference)
            if steps % REPORT_EVERY == 0:
                report = Verification(steps=steps, film=camera is not None)
                folder.evaluations.write_verification(evaluation_id, report)
    summary = folder.evaluations.read(evaluation_id).summary
    if summary is not None and summary.steps is not None:
        with open_file(path, folder.path) as content:
            if hashlib.file_digest(content, "blake2b").hexdigest() != summary.steps.blake2b:
                return _completed(steps, None, _CHANGED)
    return _completed(steps, None)


def _completed(steps: int, difference: Difference | None, cause: str | None = None) -> Verification:
    return Verification(
        status=VerificationStatus.COMPLETED,
        identical=difference is None and cause is None,
        steps=steps,
        first_difference=difference,
        cause=cause,
    )


def _differences(file: StepFile, config: RunConfig, camera: _Camera | None) -> Iterator[tuple[int, Difference | None]]:
    """Yield the number of compared records, and the difference in the newest one, if any. ``camera`` films each."""
    compared = 0
    render = "frame_hash" in file.names
    with contextlib.closing(make_environment(config, render=render, whole_episodes=True)) as env:
        episode: Episode | None = None
        for columns in file.by_group(file.names):
            for row in range(len(columns["index"].numbers)):
                number, index = (int(columns[name].numbers[row]) for name in ("episode", "index"))
                compared += 1
                step = None
                if index == 0:
                    seed = file.about.episodes[number].seed
                    episode = Episode(env, number, seed, file.about.max_steps)
                    seed_all(episode, None, deterministic=True)
                    step = episode.begin()
                elif episode is not None and not episode.newest.is_last and columns["action"].present[row]:
                    step = episode.take_action(columns["action"].numbers[row])
                picture = env.render() if camera is not None or columns["frame_hash"].present[row] else None
                column = "index" if step is None else differing_column(file, columns, row, step)
                if column is None and not _same_frame(columns["frame_hash"], row, picture):
                    column = "frame_hash"
                if camera is not None and step is not None:
                    camera.show(step, picture)
                yield compared, None if column is None else Difference(episode=number, index=index, column=column)


def differing_column(file: StepFile, columns: dict[str, Column], row: int, step: Step) -> str | None:
    """Return the first of ``columns`` in which ``step`` differs from the record in ``row``; None if none does."""
    layout = file.about.observation.layout
    seen_hash = hash_of(layout, step.observation)
    came: dict[str, Any] = {
        "episode": step.episode,
        "index": step.number,
        "observation": numbers_of(layout, step.observation),
        "observation_hash": None if seen_hash is None else seen_hash.hex(),
        "reward": None if step.number == 0 else step.reward,
        "episode_return": step.episode_return,
        "terminated": step.terminated,
        "truncated": step.truncated,
        "cell": step.cell,
        **{COMPONENT + name: value for name, value in (step.components or {}).items()},
    }
    for name, value in came.items():
        if name in columns and not _same(columns[name], row, value):
            return name
    return None


def _same_frame(hashed: Column, row: int, picture: Any) -> bool:
    return not hashed.present[row] or bool(hashed.numbers[row] == digest_of(np.asarray(picture)).hex())


def _same(column: Column, row: int, value: Any) -> bool:
    if value is None or not column.present[row]:
        return value is None and not column.present[row]
    recorded = column.numbers[row]
    return bool(recorded == value) if isinstance(value, str) else np.array_equal(recorded, value, equal_nan=True)
