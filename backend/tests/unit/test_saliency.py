"""Saliency maps of policies with known attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from rlviz.domain.clips import Score
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.saliency import saliency
from rlviz.stats.pictures import PictureLayout, salience, side_by_side
from tests.support.pictures import COLUMNS, ROWS, SHAPE, looking_policy

DISCRETE, CONTINUOUS = spaces.Discrete(3, start=1), spaces.Box(-1, 1, (2,), np.float32)

POLICIES: list[tuple[str, spaces.Space[Any], Score]] = [
    ("ppo", spaces.Discrete(3), Score.LOGIT),
    ("ppo", spaces.MultiDiscrete([2, 3]), Score.LOGIT),
    ("ppo", spaces.MultiBinary(2), Score.LOGIT),
    ("ppo", CONTINUOUS, Score.VALUE),
    ("a2c", spaces.Discrete(3), Score.LOGIT),
    ("trpo", spaces.Discrete(3), Score.LOGIT),
    ("dqn", spaces.Discrete(3), Score.Q),
    ("qrdqn", spaces.Discrete(3), Score.Q),
    ("sac", CONTINUOUS, Score.Q),
    ("td3", CONTINUOUS, Score.Q),
]


def seen_by(shape: tuple[int, ...] = SHAPE) -> Any:
    return np.random.default_rng(0).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize(("algo", "actions", "score"), POLICIES, ids=[f"{a}-{s}" for a, s, _ in POLICIES])
def test_saliency_highlights_only_what_the_policy_looks_at(algo: str, actions: Any, score: Score) -> None:
    policy, seen = looking_policy(algo, actions), seen_by()
    chosen, _ = policy.predict(seen[np.newaxis], deterministic=True)
    found = saliency(policy, seen, chosen[0])
    assert found is not None
    assert found.score is score
    assert found.maps.shape == SHAPE
    newest = found.maps[-1]
    assert newest.max() == 1.0
    assert newest[ROWS, COLUMNS].min() > 0.2
    assert newest[ROWS, COLUMNS].sum() > 0.7 * newest.sum()
    assert newest[:10].max() < 1e-6  # far from there
    assert not found.maps[:-1].any()


def test_every_algorithm_that_learns_from_pictures_has_a_score() -> None:
    assert {algorithm.id for algorithm in ALGORITHMS if algorithm.scorer is None} == {"q-learning"}
    assert {algo for algo, *_ in POLICIES} == {algorithm.id for algorithm in ALGORITHMS if algorithm.scorer}


def test_computing_saliency_has_no_side_effects() -> None:
    policy = looking_policy("ppo", spaces.Discrete(3))
    before = {name: value.clone() for name, value in policy.model.policy.state_dict().items()}
    generator = torch.get_rng_state()
    saliency(policy, seen_by(), np.array(1))
    assert torch.equal(torch.get_rng_state(), generator)
    for name, value in policy.model.policy.state_dict().items():
        assert torch.equal(value, before[name])
    assert all(parameter.grad is None for parameter in policy.model.policy.parameters())


def test_channels_last_observations_are_restored_to_their_order() -> None:
    shape = (36, 48, 3)
    policy = looking_policy("dqn", spaces.Discrete(3), shape)
    found = saliency(policy, seen_by(shape), np.array(0))
    assert found is not None
    assert found.maps.shape == (1, 36, 48)
    assert found.maps[0, ROWS, COLUMNS].min() > 0.2
    assert found.maps[0, :10].max() < 1e-6


def test_an_observation_without_pictures_has_no_saliency() -> None:
    assert saliency(looking_policy("ppo", spaces.Discrete(3)), np.zeros(4), np.array(0)) is None


def test_a_map_is_smoothed_with_a_gaussian_that_ends_at_the_edge() -> None:
    gradients = np.random.default_rng(0).normal(size=(2, 36, 48, 3))

    def weights(side: int) -> Any:
        places = np.arange(side)
        found = np.exp(-0.5 * ((places[:, None] - places) / (side / 40)) ** 2)
        return found / found.sum(axis=1, keepdims=True)

    expected = weights(36) @ np.abs(gradients).max(axis=3) @ weights(48).T
    np.testing.assert_allclose(salience(gradients), expected / expected.max(), atol=1e-3)


def test_without_influential_pixels_the_map_is_dark() -> None:
    assert not salience(np.zeros((2, 36, 48, 3))).any()
    assert not salience(np.full((2, 36, 48, 3), np.nan)).any()


@pytest.mark.parametrize(
    ("shape", "split"),
    [
        ((4, 84, 84), (4, 84, 84, 1)),
        ((96, 96, 3), (1, 96, 96, 3)),
        ((96, 96, 12), (4, 96, 96, 3)),
        ((96, 96, 4), (4, 96, 96, 1)),
        ((60, 80), (1, 60, 80, 1)),
    ],
    ids=["a stack", "colours", "a stack of colours", "a stack, last", "one grey picture"],
)
def test_an_observation_is_split_into_its_pictures(shape: tuple[int, ...], split: tuple[int, ...]) -> None:
    layout = PictureLayout.from_shape(shape)
    assert layout is not None
    seen = seen_by(shape)
    pictures = layout.split(seen)
    assert pictures.shape == split
    newest = seen[-1][..., None] if layout.channels_first and len(shape) == 3 else seen.reshape(shape)[..., -split[3] :]
    if len(shape) == 3:
        np.testing.assert_array_equal(pictures[-1], newest)
    assert side_by_side(pictures).shape == (split[1], split[0] * split[2], split[3])


def test_a_one_dimensional_observation_is_no_picture() -> None:
    assert PictureLayout.from_shape((128,)) is None
