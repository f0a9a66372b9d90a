"""Policies as they are played: shown what the environment shows, whatever they were trained on.

Imports Stable-Baselines3: only workers import this.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from typing import IO, Any, Protocol, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.algorithms.base import Algorithm
from rlviz.algorithms.readers import Reader
from rlviz.algorithms.reading import Reading
from rlviz.domain.registry import load

MEMBER = "normalization.json"
"""Where a policy's file, which is a zip archive, holds the scale of its observations. The library reads past it."""


class Policy(Protocol):
    """What acts, and can say why. Observations and actions are batches."""

    action_space: gymnasium.Space[Any]

    def predict(
        self, observation: Any, state: Any = ..., episode_start: Any = ..., deterministic: bool = ...
    ) -> tuple[Any, Any]: ...

    def read(self, observations: Any, actions: Any) -> Reading:
        """What it makes of ``observations`` and of the ``actions`` that it took."""


@dataclass(frozen=True, eq=False)
class Scale:
    """What Stable-Baselines3's ``VecNormalize`` does to observations, as learned from ``count`` of them.

    ``mean`` and ``var`` have the shape of an observation; what is beyond ±``clip`` is cut.
    """

    mean: NDArray[np.float64]
    var: NDArray[np.float64]
    count: float
    clip: float
    epsilon: float

    def __call__(self, observation: Any) -> NDArray[np.float32]:
        """``observation``, or a batch of them, on this scale."""
        scaled = (observation - self.mean) / np.sqrt(self.var + self.epsilon)
        cut: NDArray[np.float32] = np.clip(scaled, -self.clip, self.clip).astype(np.float32)
        return cut

    @classmethod
    def of(cls, model: BaseAlgorithm) -> Self | None:
        """That of a model in training as it is now; None if it sees observations as they are."""
        wrapper = model.get_vec_normalize_env()
        if wrapper is None or not wrapper.norm_obs:
            return None
        seen: Any = wrapper.obs_rms
        return cls(seen.mean, seen.var, seen.count, wrapper.clip_obs, wrapper.epsilon)

    @classmethod
    def read(cls, file: IO[bytes]) -> Self | None:
        """That of a saved policy; None if it holds none."""
        with zipfile.ZipFile(file) as archive:
            if MEMBER not in archive.namelist():
                return None
            values = json.loads(archive.read(MEMBER))
        return cls(np.array(values.pop("mean")), np.array(values.pop("var")), **values)

    def write(self, file: IO[bytes]) -> None:
        """Add it to the policy that was saved in ``file``."""
        values = {**vars(self), "mean": self.mean.tolist(), "var": self.var.tolist()}
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(MEMBER, json.dumps(values))


class TrainedPolicy:
    """A Stable-Baselines3 model as it is played: behind the scale that its observations had, if they had one."""

    def __init__(self, algorithm: Algorithm, model: BaseAlgorithm, scale: Scale | None) -> None:
        self.model, self.scale = model, scale
        self.action_space = model.action_space
        self._algorithm = algorithm

    @property
    def step(self) -> int:
        """Environment steps it was trained for."""
        return int(self.model.num_timesteps)

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        return self.model.predict(self._scaled(observation), state, episode_start, deterministic)

    def read(self, observations: Any, actions: Any) -> Reading:
        reader: Reader = load(self._algorithm.reader)
        return reader(self.model, self._scaled(observations), actions)

    def _scaled(self, observations: Any) -> Any:
        return observations if self.scale is None else self.scale(observations)


def as_played(algorithm: Algorithm, model: BaseAlgorithm) -> TrainedPolicy:
    """The policy of a model in training as it is now; the scale does not move with what it plays."""
    return TrainedPolicy(algorithm, model, Scale.of(model))
