"""Playing episodes, with environments and policies small enough to see through."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.errors import EpisodeUnusable
from rlviz.evaluation.caption import Caption
from rlviz.evaluation.rollout import as_action, play


class Corridor(gymnasium.Env[Any, Any]):
    """Ends after ``ends_at`` steps in a terminal state, or after ``limit`` by time; each step gives ``reward``."""

    observation_space = spaces.Box(0, np.inf, (1,))
    action_space: spaces.Space[Any] = spaces.Discrete(2)

    def __init__(self, *, ends_at: int = 10**9, limit: int = 10**9, reward: float = 1.0) -> None:
        self.ends_at, self.limit, self.reward = ends_at, limit, reward
        self.seeds: list[int | None] = []
        self.actions: list[Any] = []

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.seeds.append(seed)
        self.at = 0
        return np.zeros(1), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action)
        self.actions.append(action)
        self.at += 1
        return np.array([self.at]), self.reward, self.at >= self.ends_at, self.at >= self.limit, {}

    def render(self) -> Any:
        return np.full((3, 5, 3), self.at % 256, np.uint8)


class Sampling:
    """A policy that draws from its action space, as DQN does when it explores."""

    def __init__(self, action_space: spaces.Space[Any]) -> None:
        self.action_space = action_space
        self.starts: list[bool] = []

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        self.starts.append(bool(episode_start[0]))
        return np.asarray(self.action_space.sample()), state


class Film:
    """Keeps captions instead of frames."""

    def __init__(self) -> None:
        self.frames = 0
        self.captions: list[Caption] = []

    def add(self, picture: object, caption: Caption) -> None:
        assert isinstance(picture, np.ndarray)
        self.frames += 1
        self.captions.append(caption)


def rollout(env: Corridor, episodes: int = 2, **arguments: Any) -> tuple[list[Any], Film, Sampling]:
    film, policy = Film(), Sampling(spaces.Discrete(2))
    results = play(env, policy, film, episodes=episodes, seed=40, deterministic=False, **arguments)
    return list(results), film, policy


def test_an_episode_that_reaches_a_terminal_state_is_terminated() -> None:
    (first, _), _, _ = rollout(Corridor(ends_at=3))
    assert (first.terminated, first.truncated, first.episode_length, first.episode_return) == (True, False, 3, 3.0)


def test_an_episode_cut_off_by_its_time_limit_is_truncated() -> None:
    (first, _), _, _ = rollout(Corridor(limit=4))
    assert (first.terminated, first.truncated, first.episode_length) == (False, True, 4)


def test_an_environment_without_a_time_limit_is_cut_off() -> None:
    (first, _), _, _ = rollout(Corridor(), max_steps=6)
    assert (first.terminated, first.truncated, first.episode_length) == (False, True, 6)


def test_a_terminal_state_in_the_last_allowed_step_is_no_truncation() -> None:
    (first, _), _, _ = rollout(Corridor(ends_at=6), max_steps=6)
    assert (first.terminated, first.truncated) == (True, False)


def test_each_episode_is_reset_with_the_next_seed() -> None:
    env = Corridor(ends_at=1)
    results, _, _ = rollout(env, episodes=3)
    assert env.seeds == [40, 41, 42] == [result.seed for result in results]


def test_the_reset_is_filmed_so_that_step_k_is_k_frames_after_the_first() -> None:
    results, film, _ = rollout(Corridor(ends_at=3))
    assert [result.first_frame for result in results] == [0, 4]
    assert [caption.step for caption in film.captions] == [0, 1, 2, 3] * 2
    assert [caption.episode for caption in film.captions] == [1] * 4 + [2] * 4
    assert film.captions[-1] == Caption(episode=2, episodes=2, step=3, episode_return=3.0)


def test_sampled_actions_repeat_with_the_seed_and_differ_without() -> None:
    first, again = Corridor(ends_at=50), Corridor(ends_at=50)
    rollout(first)
    rollout(again)
    assert first.actions == again.actions
    assert first.actions[:50] != first.actions[50:]


def test_a_recurrent_policy_is_told_where_episodes_start() -> None:
    _, _, policy = rollout(Corridor(ends_at=2))
    assert policy.starts == [True, False, True, False]


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_reward_that_is_no_finite_number_ends_the_evaluation(reward: float) -> None:
    with pytest.raises(EpisodeUnusable, match="step 1 of episode 1"):
        rollout(Corridor(ends_at=2, reward=reward))


def test_a_discrete_action_becomes_an_int() -> None:
    assert as_action(spaces.Discrete(3), np.array(2)) == 2
    assert type(as_action(spaces.Discrete(3), np.array([2]))) is int


@pytest.mark.parametrize(
    "space", [spaces.Box(-1, 1, (2,), np.float32), spaces.MultiDiscrete([3, 2]), spaces.MultiBinary(4)]
)
def test_an_array_action_gets_the_shape_and_type_of_its_space(space: spaces.Space[Any]) -> None:
    action = as_action(space, np.asarray(space.sample(), dtype=np.float64)[np.newaxis])
    assert space.contains(action)
