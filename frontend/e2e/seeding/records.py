"""Synthetic evaluations with step records of a trained policy on CartPole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from random import Random

import numpy as np

from rlviz.domain.evaluation import EpisodeResult, StepsFacts
from rlviz.domain.recording import Actor
from rlviz.domain.spaces import SpaceLayout
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.records.about import Components, RecordedEpisode, RecordsAbout
from rlviz.learning.records.writer import Row, StepWriter
from rlviz.rundir.folder import RunFolder

FALLS_AT = 0.2095
"""Radians beyond which an episode ends."""

_CART = ENVIRONMENTS.get("CartPole-v1")
_SEEN = SpaceLayout(kind="Box", shape=(4,), dtype="float32", numbers=4, low=[-math.inf] * 4, high=[math.inf] * 4)
_DONE = SpaceLayout(kind="Discrete", dtype="int64", numbers=1, counts=[2], starts=[0])

SURPRISE = 25
"""Steps before the end of an episode at which its policy is surprised."""


def write_records(folder: RunFolder, evaluation_id: str, episodes: Sequence[EpisodeResult]) -> StepsFacts:
    """Records of ``episodes`` with the values and probabilities of a policy."""
    about = RecordsAbout(
        run_id=folder.run_id,
        evaluation_id=evaluation_id,
        env_id=_CART.id,
        deterministic=True,
        frames_every=8,
        max_steps=27_000,
        observation=Components(
            layout=_SEEN, labels=list(_CART.observation_space.labels), units=list(_CART.observation_space.units)
        ),
        action=Components(layout=_DONE, labels=list(_CART.action_space.labels)),
    )
    with StepWriter(folder.evaluations.steps_path(evaluation_id), folder.path, about, max_bytes=1 << 30) as writer:
        for place, episode in enumerate(episodes):
            writer.begin(RecordedEpisode(seed=episode.seed))
            for row in _rows(place, episode):
                writer.add(row)
    return writer.facts()


def _rows(place: int, episode: EpisodeResult) -> list[Row]:
    """The pole swings, and finally falls to the side that it swings to."""
    random, rows, length = Random(episode.seed), [], episode.episode_length
    action = 0
    for index in range(length + 1):
        left, over = length - index, index == length
        falls = episode.terminated and left < 15
        angle = FALLS_AT * ((16 - left) / 15 if falls else 0.4 * math.sin(index / 9 + place))
        sure = min(0.98, 0.5 + 2.2 * abs(angle))
        at, speed = 0.4 * math.sin(index / 25 + place), 0.3 * math.cos(index / 25)
        rows.append(
            Row(
                episode=place,
                index=index,
                observation=np.array([at, speed, angle, 2 * angle + 0.1 * random.random()], np.float32),
                observation_hash=None,
                action=None if index == 0 else np.array([action]),
                actor=None if index == 0 else Actor.POLICY,
                reward=None if index == 0 else 1.0,
                episode_return=float(index),
                terminated=over and episode.terminated,
                truncated=over and episode.truncated,
                elapsed_ms=index * 20.0,
                frame_hash=blake2b(bytes([place % 256, index % 256]), digest_size=16).digest()
                if over or index % 8 == 0
                else None,
                reading={
                    "value": np.float32(_value(left) * random.uniform(0.97, 1.03)),
                    "probabilities": np.array([1 - sure, sure] if angle > 0 else [sure, 1 - sure], np.float32),
                },
            )
        )
        action = int(angle > 0)
    return rows


def _value(left: int) -> float:
    """The value for the given remaining steps: correct, except for one state, where it is far too high."""
    return 100 * (1 - 0.99 ** min(left, 200)) * (1.8 if left == SURPRISE else 1)
