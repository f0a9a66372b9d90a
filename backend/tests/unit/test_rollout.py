"""Playing episodes, with small environments and policies."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.errors import EpisodeUnusable
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.playing.film import film
from rlviz.learning.playing.rollout import Step, as_action, play
from rlviz.learning.playing.video import Caption


class Corridor(gymnasium.Env[Any, Any]):
    """Ends after ``ends_at`` steps in a terminal state, or after ``limit`` steps by time limit; each step gives
    ``reward``.
    """

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
    """A policy that samples from its action space, like DQN when it explores. Each reading counts the previous ones."""

    def __init__(self, action_space: spaces.Space[Any]) -> None:
        self.action_space = action_space
        self.starts: list[list[bool]] = []
        self.states: list[Any] = []
        self.readings = 0

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        self.starts.append(episode_start.tolist())
        self.states.append(state)
        return np.array([self.action_space.sample() for _ in observation]), len(self.states)

    def read(self, observations: Any, actions: Any) -> Reading:
        assert len(observations) == len(actions)
        self.readings += 1
        return Reading(value=observations[:, 0] * 10.0)


class Film:
    """Stores captions instead of frames."""

    def __init__(self) -> None:
        self.frames = 0
        self.captions: list[Caption] = []

    def add(self, picture: object, caption: Caption) -> None:
        assert isinstance(picture, np.ndarray)
        self.frames += 1
        self.captions.append(caption)


def rollout(env: Corridor, episodes: int = 2, **arguments: Any) -> tuple[list[Any], Film, Sampling]:
    recorder, policy = Film(), Sampling(spaces.Discrete(2))
    results = film(env, policy, recorder, episodes=episodes, seed=40, deterministic=False, **arguments)
    return list(results), recorder, policy


def test_an_episode_that_reaches_a_terminal_state_is_terminated() -> None:
    (first, _), _, _ = rollout(Corridor(ends_at=3))
    assert (first.terminated, first.truncated, first.episode_length, first.episode_return) == (True, False, 3, 3.0)


def test_an_episode_cut_off_by_its_time_limit_is_truncated() -> None:
    (first, _), _, _ = rollout(Corridor(limit=4))
    assert (first.terminated, first.truncated, first.episode_length) == (False, True, 4)


def test_an_environment_without_a_time_limit_is_cut_off() -> None:
    (first, _), _, _ = rollout(Corridor(), max_steps=6)
    assert (first.terminated, first.truncated, first.episode_length) == (False, True, 6)


def test_a_terminal_state_in_the_last_allowed_step_is_not_truncated() -> None:
    (first, _), _, _ = rollout(Corridor(ends_at=6), max_steps=6)
    assert (first.terminated, first.truncated) == (True, False)


def test_each_episode_is_reset_with_the_next_seed() -> None:
    env = Corridor(ends_at=1)
    results, _, _ = rollout(env, episodes=3)
    assert env.seeds == [40, 41, 42] == [result.seed for result in results]


def test_the_reset_is_filmed_so_that_step_k_is_frame_k() -> None:
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


def test_a_recurrent_policy_is_told_where_episodes_start_and_gets_its_state_back() -> None:
    _, _, policy = rollout(Corridor(ends_at=2))
    assert policy.starts == [[True], [False], [True], [False]]
    assert policy.states == [None, 1, 2, 3]


# One environment or several, step by step


def episode(steps: list[Step], number: int) -> list[Step]:
    return [step for step in steps if step.episode == number]


def test_a_step_describes_the_action_its_outcome_and_the_current_observation() -> None:
    reset, first, last = play([Corridor(ends_at=2, reward=0.5)], Sampling(spaces.Discrete(2)), [7])
    assert (reset.number, reset.observation, reset.action, reset.episode_return) == (0, 0, None, 0)
    assert (first.number, first.observation, first.reward) == (1, 1, 0.5)
    assert (last.number, last.observation, last.episode_return) == (2, 2, 1.0)
    assert [step.is_last for step in (reset, first, last)] == [False, False, True]
    assert isinstance(last.action, int)


def test_parallel_environments_take_the_next_seed_when_their_episode_ends() -> None:
    envs = [Corridor(ends_at=1), Corridor(ends_at=5)]
    policy = Sampling(spaces.Discrete(2))
    steps = list(play(envs, policy, [10, 11, 12, 13]))
    assert [env.seeds for env in envs] == [[10, 12, 13], [11]]
    assert [episode(steps, number)[-1].number for number in range(4)] == [1, 5, 1, 1]
    assert [len(starts) for starts in policy.starts] == [2, 2, 2, 1, 1], "one prediction for all that play"
    assert policy.states == [None] * 5


def test_the_number_of_environments_may_exceed_the_number_of_episodes() -> None:
    envs = [Corridor(ends_at=2) for _ in range(3)]
    assert len(list(play(envs, Sampling(spaces.Discrete(2)), [1]))) == 3
    assert [env.seeds for env in envs] == [[1], [], []]


def test_the_environment_is_in_the_state_of_the_yielded_step() -> None:
    env = Corridor(ends_at=3)
    for step in play([env], Sampling(spaces.Discrete(2)), [1, 2]):
        assert env.at == step.number


def test_stopping_the_iteration_stops_the_environment() -> None:
    env = Corridor(ends_at=100)
    for step in play([env], Sampling(spaces.Discrete(2)), [1]):
        if step.number == 3:
            break
    assert env.at == 3


def test_a_reading_describes_its_own_step_including_reset_and_last_and_only_on_request() -> None:
    policy = Sampling(spaces.Discrete(2))
    steps = list(play([Corridor(ends_at=2), Corridor(ends_at=3)], policy, [1, 2], readings=True))
    assert len(steps) == 3 + 4
    assert all(step.reading is not None and step.reading.value == 10 * step.observation[0] for step in steps)
    assert policy.readings == 5, "one for all that play, and one for each end"
    unread = Sampling(spaces.Discrete(2))
    assert all(step.reading is None for step in play([Corridor(ends_at=2)], unread, [1]))
    assert unread.readings == 0


def test_readings_do_not_change_random_draws() -> None:
    def played(readings: bool) -> list[Any]:
        envs = [Corridor(ends_at=20), Corridor(ends_at=50)]
        list(play(envs, _Drawing(spaces.Discrete(2)), [1, 2, 3], deterministic=False, readings=readings))
        return [env.actions for env in envs]

    assert played(readings=True) == played(readings=False)


def test_a_greedy_policy_does_not_advance_the_generator_of_its_action_space() -> None:
    policy, untouched = Sampling(spaces.Discrete(1_000)), spaces.Discrete(1_000)
    policy.action_space.seed(5)
    untouched.seed(5)
    list(play([Corridor(ends_at=1)], _Greedy(policy.action_space), [1]))
    assert policy.action_space.sample() == untouched.sample()


class _Drawing(Sampling):
    """Uses no random numbers for its best action, like every algorithm here."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        if deterministic:
            return np.zeros(len(observation), int), state
        return super().predict(observation, state, episode_start, deterministic)


class _Greedy(Sampling):
    def predict(self, observation: Any, *_arguments: Any, **_keywords: Any) -> tuple[Any, Any]:
        return np.zeros(len(observation), int), None


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_non_finite_reward_ends_the_evaluation(reward: float) -> None:
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
