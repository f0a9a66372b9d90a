"""StepRecorder: turns the steps of episodes into rows of step records."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from copy import deepcopy
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

import gymnasium
import numpy as np

from rlviz.algorithms.feature_memory import Features
from rlviz.algorithms.policy import Policy, TrainedPolicy
from rlviz.domain.config import RunConfig
from rlviz.domain.recording import Detail
from rlviz.domain.spaces import Space
from rlviz.domain.step_record import Actor
from rlviz.environments.custom import environment_of
from rlviz.provenance import package_versions
from rlviz.recording.kept_frames import KeptFrames
from rlviz.recording.level import RecordingLevel
from rlviz.recording.picture_strips import PictureStrips
from rlviz.recording.pictures import check_picture
from rlviz.recording.rows import reading_columns, rows_of
from rlviz.records.about import Components, RecordedEpisode, RecordsAbout
from rlviz.records.writer import Row
from rlviz.rollout.episode import Env, Step, batch_of
from rlviz.rollout.numbers import digest_of, layout_of

READ_TOGETHER = 256
"""Number of observations to read in one batch, which takes hardly longer than one."""

BYTES_TOGETHER = 1_000_000
"""Of them, at most: pictures become floating-point numbers, which shall fit into a processor's cache."""


class RowSink(Protocol):
    """What takes the rows of episodes: a file, or a list of them. ``squashed`` as in the metadata of a file."""

    squashed: bool

    def begin(self, episode: RecordedEpisode) -> None: ...

    def add(self, row: Row) -> None: ...


class _Waiting(NamedTuple):
    """A step whose row is not made yet. ``features``: what the policy's networks made of its observation as it acted;
    ``hashing``: of its frame, if it is hashed."""

    step: Step
    elapsed_ms: float
    features: Features
    hashing: Future[bytes] | None


class StepRecorder:
    """Hands each step, which ``actor`` took, to ``sink``, with the reading of ``policy``; its observation to
    ``pictures``, and frames that are worth keeping to ``frames``. How much of that it does is up to ``level``, which
    measures what it costs.

    Frames are hashed in another thread while they are encoded and the next ones are played. Rows are made many at a
    time: between two frames the processor's caches are full of pixels, and making one takes three times as long.
    Leaving the block writes what is pending, so it must be within the block of the sink.
    """

    def __init__(
        self,
        sink: RowSink,
        about: RecordsAbout,
        policy: Policy | None,
        *,
        level: RecordingLevel,
        actor: Actor = Actor.POLICY,
        acts: bool = False,
        pictures: PictureStrips | None = None,
        frames: KeptFrames | None = None,
        copies: bool = True,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        """``policy`` is None if there is none to ask what it makes of a step. ``acts``: whether it has just looked at
        the observation, to act, whenever a step is added that is not the last of its episode. ``copies``: frames are
        copied, since the environment may draw the next one over the last."""
        self._sink, self._about, self._policy, self._monotonic = sink, about, policy, monotonic
        self._level, self._actor, self._pictures, self._frames = level, actor, pictures, frames
        self._copies = copies
        self._began = 0.0
        self._is_hashed = False
        self._pool: ThreadPoolExecutor | None = None
        self._hashing: Future[bytes] | None = None
        self._last_hashing: Future[bytes] | None = None
        self._waiting: list[_Waiting] = []
        self._together = READ_TOGETHER
        self._features = policy.features if acts and isinstance(policy, TrainedPolicy) else None
        self._noting = ExitStack()

    def __enter__(self) -> Self:
        if self._features is not None:
            self._noting.enter_context(self._features.noting())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._noting.close()
        try:
            if error is None:
                self.flush()
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)

    def flush(self) -> None:
        """Hand over what waits, in the middle of an episode too."""
        with self._level:
            self._hand_over(self._waiting)
            self._waiting = []

    def wants_frame(self, step: Step) -> bool:
        """Whether the frame of ``step`` is needed. To be asked once of each step, in order."""
        is_kept = self._frames is not None and self._frames.wants(step, self._level.detail)
        # What is drawn to be kept is hashed too, so that a verification draws it as well: in LunarLander drawing
        # wears the sparks off, which are in the frames that follow.
        self._is_hashed = is_kept or self._hashes(step)
        return self._is_hashed

    def look(self, step: Step, picture: object) -> None:
        """The frame of ``step``, which is added next, whether it was wanted or not."""
        with self._level:
            pixels = check_picture(picture)
            if self._copies and (self._is_hashed or self._frames is not None):
                pixels = pixels.copy()
            if self._frames is not None:
                self._frames.look(step, pixels)
            if self._is_hashed:
                if self._last_hashing is not None:
                    self._last_hashing.result()  # so that frames do not pile up
                self._pool = self._pool or ThreadPoolExecutor(1, thread_name_prefix="frame-hash")
                self._hashing = self._last_hashing = self._pool.submit(digest_of, pixels)

    def add(self, step: Step, env: Env, seed: int) -> None:
        """``env`` was reset with ``seed`` for this episode, and is in the state after ``step``."""
        with self._level:
            now = self._monotonic()
            if step.number == 0:
                self._began = now
                self._sink.begin(RecordedEpisode(seed=seed, generator=generator_state(env)))
                self._together = _together(step.observation)
            if self._pictures is not None:
                self._pictures.add(step.observation)
            is_known = self._features is not None and not step.is_last and self._level.reads
            features = self._features.newest if self._features is not None and is_known else {}
            hashing, self._hashing = self._hashing, None
            step = step._replace(observation=_kept(step.observation), action=_kept(step.action))
            self._take(_Waiting(step, (now - self._began) * 1000, features, hashing))

    def _hashes(self, step: Step) -> bool:
        if step.is_last:
            return self._level.detail is not Detail.OFF
        return step.number % self._about.frames_every == 0 and self._level.detail.is_at_least(Detail.STANDARD)

    def _take(self, newest: _Waiting) -> None:
        if len(self._waiting) > self._together:  # the newest waits for the action that follows it
            self._hand_over(self._waiting[:-1], self._waiting[-1].step)
            del self._waiting[:-1]
            self._level.check()
            if self._pictures is not None and not self._level.detail.is_at_least(Detail.STANDARD):
                self._pictures.leave_out_the_rest()
        self._waiting.append(newest)

    def _hand_over(self, waiting: Sequence[_Waiting], following: Step | None = None) -> None:
        """``following`` is the step after the last of ``waiting``."""
        if not waiting:
            return
        rows = rows_of(
            [one.step for one in waiting],
            self._about.observation.layout,
            self._about.action.layout,
            actor=self._actor,
            elapsed_ms=[one.elapsed_ms for one in waiting],
            frame_hashes=[one.hashing.result() if one.hashing is not None else None for one in waiting],
        )
        if self._policy is not None and self._level.reads:
            self._read(self._policy, waiting, rows, following)
        for row in rows:
            self._sink.add(row)

    def _read(self, policy: Policy, waiting: Sequence[_Waiting], rows: Sequence[Row], following: Step | None) -> None:
        """Add to each of ``rows`` what ``policy`` makes of its observation."""
        steps = [one.step for one in waiting]
        seen = batch_of([step.observation for step in steps])
        actions = np.asarray(self._actions(policy, steps, seen, following))
        known = [one.features for one in waiting]
        reading = policy.read(seen, actions, known) if isinstance(policy, TrainedPolicy) else policy.read(seen, actions)
        columns = reading_columns(reading)
        self._sink.squashed = reading.squashed
        for place, row in enumerate(rows):
            row.reading = {name: column[place] for name, column in columns.items()}

    @staticmethod
    def _actions(policy: Policy, steps: Sequence[Step], seen: Any, following: Step | None) -> list[Any]:
        """The action taken after each of ``steps``; after the last of an episode, the action the policy would take."""
        done: list[Any] = [step.action for step in (*steps[1:], following) if step is not None]
        if following is None:
            done.append(None)
        over = [place for place, step in enumerate(steps) if step.is_last or done[place] is None]
        if over:
            starts = np.zeros(len(over), bool)
            chosen, _ = policy.predict(seen[over], None, starts, deterministic=True)
            for place, action in zip(over, chosen, strict=True):
                done[place] = action
        return done


def _together(observation: Any) -> int:
    """Number of observations like this one to read in one batch."""
    size = observation.nbytes if isinstance(observation, np.ndarray) else 1
    return max(1, min(READ_TOGETHER, BYTES_TOGETHER // max(1, size)))


def _kept(element: Any) -> Any:
    """A copy of an observation or an action, since an environment may change its arrays."""
    return element.copy() if isinstance(element, np.ndarray) else deepcopy(element)


def records_about(
    config: RunConfig,
    env: Env,
    *,
    deterministic: bool,
    frames_every: int,
    max_steps: int,
    evaluation_id: str | None = None,
    clip_id: str | None = None,
) -> RecordsAbout:
    """Metadata of the step records file of an evaluation or a clip, without its episodes."""
    environment = environment_of(config)
    return RecordsAbout(
        run_id=config.run_id,
        evaluation_id=evaluation_id,
        clip_id=clip_id,
        env_id=config.env_id,
        env_options=config.env_options,
        deterministic=deterministic,
        frames_every=frames_every,
        max_steps=max_steps,
        observation=_components(env.observation_space, environment.observation_space),
        action=_components(env.action_space, environment.action_space),
        versions=package_versions(),
    )


def _components(space: gymnasium.Space[Any], said: Space) -> Components:
    return Components(
        layout=layout_of(space), labels=list(said.labels), units=list(said.units), factors=list(said.factors)
    )


def generator_state(env: Env) -> Any:
    """State of the environment's NumPy generator as JSON; None if it has not created one."""
    generator = getattr(env.unwrapped, "_np_random", None)
    return _as_json(generator.bit_generator.state) if isinstance(generator, np.random.Generator) else None


def _as_json(value: Any) -> Any:
    """Integers of 128 bits as text, since few JSON parsers can represent them."""
    if isinstance(value, dict):
        return {name: _as_json(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value) if isinstance(value, int) and value.bit_length() > 53 else value
