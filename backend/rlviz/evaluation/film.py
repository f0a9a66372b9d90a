"""Filming and recording the episodes that a policy plays. Knows no files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

from rlviz.algorithms.policy import Policy
from rlviz.domain.errors import EpisodeUnusable
from rlviz.domain.evaluation import EpisodeResult
from rlviz.environments.conforming import brief_action
from rlviz.evaluation.caption import Caption
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env, Step
from rlviz.rollout.play import play


class Recorder(Protocol):
    """What films."""

    @property
    def frames(self) -> int:
        """Those taken so far."""

    def add(self, picture: object, caption: Caption) -> None: ...


class Steps(Protocol):
    """What records steps; some of them with the frame that shows them."""

    def wants_frame(self, step: Step) -> bool:
        """Asked once of each step."""

    def look(self, step: Step, picture: object) -> None:
        """The frame of the step that is added next: of each that is drawn, whoever wanted it."""

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

    An episode of n steps gives n + 1 frames and n + 1 records: what the reset shows, then what each step led to. So
    step k of an episode is frame ``first_frame + k`` of the video. Raises EpisodeUnusable for a reward that is no
    finite number.
    """
    first_frame, seeds = 0, range(seed, seed + episodes)
    played = play([env], policy, seeds, deterministic=deterministic, max_steps=max_steps)
    for frame, step in enumerate(played):
        _check_reward(step)
        is_wanted = steps is not None and steps.wants_frame(step)
        if recorder is not None or is_wanted:
            picture = env.render()
            if steps is not None:
                steps.look(step, picture)
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
