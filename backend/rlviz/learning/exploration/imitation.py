"""Self-imitation: the policy learns again from the best episodes of its own training (Oh et al., 2018).

An episode that was good once by luck is soon forgotten by on-policy algorithms, which discard what they learned from.
Here the best episodes are kept. After each update, an optimizer of its own makes a few small steps that make those
actions more probable whose return was higher than the value that the policy expects: with the return R and the value V,
the loss is −log π(a|s) · max(R − V(s), 0), and a little of max(R − V(s), 0)² for the value.

All numbers are those that the algorithm learns from, so R includes bonuses and is normalised if rewards are. Episodes
are compared by the environment's own return.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from torch import nn

from rlviz.domain.config import RunConfig
from rlviz.domain.metrics import IMITATION_EPISODES, IMITATION_LOSS, IMITATION_SHARE
from rlviz.learning.exploration.bonuses import task_of
from rlviz.learning.exploration.memory import IMITATION_BYTES, UNFINISHED_BYTES

STEPS_A_BATCH = 512
"""Environment steps of training for each gradient step of imitation."""
MOST_STEPS = 8
"""Most gradient steps after an update."""
BATCH = 128
VALUE_WEIGHT = 0.01
"""Weight of the loss of values, as in the paper."""

Array = NDArray[Any]


@dataclass(frozen=True)
class _Episode:
    """The steps of an episode, and the environment's own return.

    Attributes:
        total: The environment's own return, from its own start on.
        observations: Shape (steps, …), not normalised.
        actions: Shape (steps, components of an action).
        returns: Discounted rewards from each step to the end, as they were learned from; shape (steps,).
    """

    total: float
    observations: Array
    actions: Array
    returns: Array

    @property
    def bytes(self) -> int:
        return self.observations.nbytes + self.actions.nbytes + self.returns.nbytes


class Imitation:
    """Keeps the best episodes of an on-policy model and learns from them. Its state is part of snapshots.

    Args:
        model: PPO or A2C.
        episodes: Number of episodes to keep.
        seed: Seed of the generator that chooses steps; it is used for nothing else.
        task: What the returns depend on. Episodes of another task are not kept.
    """

    def __init__(self, model: Any, episodes: int, seed: int, task: str = "") -> None:
        self._model, self._most, self._task = model, episodes, task
        self._generator = np.random.default_rng(seed)
        self._parameters = [parameter for parameter in model.policy.parameters() if parameter.requires_grad]
        self._optimizer = torch.optim.Adam(self._parameters, lr=0.0)
        self._best: list[_Episode] = []
        """The best episodes, the worst first."""
        self._begin()

    def _begin(self) -> None:
        """Forget the current episodes."""
        count = self._model.n_envs
        self._parts: list[list[tuple[Array, Array, Array]] | None] = [[] for _ in range(count)]
        """Observations, actions and rewards of each current episode, by rollout; None: it is too long to be kept."""
        self._totals: list[dict[int, float]] = [{} for _ in range(count)]
        """Own returns of the episodes that ended in this rollout, by the step of the rollout."""
        self._waiting = 0
        """Environment steps since the last gradient step."""

    def note_end(self, index: int, total: float) -> None:
        """Note the own return of the episode that ends with this step in the environment at ``index``."""
        self._totals[index][self._model.rollout_buffer.pos] = total

    def read_rollout(self) -> None:
        """Read the rollout that has been collected, before the algorithm learns from it."""
        model, buffer = self._model, self._model.rollout_buffer
        normalizer = model.get_vec_normalize_env()
        seen = buffer.observations if normalizer is None else normalizer.unnormalize_obs(buffer.observations)
        ends = np.concatenate([buffer.episode_starts[1:], np.asarray(model._last_episode_starts)[None]]).astype(bool)
        for index in range(model.n_envs):
            rows = [one[:, index] for one in (seen, buffer.actions, buffer.rewards)]
            if buffer.episode_starts[0, index]:  # after a reset, for instance of a fork, its last episode is gone
                self._parts[index] = []
            begin = 0
            for end in (np.flatnonzero(ends[:, index]) + 1).tolist():
                self._add(index, *(one[begin:end].copy() for one in rows))
                self._finish(index, self._totals[index].get(end - 1))
                begin = end
            if begin < len(ends):
                self._add(index, *(one[begin:].copy() for one in rows))
            self._totals[index].clear()
        self._waiting += ends.size

    def learn(self) -> dict[str, float]:
        """Make the gradient steps that are due. Returns metrics; none if nothing is due."""
        steps = min(self._waiting // STEPS_A_BATCH, MOST_STEPS)
        if not steps or not self._best:
            return {}
        self._waiting = 0
        found = [self._step(*self._sample()) for _ in range(steps)]
        losses, shares = zip(*found, strict=True)
        return {
            IMITATION_LOSS: float(np.mean(losses)),
            IMITATION_SHARE: float(np.mean(shares)),
            IMITATION_EPISODES: len(self._best),
        }

    def _sample(self) -> tuple[Array, Array, Array]:
        """Return observations, actions and returns of BATCH steps of the kept episodes, each as likely."""
        bounds = np.cumsum([len(one.returns) for one in self._best])
        rows = self._generator.integers(bounds[-1], size=BATCH)
        places = np.searchsorted(bounds, rows, side="right")
        picked = [
            (one.observations[row], one.actions[row], one.returns[row])
            for one, row in (
                (self._best[place], row - bounds[place] + len(self._best[place].returns))
                for place, row in zip(places.tolist(), rows.tolist(), strict=True)
            )
        ]
        observations, actions, returns = (np.stack(column) for column in zip(*picked, strict=True))
        return observations, actions, returns

    def _step(self, observations: Array, actions: Array, returns: Array) -> tuple[float, float]:
        """Make a gradient step. Returns the loss, and the share of the steps that were better than expected."""
        model = self._model
        normalizer = model.get_vec_normalize_env()
        seen = normalizer.normalize_obs(observations) if normalizer is not None else observations
        taken = torch.as_tensor(actions)
        if isinstance(model.action_space, spaces.Discrete):
            taken = taken.long().flatten()
        with torch.enable_grad():
            values, log_probabilities, _ = model.policy.evaluate_actions(torch.as_tensor(seen), taken)
            better = (torch.as_tensor(returns, dtype=torch.float32) - values.flatten()).clamp(min=0)
            loss = (-log_probabilities * better.detach()).mean() + VALUE_WEIGHT * better.pow(2).mean() / 2
            share = float((better > 0).float().mean())
            if share > 0:
                for group in self._optimizer.param_groups:
                    group["lr"] = model.lr_schedule(model._current_progress_remaining)
                self._optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self._parameters, model.max_grad_norm)
                self._optimizer.step()
        return float(loss.detach()), share

    def _add(self, index: int, observations: Array, actions: Array, rewards: Array) -> None:
        if (parts := self._parts[index]) is None:
            return
        parts.append((observations, actions, rewards))
        if sum(one.nbytes for part in parts for one in part) > UNFINISHED_BYTES // self._model.n_envs:
            self._parts[index] = None

    def _finish(self, index: int, total: float | None) -> None:
        """Keep the episode that has ended in the environment at ``index`` if it is one of the best.

        Without a return, only a life was lost, and what was collected is dropped.
        """
        parts, self._parts[index] = self._parts[index], []
        if not parts or total is None or (len(self._best) == self._most and total < self._best[0].total):
            return
        observations, actions, rewards = (np.concatenate(one) for one in zip(*parts, strict=True))
        returns, later = np.zeros(len(rewards), np.float32), 0.0
        for step in reversed(range(len(rewards))):
            later = returns[step] = float(rewards[step]) + self._model.gamma * later
        self._best = sorted([*self._best, _Episode(total, observations, actions, returns)], key=lambda one: one.total)
        self._best = self._best[-self._most :]
        while sum(one.bytes for one in self._best) > IMITATION_BYTES:
            del self._best[0]

    def state(self) -> dict[str, Any]:
        return {
            "generator": self._generator.bit_generator.state,
            "moments": [
                {name: value.numpy().copy() for name, value in self._optimizer.state[parameter].items()}
                for parameter in self._parameters
                if parameter in self._optimizer.state
            ],
            "best": [(one.total, one.observations, one.actions, one.returns) for one in self._best],
            "parts": [None if parts is None else list(parts) for parts in self._parts],
            "waiting": self._waiting,
            "task": self._task,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. A fork may have another number of environments: their episodes begin fresh."""
        self._generator.bit_generator.state = state["generator"]
        self._optimizer.state.clear()
        if len(state["moments"]) == len(self._parameters):
            for parameter, moments in zip(self._parameters, state["moments"], strict=True):
                self._optimizer.state[parameter] = {
                    name: torch.from_numpy(np.array(value)) for name, value in moments.items()
                }
        self._best = [_Episode(*one) for one in state["best"]] if state["task"] == self._task else []
        self._begin()
        if len(state["parts"]) == len(self._parts):
            self._parts = [None if parts is None else list(parts) for parts in state["parts"]]
        self._waiting = state["waiting"]


IMITATION_SEED = 2_000
"""Added to the run's seed, so that imitation does not draw the numbers of another generator."""


def make_imitation(model: BaseAlgorithm, config: RunConfig) -> Imitation | None:
    """Return what the run's plan asks for; None if it does not."""
    plan = config.exploration
    if plan is None or plan.imitation is None:
        return None
    return Imitation(model, plan.imitation, config.seed + IMITATION_SEED, task_of(config))
