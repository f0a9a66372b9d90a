"""StepRecorder: what is played, as rows of step records."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields
from types import TracebackType
from typing import Any, Self

import gymnasium
import numpy as np

from rlviz.algorithms.policy import Policy
from rlviz.algorithms.reading import Reading
from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.spaces import Space
from rlviz.domain.step_record import Actor
from rlviz.environments.custom import environment_of
from rlviz.evaluation.canvas import check_picture
from rlviz.provenance import package_versions
from rlviz.records.about import Components, RecordedEpisode, RecordsAbout
from rlviz.records.writer import Row, StepWriter
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env, Step
from rlviz.rollout.numbers import digest_of, hash_of, layout_of, numbers_of

_READING_FIELDS = tuple(field.name for field in fields(Reading) if field.name != "squashed")


READ_TOGETHER = 256
"""Observations that the policy is asked about at once, which takes hardly longer than for one."""


class StepRecorder:
    """Hands each step to ``writer``, with what ``policy`` makes of what it shows.

    Frames are hashed in a thread beside, while they are encoded. Leaving the block hands over what still waits; it
    lies within the writer's block.
    """

    def __init__(
        self,
        writer: StepWriter,
        about: RecordsAbout,
        policy: Policy,
        *,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._writer, self._about, self._policy, self._monotonic = writer, about, policy, monotonic
        self._began = 0.0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="frame-hash")
        self._hashing: Future[bytes] | None = None
        self._waiting: list[tuple[Step, Row]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        if error is None:
            self._hand_over(self._waiting)

    def wants_frame(self, step: Step) -> bool:
        return step.is_last or step.number % self._about.frames_every == 0

    def look(self, picture: object) -> None:
        """Begin to hash the frame of the step that is added next; the environment must leave it alone until then."""
        self._hashing = self._pool.submit(digest_of, check_picture(picture))

    def add(self, step: Step, env: Env, seed: int) -> None:
        """``env`` was reset with ``seed`` for this episode, and is as ``step`` left it."""
        now = self._monotonic()
        if step.number == 0:
            self._began = now
            self._writer.begin(RecordedEpisode(seed=seed, generator=generator_state(env)))
        if len(self._waiting) > READ_TOGETHER:  # the newest waits for the action that follows it
            self._hand_over(self._waiting[:-1], self._waiting[-1][0])
            del self._waiting[:-1]
        self._waiting.append((step._replace(observation=_kept(step.observation)), self._row(step, now)))

    def _row(self, step: Step, now: float) -> Row:
        hashing, self._hashing = self._hashing, None
        is_reset = step.number == 0
        return Row(
            episode=step.episode,
            index=step.number,
            observation=numbers_of(self._about.observation.layout, step.observation),
            observation_hash=hash_of(self._about.observation.layout, step.observation),
            action=None if is_reset else numbers_of(self._about.action.layout, step.action),
            actor=None if is_reset else Actor.POLICY,
            reward=None if is_reset else step.reward,
            episode_return=step.episode_return,
            terminated=step.terminated,
            truncated=step.truncated,
            elapsed_ms=(now - self._began) * 1000,
            frame_hash=hashing.result() if hashing is not None else None,
        )

    def _hand_over(self, waiting: Sequence[tuple[Step, Row]], following: Step | None = None) -> None:
        """``following`` is the step after the last of ``waiting``."""
        if not waiting:
            return
        steps = [step for step, _ in waiting]
        seen = np.stack([step.observation for step in steps])
        reading = self._policy.read(seen, np.stack(self._actions(steps, seen, following)))
        columns = {name: np.asarray(value) for name in _READING_FIELDS if (value := getattr(reading, name)) is not None}
        self._writer.squashed = reading.squashed
        for place, (_, row) in enumerate(waiting):
            row.reading = {name: column[place] for name, column in columns.items()}
            self._writer.add(row)

    def _actions(self, steps: Sequence[Step], seen: Any, following: Step | None) -> list[Any]:
        """What was done after each of ``steps``; after the last of an episode, what the policy would do."""
        done: list[Any] = [step.action for step in (*steps[1:], following) if step is not None]
        if following is None:
            done.append(None)
        over = [place for place, step in enumerate(steps) if step.is_last or done[place] is None]
        if over:
            starts = np.zeros(len(over), bool)
            chosen, _ = self._policy.predict(seen[over], None, starts, deterministic=True)
            for place, action in zip(over, chosen, strict=True):
                done[place] = action
        return done


def _kept(observation: Any) -> Any:
    """A copy: an environment may change what it handed out."""
    return observation.copy() if isinstance(observation, np.ndarray) else observation


def records_about(config: RunConfig, record: EvaluationRecord, env: Env) -> RecordsAbout:
    """What the file of an evaluation in ``env`` says of itself, but for its episodes."""
    environment = environment_of(config)
    return RecordsAbout(
        run_id=config.run_id,
        evaluation_id=record.id,
        env_id=config.env_id,
        env_options=config.env_options,
        deterministic=record.deterministic,
        frames_every=record.steps.frames_every if record.steps is not None else 1,
        max_steps=MAX_EPISODE_STEPS,
        observation=_components(env.observation_space, environment.observation_space),
        action=_components(env.action_space, environment.action_space),
        versions=package_versions(),
    )


def _components(made: gymnasium.Space[Any], said: Space) -> Components:
    return Components(layout=layout_of(made), labels=list(said.labels), units=list(said.units))


def generator_state(env: Env) -> Any:
    """State of the environment's NumPy generator, as JSON; None if it has not made one."""
    generator = getattr(env.unwrapped, "_np_random", None)
    return _as_json(generator.bit_generator.state) if isinstance(generator, np.random.Generator) else None


def _as_json(value: Any) -> Any:
    """Whole numbers of 128 bits as text: few readers of JSON hold them."""
    if isinstance(value, dict):
        return {name: _as_json(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value) if isinstance(value, int) and value.bit_length() > 53 else value
