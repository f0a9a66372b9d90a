"""Q-learning on a table, as a Stable-Baselines3 algorithm. Imports torch, so only workers may import it.

Q(s, a) ← Q(s, a) + α · (r + γ · max Q(s', ·) − Q(s, a)) (Watkins and Dayan, 1992)

A terminal state has the value 0; after a truncation the last state's value is used. The table is a buffer of the
policy, so that the library's own saving, loading, logging, callbacks and evaluation work.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.utils import LinearSchedule, safe_mean
from stable_baselines3.common.vec_env import VecEnv

from rlviz.learning.algorithms.q_learning import LOG_STEPS

RECENT_ACTIONS = 512
"""Number of the newest actions that are kept for the anatomy of updates."""


class TablePolicy(BasePolicy):
    """Takes the action of highest value. ``table``: float64 of shape (states, actions).

    ``visits`` counts how often each action was taken; ``terminal`` says which states ended an episode.
    """

    table: torch.Tensor
    visits: torch.Tensor
    terminal: torch.Tensor

    def __init__(
        self, observation_space: spaces.Space[Any], action_space: spaces.Space[Any], initial_value: float = 0.0
    ) -> None:
        super().__init__(observation_space, action_space)
        assert isinstance(action_space, spaces.Discrete)
        states, actions = count_states(observation_space), int(action_space.n)
        self.register_buffer("table", torch.full((states, actions), initial_value, dtype=torch.float64))
        self.register_buffer("visits", torch.zeros((states, actions), dtype=torch.int64))
        self.register_buffer("terminal", torch.zeros(states, dtype=torch.bool))

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {"observation_space": self.observation_space, "action_space": self.action_space}

    def states(self, observation: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Row of the table for an observation, or rows for a batch."""
        observed = np.asarray(observation, dtype=np.int64)
        if isinstance(self.observation_space, spaces.MultiDiscrete):
            nvec = self.observation_space.nvec.ravel()
            numbers = observed.reshape(-1, len(nvec)) - np.asarray(self.observation_space.start).ravel()
            return np.asarray(np.ravel_multi_index(tuple(numbers.T), tuple(nvec)))
        start: int = self.observation_space.start  # type: ignore[attr-defined]
        return observed.reshape(-1) - start

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """Choose the first of the best actions. The algorithm, not the policy, explores."""
        actions = self.table.numpy()[self.states(observation)].argmax(axis=1) + self.action_space.start  # type: ignore[attr-defined]
        is_batch = np.ndim(observation) > len(self.observation_space.shape or ())
        return (actions if is_batch else actions[0]), state

    def _predict(self, observation: Any, deterministic: bool = False) -> torch.Tensor:
        return torch.as_tensor(np.atleast_1d(self.predict(observation.cpu().numpy())[0]))


def count_states(space: spaces.Space[Any]) -> int:
    """Return the number of different observations. Raises TypeError if the space is not finite."""
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return int(np.prod(space.nvec, dtype=np.int64))
    raise TypeError(f"A table needs observations that can be counted, Discrete or MultiDiscrete, not {space}.")


class QLearning(BaseAlgorithm):
    """Q-learning on a table. ``exploration_*`` are as in DQN; ``initial_value`` is every action's first Q-value."""

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {"TablePolicy": TablePolicy}
    policy: TablePolicy

    def __init__(
        self,
        policy: str | type[TablePolicy],
        env: Any,
        learning_rate: Any = 0.1,
        gamma: float = 0.99,
        exploration_fraction: float = 0.5,
        exploration_initial_eps: float = 1.0,
        exploration_final_eps: float = 0.05,
        initial_value: float = 0.0,
        stats_window_size: int = 100,
        tensorboard_log: str | None = None,
        policy_kwargs: dict[str, Any] | None = None,
        verbose: int = 0,
        seed: int | None = None,
        device: torch.device | str = "cpu",
        _init_setup_model: bool = True,
    ) -> None:
        super().__init__(
            policy,
            env,
            learning_rate,
            policy_kwargs=policy_kwargs,
            stats_window_size=stats_window_size,
            tensorboard_log=tensorboard_log,
            verbose=verbose,
            device=device,
            support_multi_env=True,
            seed=seed,
            supported_action_spaces=(spaces.Discrete,),
        )
        self.gamma, self.initial_value = gamma, initial_value
        self.exploration_initial_eps, self.exploration_final_eps = exploration_initial_eps, exploration_final_eps
        self.exploration_fraction = exploration_fraction
        self.exploration_rate = exploration_initial_eps
        self.recent_td_errors: list[float] = []
        """TD errors of the steps since metrics were last logged."""
        self.recent_actions: deque[int] = deque(maxlen=RECENT_ACTIONS)
        """Indices of the newest actions in the action space. Training does not depend on them, so neither snapshots
        nor policies store them."""
        if _init_setup_model:
            self._setup_model()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "recent_actions"]

    def _setup_model(self) -> None:
        self._setup_lr_schedule()
        self.set_random_seed(self.seed)
        self.exploration_schedule = LinearSchedule(
            self.exploration_initial_eps, self.exploration_final_eps, self.exploration_fraction
        )
        self.policy = TablePolicy(self.observation_space, self.action_space, self.initial_value)

    def learn(
        self,
        total_timesteps: int,
        callback: Any = None,
        log_interval: int = LOG_STEPS,
        tb_log_name: str = "QLearning",
        reset_num_timesteps: bool = True,
        progress_bar: bool = False,
    ) -> QLearning:
        """Train for ``total_timesteps``, logging every ``log_interval`` steps of each environment."""
        total_timesteps, callback = self._setup_learn(
            total_timesteps, callback, reset_num_timesteps, tb_log_name, progress_bar
        )
        self.recent_actions.clear()
        callback.on_training_start(locals(), globals())
        going_on = True
        while going_on and self.num_timesteps < total_timesteps:
            callback.on_rollout_start()
            going_on = self._collect(callback, min(log_interval, self._steps_left(total_timesteps)))
            if going_on:
                callback.on_rollout_end()
                self.dump_logs()
        callback.on_training_end()
        return self

    def _steps_left(self, total_timesteps: int) -> int:
        return -(-(total_timesteps - self.num_timesteps) // self.n_envs)

    def _collect(self, callback: BaseCallback, steps: int) -> bool:
        """Step each environment ``steps`` times and learn from every step. Returns False if the callback stops it."""
        assert isinstance(self.env, VecEnv)
        states = self.policy.states(self._last_obs)
        for _ in range(steps):
            self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
            self.exploration_rate = self.exploration_schedule(self._current_progress_remaining)
            actions = self._explore(states)
            new_obs, rewards, dones, infos = self.env.step(actions + self.action_space.start)  # type: ignore[attr-defined]
            self.num_timesteps += self.env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            self._update_info_buffer(infos, dones)
            self._episode_num += int(dones.sum())
            self._learn_from(states, actions, rewards, new_obs, dones, infos)
            self._last_obs = np.asarray(new_obs)
            states = self.policy.states(new_obs)
        return True

    def _explore(self, states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return a random action with probability epsilon, else a best one; ties are broken at random."""
        table = self.policy.table.numpy()
        actions = np.empty(len(states), dtype=np.int64)
        for index, state in enumerate(states):
            if np.random.random() < self.exploration_rate:
                actions[index] = np.random.randint(table.shape[1])
                continue
            row = table[state]
            best = np.flatnonzero(row == row.max())
            actions[index] = best[0] if len(best) == 1 else np.random.choice(best)
        return actions

    def _learn_from(
        self,
        states: np.ndarray[Any, Any],
        actions: np.ndarray[Any, Any],
        rewards: np.ndarray[Any, Any],
        new_obs: Any,
        dones: np.ndarray[Any, Any],
        infos: list[dict[str, Any]],
    ) -> None:
        table, visits, rate = self.policy.table.numpy(), self.policy.visits.numpy(), self._rate()
        for index, (state, action) in enumerate(zip(states, actions, strict=True)):
            info, done = infos[index], bool(dones[index])
            reached = self.policy.states(info["terminal_observation"] if done else new_obs[index])[0]
            terminated = done and not info.get("TimeLimit.truncated", False)
            if terminated:
                self.policy.terminal[reached] = True
            future = 0.0 if terminated else self.gamma * table[reached].max()
            error = float(rewards[index]) + future - table[state, action]
            table[state, action] += rate * error
            visits[state, action] += 1
            self.recent_td_errors.append(error)
            self.recent_actions.append(int(action))
        self._n_updates += len(states)

    def _rate(self) -> float:
        return float(self.lr_schedule(self._current_progress_remaining))

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """Choose actions as DQN does: greedy, or random with the current epsilon unless ``deterministic``."""
        actions, state = self.policy.predict(observation)
        if not deterministic and np.random.random() < self.exploration_rate:
            actions = np.array([self.action_space.sample() for _ in range(np.size(actions))]).reshape(np.shape(actions))
        return actions, state

    def dump_logs(self) -> None:
        """Write a row of metrics, as the library's off-policy algorithms do."""
        assert self.ep_info_buffer is not None
        elapsed = max((time.time_ns() - self.start_time) / 1e9, sys.float_info.epsilon)
        self.logger.record("time/episodes", self._episode_num, exclude="tensorboard")
        if self.ep_info_buffer:
            self.logger.record("rollout/ep_rew_mean", safe_mean([info["r"] for info in self.ep_info_buffer]))
            self.logger.record("rollout/ep_len_mean", safe_mean([info["l"] for info in self.ep_info_buffer]))
        self.logger.record("rollout/exploration_rate", self.exploration_rate)
        self.logger.record("train/learning_rate", self._rate())
        self.logger.record("train/td_error", safe_mean(np.abs(self.recent_td_errors)))
        self.logger.record("train/states_visited", int(self.policy.visits.any(dim=1).sum()))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("time/fps", int((self.num_timesteps - self._num_timesteps_at_start) / elapsed))
        self.logger.record("time/time_elapsed", int(elapsed), exclude="tensorboard")
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.recent_td_errors.clear()
        self.logger.dump(step=self.num_timesteps)
