"""Reuse of image features computed for an observation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3.common.torch_layers import NatureCNN

from rlviz.domain.registry import load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.playing.recording import reading_columns


class Pictures(gymnasium.Env[Any, Any]):
    """Random pictures."""

    observation_space = spaces.Box(0, 255, (4, 36, 36), np.uint8)

    def __init__(self, action_space: spaces.Space[Any]) -> None:
        self.action_space = action_space

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.observation_space.sample(), 0.0, False, False, {}


def new_policy(algo: str) -> TrainedPolicy:
    algorithm = ALGORITHMS.get(algo)
    continuous = algo == "sac"
    space: Any = spaces.Box(-1, 1, (2,), np.float32) if continuous else spaces.Discrete(3)
    settings = {} if algo in ("ppo", "a2c", "trpo") else {"buffer_size": 10}
    model = load(algorithm.model_class)("CnnPolicy", Pictures(space), device="cpu", seed=1, **settings)
    return TrainedPolicy(algorithm, model, None)


policy_of = cache(new_policy)
"""One of each algorithm for all tests that only read with it."""


@contextmanager
def looks() -> Iterator[list[int]]:
    """Return the number of observations in each pass through a network with image inputs."""
    found: list[int] = []
    forward = NatureCNN.forward

    def counted(network: NatureCNN, observations: Any) -> Any:
        found.append(len(observations))
        return forward(network, observations)

    NatureCNN.forward = counted  # type: ignore[method-assign]
    try:
        yield found
    finally:
        NatureCNN.forward = forward  # type: ignore[method-assign]


def observations(count: int) -> Any:
    return np.random.default_rng(3).integers(0, 256, (count, 4, 36, 36), dtype=np.uint8)


def same(one: Any, other: Any) -> bool:
    ours, theirs = reading_columns(one), reading_columns(other)
    assert ours.keys() == theirs.keys()
    return all(np.allclose(ours[name], theirs[name], rtol=1e-4, atol=1e-6) for name in ours)


@pytest.mark.parametrize("algo", ["ppo", "a2c", "trpo", "dqn", "qrdqn", "sac"])
@pytest.mark.parametrize("missing", [(), (0,), (1, 4), (0, 1, 2, 3, 4)])
def test_features_of_known_observations_are_not_recomputed(algo: str, missing: Sequence[int]) -> None:
    policy, seen = policy_of(algo), observations(5)
    actions, known = [], []
    with policy.features.record_newest():
        for row, observation in enumerate(seen):
            chosen, _ = policy.predict(observation[None], deterministic=True)
            actions.append(chosen[0])
            known.append({} if row in missing else policy.features.newest)
    expected = policy.read(seen, np.stack(actions))
    with looks() as passed:
        found = policy.read(seen, np.stack(actions), known)
    assert same(found, expected)
    critics = [5] if algo == "sac" else []  # whose network the actor does not share
    assert sorted(passed) == sorted([*critics, *([len(missing)] if missing else [])])


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_without_known_features_each_observation_is_processed_once(algo: str) -> None:
    policy, seen = policy_of(algo), observations(3)
    with looks() as passed:
        policy.read(seen, np.zeros(3, int))
        policy.read(seen, np.zeros(3, int), [{}, {}, {}])
    assert passed == [3, 3]


def test_a_policy_is_unchanged_afterwards() -> None:
    policy, seen = new_policy("ppo"), observations(2)
    before = policy.predict(seen, deterministic=True)[0]
    with pytest.raises(ZeroDivisionError), policy.features.compute_once([]):
        raise ZeroDivisionError
    policy.read(seen, np.zeros(2, int))
    with looks() as passed:
        assert (policy.predict(seen, deterministic=True)[0] == before).all()
    assert passed == [2]
    assert policy.features.newest == {}, "nobody notes"
