"""Readings of a policy (values, probabilities, quantiles) equal the library's own numbers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3 import PPO

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy, make_playable
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing.rollout import play
from rlviz.learning.training.builder import build_model
from tests.support.training import QUICK, make_run

WORLDS = {"ppo": "LunarLander-v3", "sac": "Pendulum-v1", "td3": "Pendulum-v1", "q-learning": "FrozenLake-v1"}
CONTINUOUS = ["ppo", "a2c", "trpo"]


def trained(
    root: Path, algo: str, env_id: str | None = None, **hyperparameters: Any
) -> tuple[Any, TrainedPolicy, gymnasium.Env[Any, Any]]:
    """A briefly trained model, its policy, and an environment to play in."""
    config = make_run(
        root, algo=algo, env_id=env_id or WORLDS.get(algo, "CartPole-v1"), hyperparameters=hyperparameters
    ).read_config()
    model = build_model(config)
    model.learn(300)
    return model, make_playable(ALGORITHMS.get(algo), model), make_environment(config, whole_episodes=True)


def read(policy: TrainedPolicy, env: gymnasium.Env[Any, Any], n: int = 5) -> tuple[Any, Any, Reading]:
    """Return ``n`` observations of an episode, the policy's actions, and its readings."""
    observations = []
    env.action_space.seed(1)
    observations.append(env.reset(seed=1)[0])
    while len(observations) < n:
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        observations.append(env.reset()[0] if terminated or truncated else observation)
    seen = np.stack(observations)
    actions, _ = policy.predict(seen, deterministic=True)
    return seen, actions, policy.read(seen, actions)


def tensor(model: Any, observations: Any) -> torch.Tensor:
    found: torch.Tensor = model.policy.obs_to_tensor(observations)[0]
    return found


def has(reading: Reading, *names: str) -> bool:
    held = {name for name, value in vars(reading).items() if value is not None and name != "squashed"}
    return held == set(names)


def same(found: Any, expected: Any) -> None:
    expected = expected.detach().numpy() if isinstance(expected, torch.Tensor) else expected
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("algo", ["ppo", "a2c", "trpo"])
def test_an_actor_critic_reading_has_value_and_probabilities(tmp_path: Path, algo: str) -> None:
    model, policy, env = trained(tmp_path, algo)
    seen, actions, reading = read(policy, env)
    assert has(reading, "value", "probabilities")
    for action in range(env.action_space.n):  # type: ignore[attr-defined]
        value, log_prob, _ = model.policy.evaluate_actions(tensor(model, seen), torch.full((len(seen),), action))
        same(reading.value, value.flatten())
        assert reading.probabilities is not None
        same(reading.probabilities[:, action], log_prob.exp())
    same(reading.probabilities.argmax(axis=1), actions)  # type: ignore[union-attr]


@pytest.mark.parametrize("algo", CONTINUOUS)
@pytest.mark.parametrize("use_sde", [False, True])
def test_an_actor_critic_reading_has_mean_and_deviation(tmp_path: Path, algo: str, use_sde: bool) -> None:
    model, policy, env = trained(tmp_path, algo, "Pendulum-v1", use_sde=use_sde)
    seen, _, reading = read(policy, env)
    assert has(reading, "value", "mean", "deviation")
    assert not reading.squashed
    same(reading.mean, model.policy.get_distribution(tensor(model, seen)).mode())
    drawn = torch.full((len(seen), 1), 0.3)
    _, log_prob, _ = model.policy.evaluate_actions(tensor(model, seen), drawn)
    gaussian = torch.distributions.Normal(torch.as_tensor(reading.mean), torch.as_tensor(reading.deviation))
    same(gaussian.log_prob(drawn).sum(dim=1).numpy(), log_prob)


@pytest.mark.parametrize(
    ("space", "sizes"), [(spaces.MultiDiscrete([3, 2]), [3, 2]), (spaces.MultiBinary(3), [1, 1, 1])]
)
def test_probabilities_of_multi_discrete_actions_are_concatenated(space: spaces.Space[Any], sizes: list[int]) -> None:
    class Several(gymnasium.Env[Any, Any]):
        observation_space = spaces.Box(-1, 1, (2,))
        action_space = space

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            return np.zeros(2, np.float32), {}

    model = PPO("MlpPolicy", Several(), n_steps=8, batch_size=8, seed=1, device="cpu")
    policy, seen = make_playable(ALGORITHMS.get("ppo"), model), np.array([[0.1, -0.9], [0.5, 0.5]], np.float32)
    actions = np.zeros((2, len(sizes)))
    probabilities = policy.read(seen, actions).probabilities
    assert probabilities is not None
    assert probabilities.shape == (2, sum(sizes))
    _, log_prob, _ = model.policy.evaluate_actions(tensor(model, seen), torch.as_tensor(actions))
    firsts = probabilities[:, np.cumsum([0, *sizes[:-1]])]
    chances = firsts if isinstance(space, spaces.MultiDiscrete) else 1 - firsts
    same(chances.prod(axis=1), log_prob.exp())


@pytest.mark.parametrize("normalized", [False, True])
def test_a_dqn_reading_has_q_values(tmp_path: Path, normalized: bool) -> None:
    model, policy, env = trained(tmp_path, "dqn", normalize_observations=normalized)
    seen, actions, reading = read(policy, env)
    assert has(reading, "q_values", "action_value")
    shown = policy.scale(seen) if policy.scale is not None else seen
    assert (policy.scale is not None) == normalized
    same(reading.q_values, model.q_net(tensor(model, shown)))
    same(reading.q_values.argmax(axis=1), actions)  # type: ignore[union-attr]
    same(reading.action_value, reading.q_values.max(axis=1))  # type: ignore[union-attr]
    other = policy.read(seen, 1 - actions)
    same(other.action_value, reading.q_values.min(axis=1))  # type: ignore[union-attr]


def test_a_qrdqn_reading_has_quantiles_and_their_means(tmp_path: Path) -> None:
    model, policy, env = trained(tmp_path, "qrdqn")
    seen, actions, reading = read(policy, env)
    assert has(reading, "q_values", "action_value", "quantiles")
    quantiles = model.quantile_net(tensor(model, seen))
    assert quantiles.shape == (len(seen), QUICK["qrdqn"]["n_quantiles"], 2)
    same(reading.quantiles, quantiles)
    same(reading.q_values, quantiles.mean(dim=1))
    same(reading.q_values.argmax(axis=1), actions)  # type: ignore[union-attr]


@pytest.mark.parametrize("use_sde", [False, True])
def test_a_sac_reading_has_the_gaussian_before_squashing(tmp_path: Path, use_sde: bool) -> None:
    model, policy, env = trained(tmp_path, "sac", use_sde=use_sde)
    seen, actions, reading = read(policy, env)
    assert has(reading, "mean", "deviation", "action_value")
    assert reading.squashed
    assert reading.mean is not None
    same(model.policy.unscale_action(np.tanh(reading.mean)), actions)
    if not use_sde:
        same(reading.deviation, model.actor.get_action_dist_params(tensor(model, seen))[1].exp())
    critics = model.critic(tensor(model, seen), torch.as_tensor(actions / 2))  # Pendulum's reach from -2 to 2
    same(reading.action_value, torch.minimum(*critics).flatten())


def test_a_td3_reading_has_the_action_and_the_lower_critic(tmp_path: Path) -> None:
    model, policy, env = trained(tmp_path, "td3")
    seen, actions, reading = read(policy, env)
    assert has(reading, "mean", "action_value")
    same(reading.mean, actions)
    taken = np.full_like(actions, 1.0)
    critics = model.critic(tensor(model, seen), torch.as_tensor(taken / 2))
    same(policy.read(seen, taken).action_value, torch.minimum(*critics).flatten())


def test_a_q_learning_reading_has_the_rows_of_its_table(tmp_path: Path) -> None:
    model, policy, env = trained(tmp_path, "q-learning")
    model.policy.table[:] = torch.arange(64.0).reshape(16, 4)
    seen, actions, reading = read(policy, env)
    assert has(reading, "q_values", "action_value")
    same(reading.q_values, model.policy.table[torch.as_tensor(seen)])
    same(reading.action_value, reading.q_values[:, 3])  # type: ignore[index]
    assert list(actions) == [3] * len(seen)


def test_pictures_are_read_in_the_form_used_for_learning(tmp_path: Path) -> None:
    model, policy, env = trained(tmp_path, "dqn", "ALE/Pong-v5", learning_starts=250, buffer_size=300)
    seen, actions, reading = read(policy, env, n=2)
    assert seen.shape == (2, 4, 84, 84)
    same(reading.q_values, model.q_net(tensor(model, seen)))
    same(reading.q_values.argmax(axis=1), actions)  # type: ignore[union-attr]


@pytest.mark.parametrize("algo", ALGORITHMS.names())
def test_reading_does_not_change_an_episode_and_each_step_has_its_reading(tmp_path: Path, algo: str) -> None:
    _, policy, env = trained(tmp_path, algo)
    with closing(env):
        plain, read_ = (
            list(play([env], policy, [1], deterministic=False, readings=readings, max_steps=30))
            for readings in (False, True)
        )
    assert [(step.reward, np.asarray(step.action).tolist()) for step in plain[1:]] == [
        (step.reward, np.asarray(step.action).tolist()) for step in read_[1:]
    ]
    before, step = read_[-2:]
    assert before.reading is not None
    again = policy.read(np.stack([before.observation]), np.stack([step.action]))
    for name, value in vars(before.reading).items():
        if value is not None and name != "squashed":
            np.testing.assert_allclose(value, getattr(again, name)[0], rtol=1e-5, err_msg=name)
