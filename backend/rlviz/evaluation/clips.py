"""The worker that renders a run's clips until there are no requests."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from rlviz.algorithms.policy import TrainedPolicy
from rlviz.domain.clips import MAX_CLIP_STEPS, ClipRecord, ClipRequest, PlayedEpisode
from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EpisodeResult, VideoFacts
from rlviz.domain.recording import Detail
from rlviz.domain.value_slice import SlicePlan
from rlviz.environments.custom import environment_of
from rlviz.environments.make import make_environment
from rlviz.evaluation.evaluate import cause_of, load_policy
from rlviz.evaluation.film import film
from rlviz.evaluation.growth import GrowthPicture, progress_of
from rlviz.evaluation.interruption import Interruption, MoreUrgent
from rlviz.evaluation.recorder import VideoRecorder
from rlviz.evaluation.saliency import step_saliency
from rlviz.evaluation.scene import Scene
from rlviz.evaluation.thumbnail import PLACE, Thumbnail
from rlviz.evaluation.value_slice import ranges_seen, value_slice
from rlviz.recording.level import RecordingLevel
from rlviz.recording.picture_strips import PictureStrips, picture_layout
from rlviz.recording.pictures import check_picture
from rlviz.recording.step_recorder import StepRecorder, records_about
from rlviz.records.about import RecordsAbout
from rlviz.records.writer import StepWriter
from rlviz.rollout.episode import Env
from rlviz.rundir.atomic import remove_leftovers, write_atomically
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder

IDLE_SECONDS = 8.0
"""Seconds to wait for another request: a user who has clicked often clicks again, and everything is loaded."""

LOOK_SECONDS = 0.02
"""Between two looks for a request."""

GROWTH_SECONDS = 8.0
"""What is shown of each episode in a growth video at most; the environment's frame rate makes steps of it."""


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
                time.sleep(LOOK_SECONDS)
                continue
            studio.fulfil(request)
            waits_since = time.monotonic()


class _Studio:
    """The environment of a run, with what is needed to film in it."""

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
        record = ClipRecord(id=request.id, kind=request.kind, seed=request.seed, greedy=request.greedy)
        try:
            if request.plan is not None:
                self._slice(request, request.plan)
            elif request.saliency is not None:
                policy = self._policy(request.policies[0])
                found = step_saliency(self._folder, self.env, policy, request.saliency)
                self._clips.write_saliency(request.id, found)
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
        """Keeps what the agent sees, if that is pictures."""
        if (layout := picture_layout(self.env)) is None:
            return contextlib.nullcontext()
        path = self._clips.pictures_path(request.id)
        return PictureStrips(path, self._folder.path, layout, max_bytes=request.keep_bytes)

    def _picture(self, request: ClipRequest) -> dict[str, Any]:
        """Only a thumbnail. The episode is played without being drawn, and again up to the moment to be drawn.

        Raises MoreUrgent as soon as something else is wanted.
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
        """The episode, or its first ``max_steps`` steps; afterwards the environment is as the last of them left it."""
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
        """Clips are never verified, so only the first and the last frame are hashed."""
        return records_about(
            self.config,
            self.env,
            deterministic=request.greedy,
            frames_every=MAX_CLIP_STEPS + 1,
            max_steps=MAX_CLIP_STEPS,
            clip_id=request.id,
        )

    def _grow(self, request: ClipRequest) -> dict[str, Any]:
        """An episode of each policy, with the curve of the return in a corner. Raises MoreUrgent."""
        episodes, curve = [], progress_of(self._folder)
        max_steps = max(1, round(GROWTH_SECONDS * environment_of(self.config).render_fps))
        with self._recorder(request) as video:
            for step, file in zip(request.steps, request.policies, strict=True):
                interruption = Interruption(self._clips, request)
                scene = Scene(video, step, interruption, overlay=GrowthPicture(curve, step))
                episodes.append(self._episode(request, step, self._policy(file), scene, max_steps))
                scene.hold(round(environment_of(self.config).render_fps * 0.5))
        return {"episodes": episodes, "video": self._facts(request, video)}

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

    def _recorder(self, request: ClipRequest) -> VideoRecorder:
        return VideoRecorder(self._clips.video_path(request.id), fps=environment_of(self.config).render_fps, fits=True)

    def _facts(self, request: ClipRequest, video: VideoRecorder) -> VideoFacts:
        return video.facts(self._name(self._clips.video_path(request.id)))

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder.path).as_posix()


def _played(step: int, result: EpisodeResult, max_steps: int) -> PlayedEpisode:
    """``result`` of the policy of ``step``, as the first of a clip in which an episode has ``max_steps`` at most."""
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
