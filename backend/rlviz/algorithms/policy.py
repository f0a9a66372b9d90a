"""Policies for playing: they take observations as the environment gives them, and give actions as it takes them,
whether or not they were trained on normalised observations, or on values counted in another way.

Imports Stable-Baselines3: only workers import this.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any, Protocol, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.algorithms.base import Algorithm
from rlviz.algorithms.exploration import Exploration, Explored
from rlviz.algorithms.feature_memory import FeatureMemory, Features
from rlviz.algorithms.numbering import Numbering
from rlviz.algorithms.readers import Reader
from rlviz.algorithms.reading import Reading
from rlviz.domain.registry import load

MEMBER = "normalization.json"
"""Name of the member of a policy's zip archive that holds the normalisation. Stable-Baselines3 ignores it."""


class Policy(Protocol):
    """Something that acts and can be read. Observations and actions are batches."""

    action_space: gymnasium.Space[Any]

    def predict(
        self, observation: Any, state: Any = ..., episode_start: Any = ..., deterministic: bool = ...
    ) -> tuple[Any, Any]:
        """Actions, and the state to give with the next observations of the same episodes."""

    def read(self, observations: Any, actions: Any) -> Reading:
        """The reading of ``observations`` and of the ``actions`` that were taken on them."""


@dataclass(frozen=True, eq=False)
class Scale:
    """The normalisation of Stable-Baselines3's ``VecNormalize``, estimated from ``count`` observations.

    ``mean`` and ``var`` have the shape of an observation; normalised values are clipped to ±``clip``.
    """

    mean: NDArray[np.float64]
    var: NDArray[np.float64]
    count: float
    clip: float
    epsilon: float

    def __call__(self, observation: Any) -> NDArray[np.float32]:
        """``observation``, or a batch of them, normalised."""
        scaled = (observation - self.mean) / np.sqrt(self.var + self.epsilon)
        cut: NDArray[np.float32] = np.clip(scaled, -self.clip, self.clip).astype(np.float32)
        return cut

    @classmethod
    def of(cls, model: BaseAlgorithm) -> Self | None:
        """The current normalisation of a model in training; None if it does not normalise observations."""
        wrapper = model.get_vec_normalize_env()
        if wrapper is None or not wrapper.norm_obs:
            return None
        seen: Any = wrapper.obs_rms
        return cls(seen.mean, seen.var, seen.count, wrapper.clip_obs, wrapper.epsilon)

    @classmethod
    def read(cls, file: IO[bytes]) -> Self | None:
        """The normalisation of a saved policy; None if it has none."""
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
    """A Stable-Baselines3 model as a policy, with the normalisation and the numbering that it was trained with, if any,
    and the noise."""

    def __init__(
        self, algorithm: Algorithm, model: BaseAlgorithm, scale: Scale | None, numbering: Numbering | None = None
    ) -> None:
        self.model, self.scale, self.numbering = model, scale, numbering
        self.exploration = Exploration.of(model)
        self.action_space = model.action_space
        self.features = FeatureMemory(model.policy)
        self._algorithm = algorithm

    @property
    def scorer(self) -> str | None:
        """Lazy reference to the function by which pixels are weighed."""
        return self._algorithm.scorer

    @property
    def step(self) -> int:
        """Environment steps it was trained for."""
        return int(self.model.num_timesteps)

    def predict(
        self, observation: Any, state: Explored | None = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Explored | None]:
        """``state`` is how far exploration has come in the episode; None at its beginning."""
        if episode_start is not None and np.any(episode_start):
            state = None
        seen = self._seen(observation)
        if deterministic:
            actions = self.model.predict(seen, deterministic=True)[0]
        else:
            actions, state = self.exploration.act(self.model, seen, state)
        return (actions if self.numbering is None else self.numbering.actions(actions)), state

    def read(self, observations: Any, actions: Any, known: Sequence[Features] = ()) -> Reading:
        """``known``: what ``features`` noted of each of the observations."""
        reader: Reader = load(self._algorithm.reader)
        with self.features.made_once(known):
            return reader(self.model, self._seen(observations), self.places(actions))

    def places(self, actions: Any) -> Any:
        """A batch of the environment's actions as the model counts them."""
        return actions if self.numbering is None else self.numbering.places(actions)

    def _seen(self, observations: Any) -> Any:
        """A batch of observations as the model takes them."""
        if self.numbering is not None:
            observations = self.numbering.observations(observations)
        return observations if self.scale is None else self.scale(observations)


def as_played(algorithm: Algorithm, model: BaseAlgorithm) -> TrainedPolicy:
    """The current policy of a model in training, with a copy of its normalisation."""
    return TrainedPolicy(algorithm, model, Scale.of(model), Numbering.of_model(model))


def write_extras(model: BaseAlgorithm, file: IO[bytes]) -> None:
    """Add what is needed to play a model, and the library does not keep, to the policy that was saved in ``file``."""
    for extra in (Scale.of(model), Numbering.of_model(model)):
        if extra is not None:
            extra.write(file)
