"""Episodes are determined by their seed and actions, to the last bit."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import gymnasium
import numpy as np
import pytest

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.make import make, make_trained
from rlviz.server.runs.environments import variants

STEPS = 120
OF_LARGE_PICTURES = 30
"""Steps of an episode that is drawn at each of them, which takes long."""

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "LunarLander-v3": [{"enable_wind": True}, {"continuous": True}],
    "BipedalWalker-v3": [{"hardcore": True}],
}
"""Options that change the world, besides those that change what is said of it."""

VARIANTS = [
    variant
    for entry in ENVIRONMENTS
    for variant in [*(variants(entry) or [entry]), *(entry.resolve(values) for values in OPTIONS.get(entry.id, []))]
]


def play(env: gymnasium.Env[Any, Any], seed: int, steps: int = STEPS) -> list[tuple[bytes, float, bool, bool]]:
    """Return the results of each step of an episode whose actions come from the seed."""
    if env.spec is not None and env.spec.id == "CarRacing-v3":
        steps = min(steps, OF_LARGE_PICTURES)
    env.action_space.seed(seed)
    observation, _ = env.reset(seed=seed)
    outcomes = [(np.asarray(observation).tobytes(), 0.0, False, False)]
    while len(outcomes) <= steps and not (outcomes[-1][2] or outcomes[-1][3]):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        outcomes.append((np.asarray(observation).tobytes(), float(reward), bool(terminated), bool(truncated)))
    return outcomes


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: f"{variant.id}{variant.chosen}")
def test_the_same_seed_and_actions_give_the_same_episode_three_times(variant: Environment) -> None:
    with closing(make(variant, whole_episodes=True)) as env, closing(make(variant, whole_episodes=True)) as fresh:
        first = play(env, 3)
        play(env, 4, steps=37)
        assert play(env, 3) == first
        assert play(env, 3) == first
        assert play(fresh, 3) == first


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: f"{variant.id}{variant.chosen}")
def test_a_training_episode_does_not_depend_on_earlier_ones(variant: Environment) -> None:
    with closing(make_trained(variant)) as env:
        first = play(env, 3, steps=60)
        play(env, 4, steps=37)
        assert play(env, 3, steps=60) == first
