"""Random network distillation (Burda et al., 2018): a reward for observations that are hard to predict.

A network with fixed random weights, the target, maps an observation to some numbers. A second network, the predictor,
learns to map the observations of training to the same numbers. It predicts well what it has often seen, so its error
measures how new an observation is.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.preprocessing import is_image_space, is_image_space_channels_first
from torch import nn

from rlviz.learning.algorithms.experience import keep_generators

Floats = NDArray[np.float32]

WIDTH, OUTPUTS = 64, 32
BATCH, MINIBATCHES = 256, 2
"""From each BATCH of new observations, the predictor learns in MINIBATCHES gradient steps. In between, all that an
error is computed with stays the same, so that a step of the environment costs a few small multiplications."""
LEARNING_RATE = 1e-3
GAMMA = 0.99
"""Discount of the sums by whose spread errors are scaled."""
MOST = 5.0
"""Largest value of a scaled observation, and of a scaled error."""
PICTURE = 20
"""Pixels per side to which pictures are reduced: the error then costs as much as that of a vector."""
ONE_HOT = 4_096
"""Most values of a numbered observation that are encoded as one number each."""
LEAST_RETURN = 1.0
"""The share is of this return if returns are smaller: without it, nothing would be explored while nothing is earned."""
EPISODES = 100


class Novelty:
    """Measures and learns what is new, in the order in which training sees it.

    Args:
        space: The observations, before the policy's own encoding.
        environments: Number of environments that are played together.
        share: Most that novelty adds to an episode, as a share of the mean absolute return of the last EPISODES.
        seed: Seed of both networks.
    """

    def __init__(self, space: spaces.Space[Any], environments: int, share: float, seed: int) -> None:
        self._encode = encoder_of(space)
        self._scales = isinstance(space, spaces.Box)
        size = self._encode(_zeros(space, 1)).shape[1]
        with keep_generators():
            torch.manual_seed(seed)
            self._target, self._predictor = _network(size), _network(size)
        self._optimizer = torch.optim.Adam(self._predictor.parameters(), lr=LEARNING_RATE, fused=True)
        self._observations, self._sums = _Moments(size), _Moments(1)
        self._waiting: list[tuple[Floats, NDArray[np.float64]]] = []
        """Encoded observations of this batch, and the discounted sums of errors after each."""
        self._count = 0
        self._batches = 0
        self._discounted = np.zeros(environments)
        self._share = share
        self._running = np.zeros(environments)
        """What novelty would have added to each current episode without the limit."""
        self._finished: deque[tuple[float, float]] = deque(maxlen=EPISODES)
        """The same for finished episodes, each with the episode's absolute return."""
        self._added = np.zeros(environments)
        """What novelty has added to each current episode."""
        self._prepare()

    def rewards(self, observations: Any) -> NDArray[np.float64]:
        """Return the reward for the observation of each environment, shape (environments,), and learn from them.

        It is 0 in the first batch, which shows how to scale observations and errors.
        """
        encoded = self._encode(observations)
        errors = self._errors(encoded)
        self._discounted = self._discounted * GAMMA + errors
        self._waiting.append((encoded, self._discounted))
        self._count += len(encoded)
        scaled = np.minimum(errors * self._error_scale, MOST)
        self._running += scaled
        found = np.minimum(scaled * self._factor, np.maximum(self._most - self._added, 0.0))
        self._added += found
        if self._count >= BATCH:
            self._end_batch()
        return found

    def end_episode(self, index: int, episode_return: float) -> None:
        self._finished.append((float(self._running[index]), abs(episode_return)))
        self.drop_episode(index)

    def drop_episode(self, index: int) -> None:
        """End an episode that does not count for the limit, because it did not begin at the environment's start."""
        self._running[index] = self._added[index] = 0.0

    def begin_episodes(self) -> None:
        """Forget the current episodes, because all environments start a new one."""
        self._running[:] = 0.0
        self._added[:] = 0.0
        self._discounted = np.zeros(len(self._running))

    def _prepare(self) -> None:
        """Compute what stays the same until the end of the batch."""
        self._error_scale = 1 / math.sqrt(float(self._sums.variance[0]) + 1e-8) if self._batches else 0.0
        self._most, self._factor = self._limit()
        self._offset = self._observations.mean.astype(np.float32)
        self._scale = (1 / np.sqrt(self._observations.variance + 1e-8)).astype(np.float32)
        self._layers = _difference(_layers(self._target), _layers(self._predictor))

    def _limit(self) -> tuple[float, float]:
        """Return the most that may be added to an episode, and the factor with which half of it is added on average.

        Errors fall by orders of magnitude as the predictor learns, but the rare observations keep the larger ones. The
        factor grows as errors fall, so an episode that finds more than usual always gets more. It is at most 1 until
        an episode has ended.
        """
        finished = list(self._finished)
        mean_return = sum(one for _, one in finished) / len(finished) if finished else 0.0
        most = self._share * max(LEAST_RETURN, mean_return)
        unlimited = float(self._running.mean())
        if finished:
            unlimited = max(unlimited, sum(one for one, _ in finished) / len(finished))
        factor = most / 2 / unlimited if unlimited > 0 else 1.0
        return most, factor if finished else min(1.0, factor)

    def _scaled(self, encoded: Floats) -> Floats:
        if not self._scales:
            return encoded
        scaled = (encoded - self._offset) * self._scale
        limited: Floats = np.minimum(np.maximum(scaled, -MOST), MOST)  # faster than np.clip for so few numbers
        return limited

    def _errors(self, encoded: Floats) -> NDArray[np.float64]:
        """Return the mean squared error of each prediction. NumPy is faster here than torch for so few rows."""
        rows = self._scaled(encoded)
        for weight, bias in self._layers[:-1]:
            rows = np.maximum(rows @ weight + bias, 0)
        weight, bias = self._layers[-1]
        differences = rows @ weight + bias
        squares: NDArray[np.float64] = np.einsum("ij,ij->i", differences, differences, dtype=np.float64)
        return squares / OUTPUTS

    def _end_batch(self) -> None:
        """Learn from the batch, and scale the next one by what has been seen so far."""
        encoded = np.concatenate([rows for rows, _ in self._waiting])
        if self._scales:
            self._observations.update(encoded)
        self._sums.update(np.concatenate([sums for _, sums in self._waiting])[:, None])
        self._waiting, self._count = [], 0
        self._batches += 1
        self._prepare()
        self._learn(torch.from_numpy(self._scaled(encoded)))
        self._layers = _difference(_layers(self._target), _layers(self._predictor))

    def _learn(self, batch: torch.Tensor) -> None:
        with torch.no_grad():
            wanted = self._target(batch)
        with torch.enable_grad():
            for first in range(MINIBATCHES):
                loss = (self._predictor(batch[first::MINIBATCHES]) - wanted[first::MINIBATCHES]).pow(2).mean()
                self._optimizer.zero_grad()
                loss.backward()
                self._optimizer.step()

    def state(self) -> dict[str, Any]:
        """Return everything that later rewards depend on, as arrays and numbers."""
        return {
            "target": _arrays(self._target),
            "predictor": _arrays(self._predictor),
            "moments": [
                {name: value.numpy().copy() for name, value in self._optimizer.state[parameter].items()}
                for parameter in self._predictor.parameters()
            ],
            "observations": self._observations.state(),
            "sums": self._sums.state(),
            "waiting": list(self._waiting),
            "batches": self._batches,
            "limit": (self._most, self._factor),
            "discounted": self._discounted.copy(),
            "running": self._running.copy(),
            "added": self._added.copy(),
            "finished": list(self._finished),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. A fork may have another number of environments: their sums begin at 0."""
        _load(self._target, state["target"])
        _load(self._predictor, state["predictor"])
        for parameter, moments in zip(self._predictor.parameters(), state["moments"], strict=True):
            self._optimizer.state[parameter] = {
                name: torch.from_numpy(np.array(value)) for name, value in moments.items()
            }
        self._observations.restore(state["observations"])
        self._sums.restore(state["sums"])
        self._waiting, self._batches = list(state["waiting"]), state["batches"]
        self._count = sum(len(rows) for rows, _ in self._waiting)
        if len(state["running"]) == len(self._running):
            self._discounted, self._running = state["discounted"].copy(), state["running"].copy()
            self._added = state["added"].copy()
        else:
            self.begin_episodes()
        self._finished = deque(state["finished"], maxlen=EPISODES)
        self._prepare()
        self._most, self._factor = state["limit"]


class _Moments:
    """Running mean and variance of rows (Chan et al., 1979)."""

    def __init__(self, size: int) -> None:
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4

    def update(self, rows: NDArray[Any]) -> None:
        count, mean, variance = len(rows), rows.mean(axis=0), rows.var(axis=0)
        total = self.count + count
        change = mean - self.mean
        self.mean = self.mean + change * count / total
        squares = self.variance * self.count + variance * count + change**2 * self.count * count / total
        self.variance, self.count = squares / total, total

    def state(self) -> dict[str, Any]:
        return {"mean": self.mean.copy(), "variance": self.variance.copy(), "count": self.count}

    def restore(self, state: dict[str, Any]) -> None:
        self.mean, self.variance, self.count = state["mean"].copy(), state["variance"].copy(), state["count"]


def _network(size: int) -> nn.Sequential:
    network = nn.Sequential(
        nn.Linear(size, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, OUTPUTS)
    )
    for layer in network:
        if isinstance(layer, nn.Linear):
            nn.init.orthogonal_(layer.weight, math.sqrt(2))
            nn.init.zeros_(layer.bias)
    return network


Layers = list[tuple[Floats, Floats]]
"""Weights, shape (inputs, outputs), and biases of each layer."""


def _layers(network: nn.Sequential) -> Layers:
    """Return arrays that share the network's memory."""
    return [
        (layer.weight.detach().numpy().T, layer.bias.detach().numpy())
        for layer in network
        if isinstance(layer, nn.Linear)
    ]


def _difference(one: Layers, other: Layers) -> Layers:
    """Return the layers of a network that computes both networks beside each other, and subtracts their outputs."""
    (first, bias), (its_first, its_bias) = one[0], other[0]
    layers = [(np.concatenate([first, its_first], axis=1), np.concatenate([bias, its_bias]))]
    for (weight, bias), (its_weight, its_bias) in zip(one[1:-1], other[1:-1], strict=True):
        both = np.zeros((2 * WIDTH, 2 * WIDTH), np.float32)
        both[:WIDTH, :WIDTH], both[WIDTH:, WIDTH:] = weight, its_weight
        layers.append((both, np.concatenate([bias, its_bias])))
    (last, bias), (its_last, its_bias) = one[-1], other[-1]
    return [*layers, (np.concatenate([last, -its_last]), bias - its_bias)]


def _arrays(network: nn.Sequential) -> list[Floats]:
    return [parameter.detach().numpy().copy() for parameter in network.parameters()]


def _load(network: nn.Sequential, arrays: list[Floats]) -> None:
    with torch.no_grad():
        for parameter, array in zip(network.parameters(), arrays, strict=True):
            parameter.copy_(torch.from_numpy(array))


def encoder_of(space: spaces.Space[Any]) -> Any:
    """Return a function that turns a batch of observations into rows of numbers, shape (batch, size), float32."""
    if is_image_space(space):
        return _PictureEncoder(channels_first=is_image_space_channels_first(space))  # type: ignore[arg-type]
    if isinstance(space, spaces.Discrete):
        return _OneHot((int(space.n),), (int(space.start),))
    if isinstance(space, spaces.MultiDiscrete):
        return _OneHot(tuple(map(int, space.nvec.flat)), tuple(map(int, space.start.flat)))
    return _flatten


def _flatten(observations: Any) -> Floats:
    rows = np.asarray(observations, np.float32)
    return rows.reshape(len(rows), -1)


class _OneHot:
    """Encodes numbers one-hot; those of too many values by their binary digits."""

    def __init__(self, counts: tuple[int, ...], starts: tuple[int, ...]) -> None:
        self._counts, self._starts = counts, np.array(starts)

    def __call__(self, observations: Any) -> Floats:
        numbers = np.asarray(observations, np.int64).reshape(-1, len(self._counts)) - self._starts
        parts = []
        for place, count in enumerate(self._counts):
            column = numbers[:, place]
            if count <= ONE_HOT:
                rows = np.zeros((len(column), count), np.float32)
                rows[np.arange(len(column)), column] = 1
            else:
                rows = ((column[:, None] >> np.arange(count.bit_length())) & 1).astype(np.float32)
            parts.append(rows)
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


class _PictureEncoder:
    """Reduces the newest picture to about PICTURE × PICTURE grey pixels: each the mean of a block."""

    def __init__(self, *, channels_first: bool) -> None:
        self._channels_first = channels_first

    def __call__(self, observations: Any) -> Floats:
        pictures = np.asarray(observations)
        if self._channels_first:
            pictures = np.moveaxis(pictures, 1, -1)
        newest = pictures[..., -3:] if pictures.shape[-1] % 3 == 0 else pictures[..., -1:]
        height, width = newest.shape[1:3]
        down, across = max(1, height // PICTURE), max(1, width // PICTURE)
        kept = newest[:, : height // down * down, : width // across * across]
        blocks = kept.reshape(len(kept), height // down, down, width // across, across, -1)
        return _flatten(blocks.mean(axis=(2, 4, 5), dtype=np.float32) / 255)


def _zeros(space: spaces.Space[Any], rows: int) -> NDArray[Any]:
    shape, start = space.shape or (), getattr(space, "start", 0)
    return np.full((rows, *shape), start, space.dtype)
