"""EvaluationRecording: the files that an evaluation leaves of its steps, as far as they are wanted."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from rlviz.algorithms.policy import Policy
from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord, PicturesFacts, StepsFacts, StepsWanted
from rlviz.domain.recording import RecordingFacts
from rlviz.domain.step_record import Actor
from rlviz.recording.kept_frames import KeptFrames
from rlviz.recording.level import RecordingLevel
from rlviz.recording.picture_strips import PictureStrips, picture_layout
from rlviz.recording.step_recorder import StepRecorder, records_about
from rlviz.records.writer import StepWriter
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env
from rlviz.rundir.folder import RunFolder


class EvaluationRecording:
    """Hand steps to ``recorder`` within the block; afterwards all files are in their places, and there are facts of
    them. After an exception only the frames before it are there."""

    def __init__(
        self,
        folder: RunFolder,
        record: EvaluationRecord,
        wanted: StepsWanted,
        config: RunConfig,
        env: Env,
        policy: Policy,
        actor: Actor,
    ) -> None:
        files, path = folder.evaluations, folder.path
        about = records_about(
            config,
            env,
            deterministic=record.deterministic,
            frames_every=wanted.frames_every,
            max_steps=MAX_EPISODE_STEPS,
            evaluation_id=record.id,
        )
        self._level = RecordingLevel(wanted.detail, most_cost=wanted.most_cost)
        self._writer = StepWriter(files.steps_path(record.id), path, about, max_bytes=wanted.max_bytes)
        self._pictures_path = files.pictures_path(record.id)
        self._strips: PictureStrips | None = None
        if wanted.pictures and (layout := picture_layout(env)) is not None:
            self._strips = PictureStrips(self._pictures_path, path, layout, max_bytes=wanted.max_bytes)
        self._frames: KeptFrames | None = None
        if wanted.keep_frames_bytes > 0:
            frames_path, every = files.frames_path(record.id), wanted.keep_frames_every
            self._frames = KeptFrames(frames_path, path, every=every, max_bytes=wanted.keep_frames_bytes)
        self.recorder = StepRecorder(
            self._writer,
            about,
            policy,
            level=self._level,
            actor=actor,
            acts=True,
            pictures=self._strips,
            frames=self._frames,
            copies=config.custom_environment is not None,  # those of the registry draw each frame anew
        )
        self._folder = folder
        self._block = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as block:
            block.enter_context(self._writer)
            if self._strips is not None:
                block.enter_context(self._strips)
            if self._frames is not None:
                block.enter_context(self._frames)
            block.enter_context(self.recorder)
            self._block = block.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._block.__exit__(kind, error, trace)

    @property
    def steps(self) -> StepsFacts:
        return self._writer.facts()

    @property
    def pictures(self) -> PicturesFacts | None:
        if self._strips is None:
            return None
        return self._strips.facts(self._pictures_path.relative_to(self._folder.path).as_posix())

    @property
    def facts(self) -> RecordingFacts:
        return self._level.facts()
