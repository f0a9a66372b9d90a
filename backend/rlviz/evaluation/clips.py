"""The worker of a run's clips: plays what is wanted until nothing is wanted any more."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Callable
from functools import cached_property

import torch

from rlviz.algorithms.policy import TrainedPolicy
from rlviz.domain.clips import MAX_CLIP_STEPS, ClipRecord, ClipWish, PlayedEpisode
from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import VideoFacts
from rlviz.domain.value_slice import SlicePlan
from rlviz.environments.custom import environment_of
from rlviz.environments.make import make_environment
from rlviz.evaluation.canvas import check_picture
from rlviz.evaluation.caption import Caption, MomentCaption, Pixels
from rlviz.evaluation.evaluate import cause_of, load_policy
from rlviz.evaluation.film import film
from rlviz.evaluation.growth import GrowthPicture, progress_of
from rlviz.evaluation.recorder import VideoRecorder
from rlviz.evaluation.thumbnail import Thumbnail
from rlviz.evaluation.value_slice import ranges_seen, value_slice
from rlviz.rollout.episode import Env
from rlviz.rundir.atomic import remove_leftovers, write_atomically
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder

IDLE_SECONDS = 8.0
"""So long it waits for the next wish: who has clicked clicks again, and finds everything loaded."""

LOOK_SECONDS = 0.02
GROWTH_SECONDS = 8.0
"""Of each episode in the video of a run's growth, at most."""


def make_clips(folder: RunFolder, *, idle_seconds: float = IDLE_SECONDS) -> None:
    """Answer every wish in ``film/clips/wanted``, the newest first, then wait a little for more.

    A wish that cannot be fulfilled is answered with the cause. Raises RunFolderError if the run cannot be read.
    """
    clips = Clips(folder)
    clips.make_folders()
    remove_leftovers(clips.path, folder.path)
    with contextlib.closing(_Studio(folder, clips)) as studio:
        waits_since = time.monotonic()
        while time.monotonic() - waits_since < idle_seconds and folder.is_there():
            if (wish := clips.newest_wish()) is None:
                time.sleep(LOOK_SECONDS)
                continue
            studio.fulfil(wish)
            waits_since = time.monotonic()


class _Studio:
    """The environment of a run, ready to film in."""

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

    def fulfil(self, wish: ClipWish) -> None:
        record = ClipRecord(id=wish.id, kind=wish.kind, seed=wish.seed, greedy=wish.greedy)
        try:
            if wish.plan is not None:
                self._slice(wish, wish.plan)
            else:
                episodes, video = self._grow(wish) if wish.kind == "growth" else self._play(wish)
                record = record.model_copy(update={"episodes": episodes, "video": video})
        except Exception as error:
            traceback.print_exc()
            self._clips.video_path(wish.id).unlink(missing_ok=True)
            self._clips.slice_path(wish.id).unlink(missing_ok=True)
            record = record.model_copy(update={"cause": cause_of(error)})
        self._clips.answer(record)
        self._clips.retire(wish.keep_bytes, spare=wish.id)

    def _play(self, wish: ClipWish) -> tuple[list[PlayedEpisode], VideoFacts]:
        """One episode."""
        thumbnail = Thumbnail()
        with self._recorder(wish) as video:
            (step,), (file,) = wish.steps, wish.policies
            scene = _Scene(video, step, thumbnail.show)
            episode = self._episode(wish, step, self._policy(file), scene)
        facts = self._facts(wish, video)
        path = self._clips.thumbnail_path(wish.id)
        write_atomically(path, thumbnail.webp(), self._folder.path)
        return [episode], facts

    def _grow(self, wish: ClipWish) -> tuple[list[PlayedEpisode], VideoFacts]:
        """An episode of each policy, with the curve of the return in a corner."""
        episodes, curve = [], progress_of(self._folder)
        max_steps = max(1, round(GROWTH_SECONDS * environment_of(self.config).render_fps))
        with self._recorder(wish) as video:
            for step, file in zip(wish.steps, wish.policies, strict=True):
                scene = _Scene(video, step, overlay=GrowthPicture(curve, step))
                episodes.append(self._episode(wish, step, self._policy(file), scene, max_steps))
                scene.hold(round(environment_of(self.config).render_fps * 0.5))
        return episodes, self._facts(wish, video)

    def _slice(self, wish: ClipWish, plan: SlicePlan) -> None:
        """No episode is played: the policy is asked what it expects."""
        seen = None if plan.evaluation_id is None else ranges_seen(self._folder, plan.evaluation_id)
        self._clips.write_slice(wish.id, value_slice(self._policy(wish.policies[0]), plan, seen))

    def _policy(self, file: str) -> TrainedPolicy:
        return load_policy(self._folder, self.config.algo, file)

    def _episode(
        self, wish: ClipWish, step: int, policy: TrainedPolicy, scene: _Scene, max_steps: int = MAX_CLIP_STEPS
    ) -> PlayedEpisode:
        first_frame = scene.frames
        (result,) = film(
            self.env, policy, scene, episodes=1, seed=wish.seed, deterministic=wish.greedy, max_steps=max_steps
        )
        cut = result.truncated and result.episode_length >= max_steps
        return PlayedEpisode(
            step=step,
            episode_return=result.episode_return,
            episode_length=result.episode_length,
            terminated=result.terminated,
            truncated=result.truncated and not cut,
            cut=cut,
            first_frame=first_frame,
        )

    def _recorder(self, wish: ClipWish) -> VideoRecorder:
        return VideoRecorder(self._clips.video_path(wish.id), fps=environment_of(self.config).render_fps)

    def _facts(self, wish: ClipWish, video: VideoRecorder) -> VideoFacts:
        return video.facts(self._clips.video_path(wish.id).relative_to(self._folder.path).as_posix())


class _Scene:
    """Takes the frames of one policy's episode: shows them to ``look``, draws ``overlay`` on them, and films them."""

    def __init__(
        self,
        video: VideoRecorder,
        step: int,
        look: Callable[[Pixels], None] | None = None,
        overlay: GrowthPicture | None = None,
    ) -> None:
        self._video, self._step, self._look, self._overlay = video, step, look, overlay
        self._last: tuple[Pixels, MomentCaption] | None = None

    @property
    def frames(self) -> int:
        return self._video.frames

    def add(self, picture: object, caption: Caption) -> None:
        pixels = check_picture(picture)
        if self._look is not None:
            self._look(pixels)
        if self._overlay is not None:
            pixels = self._overlay.draw(pixels)
        self._last = pixels, MomentCaption(self._step, caption.step, caption.episode_return)
        self._video.add(*self._last)

    def hold(self, frames: int) -> None:
        """Show the last frame for so many more."""
        for _ in range(frames if self._last is not None else 0):
            assert self._last is not None
            self._video.add(*self._last)
