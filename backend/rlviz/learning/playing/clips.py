"""Renders the clips of a run until no requests are left.

A clip is a scene of one policy's episode, with the curve of the return in a corner of the frame. Filming yields when
another request is more urgent.
"""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw

from rlviz.domain.clips import MAX_CLIP_STEPS, ClipRecord, ClipRequest, FuturePlan, PlayedEpisode, SlicePlan
from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EpisodeResult, VideoFacts
from rlviz.domain.metrics import EPISODE_REWARD
from rlviz.domain.recording import Detail
from rlviz.learning.algorithms.policy import Policy, RandomPolicy, TrainedPolicy
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing.evaluate import cause_of, load_policy
from rlviz.learning.playing.film import Interruption, MoreUrgent, film
from rlviz.learning.playing.futures import play_future
from rlviz.learning.playing.recording import (
    PictureStrips,
    Pixels,
    RecordingLevel,
    StepRecorder,
    check_picture,
    picture_layout,
    records_about,
)
from rlviz.learning.playing.rollout import Env
from rlviz.learning.playing.seen import step_saliency
from rlviz.learning.playing.value_slice import ranges_seen, value_slice
from rlviz.learning.playing.video import PLACE, Caption, MomentCaption, Thumbnail, VideoRecorder
from rlviz.learning.records.about import RecordsAbout
from rlviz.learning.records.writer import StepWriter
from rlviz.rundir.clips import Clips
from rlviz.rundir.files import remove_leftovers, write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import counted_rows
from rlviz.stats.arrays import Floats, downsample
from rlviz.stats.return_curve import WINDOW
from rlviz.stats.returns import moving_average

_POINTS = 200
_SHARE = 0.34  # share of the picture's width
_SMALLEST = 96  # pixels; a smaller curve cannot be read
_MIN_PICTURE = 320  # pixels; smaller pictures are enlarged by a whole number
_BACKGROUND, _ALL, _DONE, _NOW = (20, 22, 28), (92, 98, 112), (94, 178, 255), (255, 196, 84)
_OPACITY = 0.85


@dataclass(frozen=True)
class Progress:
    """Environment steps, and the mean return of the last episodes at each; both of shape (n,)."""

    steps: Floats
    returns: Floats


def progress_of(folder: RunFolder) -> Progress:
    """Return a few points of the mean return over the whole training; empty if no episode has ended.

    Raises RunFolderError.
    """
    steps, returns = list[float](), list[float]()
    for row in counted_rows(folder):
        value = row["values"].get(EPISODE_REWARD)
        if isinstance(value, int | float):
            steps.append(float(row["step"]))
            returns.append(float(value))
    if not steps:
        return Progress(np.empty(0), np.empty(0))
    means = moving_average(np.array(returns), min(WINDOW, len(returns)))
    known = np.isfinite(means)
    return Progress(*downsample(np.array(steps)[known], means[known], _POINTS))


class GrowthPicture:
    """Draws ``progress``, with the part up to ``step`` marked, into the upper right corner of pictures of one size."""

    def __init__(self, progress: Progress, step: int) -> None:
        self._progress, self._step = progress, step
        self._inset: Pixels | None = None

    def draw(self, picture: Pixels) -> Pixels:
        """Return a new picture, enlarged by a whole number if it is small."""
        times = -(-_MIN_PICTURE // picture.shape[1])
        drawn: Pixels = np.repeat(np.repeat(picture, times, axis=0), times, axis=1) if times > 1 else picture.copy()
        if self._inset is None:
            self._inset = self._paint(max(_SMALLEST, round(drawn.shape[1] * _SHARE)))
        height, width = self._inset.shape[:2]
        margin = max(4, width // 24)
        corner = drawn[margin : margin + height, -margin - width : -margin]
        inset = self._inset[: corner.shape[0]]
        corner[:] = (corner * (1 - _OPACITY) + inset * _OPACITY).astype(np.uint8)
        return drawn

    def _paint(self, width: int) -> Pixels:
        """Draw only the curve, at twice the size, and scale it down for smooth lines."""
        size = (2 * width, round(1.1 * width))
        image = Image.new("RGB", size, _BACKGROUND)
        draw = ImageDraw.Draw(image)
        points = self._points(*size)
        if len(points) > 1:
            draw.line(points, _ALL, 3)
            done = [point for point, step in zip(points, self._progress.steps, strict=True) if step <= self._step]
            if len(done) > 1:
                draw.line(done, _DONE, 5)
            x, y = done[-1] if done else points[0]
            draw.ellipse((x - 7, y - 7, x + 7, y + 7), _NOW)
        return np.asarray(image.resize((width, size[1] // 2), Image.Resampling.LANCZOS))

    def _points(self, width: int, height: int) -> list[tuple[float, float]]:
        steps, returns, pad = self._progress.steps, self._progress.returns, 14
        if len(steps) == 0:
            return []
        reach, low = max(float(steps[-1]), 1.0), float(returns.min())
        span = max(float(returns.max()) - low, 1e-9)
        x = pad + (width - 2 * pad) * steps / reach
        y = height - pad - (height - 2 * pad) * (returns - low) / span
        return list(zip(x.tolist(), y.tolist(), strict=True))


class Scene:
    """Films the frames of one policy's episode until ``interruption`` raises.

    Each frame goes to ``on_frame``, then gets ``overlay`` drawn on it.
    """

    def __init__(
        self,
        video: VideoRecorder,
        step: int,
        interruption: Interruption,
        on_frame: Callable[[Pixels], None] | None = None,
        overlay: GrowthPicture | None = None,
    ) -> None:
        self._video, self._step, self._interruption = video, step, interruption
        self._on_frame, self._overlay = on_frame, overlay
        self._last: tuple[Pixels, MomentCaption] | None = None

    @property
    def frames(self) -> int:
        return self._video.frames

    def add(self, picture: object, caption: Caption) -> None:
        self._interruption.check(caption.step)
        pixels = check_picture(picture)
        if self._on_frame is not None:
            self._on_frame(pixels)
        if self._overlay is not None:
            pixels = self._overlay.draw(pixels)
        self._last = pixels, MomentCaption(self._step, caption.step, caption.episode_return)
        self._video.add(*self._last)

    def hold(self, frames: int) -> None:
        """Repeat the last frame ``frames`` times."""
        for _ in range(frames if self._last is not None else 0):
            assert self._last is not None
            self._video.add(*self._last)


IDLE_SECONDS = 8.0
"""How long to wait for another request: users often click again, and everything is loaded already."""

POLL_SECONDS = 0.02
"""Time between two checks for a request."""

GROWTH_SECONDS = 8.0
"""Maximum length of each episode in a growth video."""

GROWTH_FPS = 40.0
"""Frames per second up to which a growth video is played faster than the environment."""

WHOLE_SECONDS = 25.0
"""A growth video is played so fast that the longest episode would fit in this time, but not above GROWTH_FPS frames per
second; never slower than the environment."""


def make_clips(folder: RunFolder, *, idle_seconds: float = IDLE_SECONDS) -> None:
    """Answer every request in ``film/clips/wanted``, the newest first, then wait a little for more.

    A request that fails is answered with the cause. Raises RunFolderError if the run cannot be read.
    """
    clips = Clips(folder)
    clips.requests.make_folders()
    remove_leftovers(clips.path, folder.path)
    with contextlib.closing(_Studio(folder, clips)) as studio:
        waits_since = time.monotonic()
        while time.monotonic() - waits_since < idle_seconds and folder.is_there():
            if (request := clips.requests.next()) is None:
                time.sleep(POLL_SECONDS)
                continue
            studio.fulfil(request)
            waits_since = time.monotonic()


class _Studio:
    """Answers requests for clips in the environment of a run."""

    def __init__(self, folder: RunFolder, clips: Clips) -> None:
        self._folder, self._clips = folder, clips

    @cached_property
    def config(self) -> RunConfig:
        config = self._folder.read_config()
        torch.set_num_threads(config.torch_threads)
        return config

    @cached_property
    def env(self) -> Env:
        return make_environment(self.config, render=True, whole_episodes=True)

    def close(self) -> None:
        if "env" in vars(self):
            self.env.close()

    def fulfil(self, request: ClipRequest) -> None:
        record = ClipRecord(
            id=request.id, kind=request.kind, seed=request.seed, greedy=request.greedy, future=request.future
        )
        try:
            if request.plan is not None:
                self._slice(request, request.plan)
            elif request.saliency is not None:
                policy = self._policy(request.policies[0])
                found = step_saliency(self._folder, self.env, policy, request.saliency)
                self._clips.write_saliency(request.id, found)
            elif request.future is not None:
                record = record.model_copy(update=self._depart(request, request.future))
            elif request.picture_only:
                record = record.model_copy(update=self._picture(request))
            else:
                record = record.model_copy(
                    update=self._grow(request) if request.kind == "growth" else self._play(request)
                )
        except MoreUrgent:
            return
        except Exception as error:
            traceback.print_exc()
            self._clips.remove_made(request.id)
            record = record.model_copy(update={"cause": cause_of(error)})
        self._clips.requests.answer(record)
        self._clips.retire(request.keep_bytes, spare=request.id)

    def _play(self, request: ClipRequest) -> dict[str, Any]:
        """Film and record one episode; return fields of the clip's record. Raises MoreUrgent."""
        thumbnail = Thumbnail()
        (step,), (file,) = request.steps, request.policies
        policy, about = self._policy(file), self._about(request)
        path = self._clips.steps_path(request.id)
        with (
            self._recorder(request) as video,
            StepWriter(path, self._folder.path, about, max_bytes=request.keep_bytes) as writer,
            self._pictures(request) as pictures,
            StepRecorder(writer, about, policy, level=RecordingLevel(Detail.STANDARD), pictures=pictures) as steps,
        ):
            scene = Scene(video, step, Interruption(self._clips, request), thumbnail.show)
            episode = self._episode(request, step, policy, scene, MAX_CLIP_STEPS, steps)
        self._write_thumbnail(request, thumbnail)
        return {
            "episodes": [episode],
            "video": self._facts(request, video),
            "steps": writer.facts(),
            "pictures": pictures and pictures.facts(self._name(self._clips.pictures_path(request.id))),
        }

    def _pictures(self, request: ClipRequest) -> AbstractContextManager[PictureStrips | None]:
        """Return the storage of the agent's observations if they are images."""
        if (layout := picture_layout(self.env)) is None:
            return contextlib.nullcontext()
        path = self._clips.pictures_path(request.id)
        return PictureStrips(path, self._folder.path, layout, max_bytes=request.keep_bytes)

    def _picture(self, request: ClipRequest) -> dict[str, Any]:
        """Make only a thumbnail. The episode is played without rendering, then again up to the chosen frame.

        Raises MoreUrgent when another request is more urgent.
        """
        (step,), (file,) = request.steps, request.policies
        policy = self._policy(file)
        (result,) = self._undrawn(request, policy, MAX_CLIP_STEPS)
        moment = max(1, round(result.episode_length * PLACE))
        for _ in self._undrawn(request, policy, moment):
            pass
        thumbnail = Thumbnail()
        thumbnail.show(check_picture(self.env.render()))
        self._write_thumbnail(request, thumbnail)
        return {"episodes": [_played(step, result, MAX_CLIP_STEPS)]}

    def _undrawn(self, request: ClipRequest, policy: TrainedPolicy, max_steps: int) -> Iterator[EpisodeResult]:
        """Play the episode, or its first ``max_steps`` steps, without rendering. The environment stays there."""
        return film(
            self.env,
            policy,
            None,
            episodes=1,
            seed=request.seed,
            deterministic=request.greedy,
            steps=Interruption(self._clips, request),
            max_steps=max_steps,
        )

    def _write_thumbnail(self, request: ClipRequest, thumbnail: Thumbnail) -> None:
        write_atomically(self._clips.thumbnail_path(request.id), thumbnail.webp(), self._folder.path)

    def _about(self, request: ClipRequest) -> RecordsAbout:
        """Return the metadata of the records. Clips are never verified, so only the first and last frame are hashed."""
        return records_about(
            self.config,
            self.env,
            deterministic=request.greedy,
            frames_every=MAX_CLIP_STEPS + 1,
            max_steps=MAX_CLIP_STEPS,
            clip_id=request.id,
        )

    def _grow(self, request: ClipRequest) -> dict[str, Any]:
        """Film an episode of each policy, with the curve of the return in a corner. Raises MoreUrgent."""
        episodes, curve = [], progress_of(self._folder)
        fps = growth_fps(find_environment(self.config))
        max_steps = max(1, round(GROWTH_SECONDS * fps))
        with self._recorder(request, fps) as video:
            for step, file in zip(request.steps, request.policies, strict=True):
                interruption = Interruption(self._clips, request)
                scene = Scene(video, step, interruption, overlay=GrowthPicture(curve, step))
                episodes.append(self._episode(request, step, self._policy(file), scene, max_steps))
                scene.hold(round(fps * 0.5))
        return {"episodes": episodes, "video": self._facts(request, video)}

    def _depart(self, request: ClipRequest, plan: FuturePlan) -> dict[str, Any]:
        """Film the future after another action. Raises MoreUrgent."""
        policy: Policy = self._policy(request.policies[0]) if request.policies else RandomPolicy(self.env.action_space)
        interruption = Interruption(self._clips, request)
        with self._recorder(request) as video:
            outcome = play_future(self._folder, self.env, policy, plan, video, interruption)
        return {"outcome": outcome, "video": self._facts(request, video)}

    def _slice(self, request: ClipRequest, plan: SlicePlan) -> None:
        """Compute a value slice, for which no episode is played."""
        seen = None if plan.evaluation_id is None else ranges_seen(self._folder, plan.evaluation_id)
        self._clips.write_slice(request.id, value_slice(self._policy(request.policies[0]), plan, seen))

    def _policy(self, file: str) -> TrainedPolicy:
        return load_policy(self._folder, self.config.algo, file)

    def _episode(
        self,
        request: ClipRequest,
        step: int,
        policy: TrainedPolicy,
        scene: Scene,
        max_steps: int,
        steps: StepRecorder | None = None,
    ) -> PlayedEpisode:
        first_frame = scene.frames
        (result,) = film(
            self.env,
            policy,
            scene,
            episodes=1,
            seed=request.seed,
            deterministic=request.greedy,
            steps=steps,
            max_steps=max_steps,
        )
        return _played(step, result, max_steps).model_copy(update={"first_frame": first_frame})

    def _recorder(self, request: ClipRequest, fps: float | None = None) -> VideoRecorder:
        """Return the recorder of a video with ``fps`` frames per second; None: those of the environment."""
        usual = find_environment(self.config).render_fps
        return VideoRecorder(self._clips.video_path(request.id), fps=fps or usual, fits=True)

    def _facts(self, request: ClipRequest, video: VideoRecorder) -> VideoFacts:
        return video.facts(self._name(self._clips.video_path(request.id)))

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder.path).as_posix()


def growth_fps(environment: Environment) -> float:
    """Return the frames per second of a growth video.

    Slow environments with long episodes, such as games, are played faster: at their own pace, GROWTH_SECONDS would show
    only the beginning of each episode.
    """
    whole = (environment.max_episode_steps or 0) / WHOLE_SECONDS
    return max(environment.render_fps, min(GROWTH_FPS, whole))


def _played(step: int, result: EpisodeResult, max_steps: int) -> PlayedEpisode:
    """Describe ``result`` of the policy of ``step`` as the first episode of a clip, cut off at ``max_steps`` steps."""
    cut = result.truncated and result.episode_length >= max_steps
    return PlayedEpisode(
        step=step,
        episode_return=result.episode_return,
        episode_length=result.episode_length,
        terminated=result.terminated,
        truncated=result.truncated and not cut,
        cut=cut,
        first_frame=0,
    )
