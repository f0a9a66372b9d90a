"""Our vector environments behave like those of Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from rlviz.learning.environments.make import LeanVecEnv


class InPlace(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Returns the same array, info and list each time."""

    def __init__(self) -> None:
        super().__init__(gymnasium.make("CartPole-v1"))
        self._seen = np.zeros(4, dtype=np.float32)
        self._info: dict[str, Any] = {"rewards": []}

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, _ = super().step(action)
        self._seen[:] = observation
        self._info["rewards"].append(reward)
        self._info["steps"] = len(self._info["rewards"])
        return self._seen, reward, terminated, truncated, self._info


def played(env_id: str, kind: type[DummyVecEnv], steps: int = 400) -> list[Any]:
    """Return everything that three environments returned, as text."""
    environments = make_vec_env(env_id, 3, seed=7, vec_env_cls=kind)
    environments.action_space.seed(7)
    given: list[Any] = [environments.reset()]
    for _ in range(steps):
        observations, rewards, dones, infos = environments.step([environments.action_space.sample() for _ in range(3)])
        for info in infos:
            info.get("episode", {}).pop("t", None)  # seconds
        given.append((observations, rewards, dones, infos))
    environments.close()
    return [str(step) for step in given]


@pytest.mark.parametrize("env_id", ["CartPole-v1", "FrozenLake-v1", "Pendulum-v1", "Blackjack-v1"])
def test_our_vector_environments_return_the_same_as_the_librarys(env_id: str) -> None:
    assert played(env_id, LeanVecEnv) == played(env_id, DummyVecEnv)


@pytest.fixture
def two() -> Any:
    environments: VecEnv = LeanVecEnv([InPlace, InPlace])
    environments.seed(1)
    yield environments
    environments.close()


def test_a_returned_step_does_not_change_later(two: VecEnv) -> None:
    first_seen = two.reset()
    assert isinstance(first_seen, np.ndarray)
    before = first_seen.copy()
    seen, rewards, dones, infos = two.step(np.array([0, 1]))
    kept = str((seen, rewards, dones, [info["steps"] for info in infos]))
    two.step(np.array([1, 0]))
    assert str((seen, rewards, dones, [info["steps"] for info in infos])) == kept
    assert np.array_equal(first_seen, before)


def test_an_info_entry_added_by_a_reader_is_gone_at_the_next_step(two: VecEnv) -> None:
    two.reset()
    *_, infos = two.step(np.array([0, 1]))
    infos[0]["mine"] = True
    *_, infos = two.step(np.array([0, 1]))
    assert "mine" not in infos[0]
