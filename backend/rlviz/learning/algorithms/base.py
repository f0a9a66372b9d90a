"""Describes a learning algorithm: its hyperparameters, model class, metrics, memory and capabilities.

Each algorithm's file makes one ``Algorithm``. It refers to heavy modules by lazy references, so that the service can
import this without torch. Normalisation of observations and the estimate of a run's memory are here too, because all
algorithms with a network share them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar

from pydantic import ConfigDict, JsonValue, ValidationError

from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to, validation_text
from rlviz.domain.experiments import Suggestions
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.metrics import METRICS, MetricDefinition
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms.knobs import Knob

SWITCHES = ("normalize_observations", "normalize_rewards")
CLIP = 10.0
"""Normalised values are clipped to ±10, as in Stable-Baselines3's ``VecNormalize``."""


def vec_normalize(observations: bool, rewards: bool, gamma: float) -> dict[str, Any] | None:
    """Return keyword arguments of the library's ``VecNormalize``, or None if neither is normalised."""
    if not (observations or rewards):
        return None
    return {"norm_obs": observations, "norm_reward": rewards, "gamma": gamma, "clip_obs": CLIP, "clip_reward": CLIP}


def check_scale(normalize_observations: bool, space: Space) -> list[FieldError]:
    """Return an error if images or states are to be normalised: the policy scales or encodes those itself."""
    if not normalize_observations or space.is_real:
        return []
    return [
        FieldError(
            "/hyperparameters/normalize_observations",
            f"Only observations of real numbers (Box, float) can be normalised; these are {space.kind}, {space.dtype}. "
            "Switch normalisation off: the network scales such observations itself.",
        )
    ]


FLOAT = 4
"""Size in bytes of rewards, values and flags in buffers."""


@dataclass(frozen=True)
class Layout:
    """How a buffer stores an observation or action: an array of ``shape`` with ``itemsize`` bytes per number.

    ``values`` is the number of different values; 0 if they cannot be counted.
    """

    shape: tuple[int, ...]
    itemsize: int
    values: int = 0

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.itemsize

    def __str__(self) -> str:
        return "×".join(map(str, self.shape)) if self.shape else "1"


@dataclass(frozen=True)
class MemoryNeed:
    """Memory that grows with the hyperparameter ``field``, now ``value``; ``field`` is None if it is constant."""

    field: str | None
    value: int
    bytes: int

    def largest(self, limit: int) -> int:
        """Return the largest value of ``field`` that needs at most ``limit`` bytes."""
        return self.value * limit // self.bytes


def replay_buffer(size: int, observation: Layout, action: Layout, *, store_once: bool) -> MemoryNeed:
    """Return the memory of ``size`` transitions: observation, next observation (unless ``store_once``), action, reward
    and flags."""
    transition = observation.nbytes * (1 if store_once else 2) + action.nbytes + 3 * FLOAT
    return MemoryNeed("buffer_size", size, size * transition)


def rollout_buffer(n_steps: int, n_envs: int, observation: Layout, action: Layout) -> MemoryNeed:
    """Return the memory of ``n_steps × n_envs`` steps: observation, action and six numbers, twice because an update
    shuffles a copy."""
    step = observation.nbytes + action.nbytes + 6 * FLOAT
    return MemoryNeed("n_steps", n_steps, 2 * n_steps * n_envs * step)


SB3 = "Stable-Baselines3"
CONTRIB = "sb3-contrib"
HERE = "RL Gym Visualizer"

VECTORS = ("Box", "Discrete", "MultiDiscrete", "MultiBinary")
"""Spaces that Stable-Baselines3's policies support: numbers, images, and what can be one-hot encoded."""

LOGGED = (
    "episode/reward",
    "episode/length",
    "episode/index",
    "rollout/ep_rew_mean",
    "rollout/ep_len_mean",
    "time/fps",
    "time/recent_fps",
    "time/update_seconds",
)
"""Metrics that every algorithm logs."""


class Hyperparameters(LazyModel, ABC):
    """An algorithm's hyperparameters, each with bounds; names are Stable-Baselines3's.

    ``defaults_of`` names the source of the default values; ``own_defaults`` lists exceptions with their reasons.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    defaults_of: ClassVar[str] = SB3
    own_defaults: ClassVar[Mapping[str, str]] = {}
    rollout_factors: ClassVar[tuple[str, ...]]
    """The hyperparameters whose product is the length of a rollout in environment steps. Training ends after one."""

    @classmethod
    def source_of(cls, name: str) -> str:
        """Return the source of a hyperparameter's default."""
        return cls.own_defaults.get(name, cls.defaults_of)

    @property
    @abstractmethod
    def environments(self) -> int:
        """Number of environments stepped together."""

    @abstractmethod
    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        """Return keyword arguments for the model's class; ``action_size`` is the number of components of an action.

        ``policy_kwargs["activation_fn"]`` is a lazy reference, which the builder loads.
        """

    @property
    def rollout_steps(self) -> int:
        """Environment steps, over all environments, that are collected before training can end."""
        return prod(int(getattr(self, name)) for name in self.rollout_factors)

    @property
    def boundary_steps(self) -> int:
        """Environment steps between two rollout starts, where training can pause and be forked."""
        return self.rollout_steps

    @property
    def first_update(self) -> int:
        """Environment steps before the first update, while the policy is unchanged."""
        return self.rollout_steps

    def spread_over_training(self) -> list[str]:
        """Names of hyperparameters whose schedule depends on the length of training."""
        return [name for name, value in self if _is_spread(name, value)]

    def training_end(self, total_timesteps: int) -> int:
        """Return the step at which training for ``total_timesteps`` ends: the end of the first whole rollout there or
        beyond.

        The library never shortens the last rollout, because buffers and minibatches need whole ones.
        """
        return -(-total_timesteps // self.rollout_steps) * self.rollout_steps

    def normalization(self) -> dict[str, Any] | None:
        """Return keyword arguments of the library's ``VecNormalize``, or None without normalisation."""
        return None

    @abstractmethod
    def memory(self, observation: Layout, action: Layout) -> MemoryNeed:
        """Return the size of the largest buffer, and the hyperparameter that reduces it."""

    def problems(self, total_timesteps: int) -> list[FieldError]:
        """Return combinations of values that cannot work, each with a remedy."""
        return []

    def problems_with(self, observation: Space, action: Space) -> list[FieldError]:
        """Return values that cannot work with these spaces, each with a remedy."""
        return []


@dataclass(frozen=True)
class Algorithm:
    """A learning algorithm. Attributes called references are lazy, so that the service never imports torch.

    Args:
        model_class: Reference to the model's class.
        reader: Reference to the function in ``rlviz.learning.algorithms.policy`` that reads a policy.
        scorer: Reference to the function in ``rlviz.learning.algorithms.saliency`` that scores pixels; None if the
            algorithm's policies cannot see images.
        td_errors: Reference to the function in ``rlviz.learning.algorithms.experience`` that computes TD errors; None
            if the algorithm only learns from advantages.
        entropy_bonus: Whether state values include a bonus for the entropy of later actions.
        metrics: Metrics that it logs besides LOGGED.
        policy: The library's name of the policy class; None to choose it by the observations.
        definitions: Metrics that only this algorithm logs, so that ``rlviz.domain.metrics`` does not define them.
        imitates: Whether it can imitate the best episodes of its own training.
        needs_bounds: Whether actions are scaled to their bounds, so that each needs two different ones.
        export: Reference to ``(folder, config, model) -> None``, which writes what users can inspect of a policy.
        artifacts: The files that ``export`` writes.
        knobs: Hyperparameters that can be adjusted during training.
        search: Hyperparameters that a search varies by default.
    """

    id: str
    name: str
    title: str
    summary: str
    observation_spaces: tuple[str, ...]
    action_spaces: tuple[str, ...]
    model_class: str
    reader: str
    hyperparameters: type[Hyperparameters]
    metrics: tuple[str, ...]
    scorer: str | None = None
    td_errors: str | None = None
    entropy_bonus: bool = False
    imitates: bool = False
    needs_bounds: bool = False
    policy: str | None = None
    export: str | None = None
    artifacts: tuple[str, ...] = ()
    definitions: tuple[MetricDefinition, ...] = ()
    knobs: tuple[Knob, ...] = ()
    search: Suggestions = field(default_factory=dict)

    def fits(self, observation_space: str, action_space: str) -> bool:
        return observation_space in self.observation_spaces and action_space in self.action_spaces

    def check_spaces(self, environment: str, observation_space: str, action_space: str) -> None:
        """Raise InvalidRequest if the algorithm does not support the spaces, naming what it needs."""
        for what, kind, known in (
            ("observation", observation_space, self.observation_spaces),
            ("action", action_space, self.action_spaces),
        ):
            if kind not in known:
                raise InvalidRequest.field(
                    "/algo",
                    f"{self.name} needs an {what} space of kind {' or '.join(known)}; {environment} has {kind}. "
                    "Choose another algorithm or another environment.",
                )

    def check_bounds(self, environment: str, actions: Space) -> None:
        """Raise InvalidRequest if the algorithm needs bounds that these actions do not have."""
        if self.needs_bounds and not actions.is_bounded:
            raise InvalidRequest.field(
                "/algo",
                f"{self.name} needs actions between two bounds that differ; one of {environment} has only one value. "
                "Leave it out, or choose PPO, A2C or TRPO.",
            )

    def training_end(self, total_timesteps: int, values: Mapping[str, JsonValue]) -> int:
        """Return ``Hyperparameters.training_end`` for the hyperparameters of a run.

        The bounds may have changed since the run was created. Returns ``total_timesteps`` if the values are not valid.
        """
        fields = self.hyperparameters.model_fields
        factors = {name: values.get(name, fields[name].default) for name in self.hyperparameters.rollout_factors}
        if not all(isinstance(value, int) and value > 0 for value in factors.values()):
            return total_timesteps
        return self.hyperparameters.model_construct(**factors).training_end(total_timesteps)

    def completed(self, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Add defaults for hyperparameters that did not exist when the run was created."""
        return {**self.hyperparameters().model_dump(), **values}

    def validate(
        self, values: Mapping[str, JsonValue], total_timesteps: int, spaces: tuple[Space, Space] | None = None
    ) -> Hyperparameters:
        """Check ``values`` against names, bounds and ``spaces``, and fill in defaults.

        Raises:
            InvalidRequest: A value is invalid; it has a FieldError for each.
            UnknownName: There is no such hyperparameter.
        """
        known = self.hyperparameters.model_fields
        for name in values:
            if name not in known:
                raise UnknownName(f"{self.name} hyperparameter", name, known, pointer_to("hyperparameters", name[:80]))
        try:
            checked = self.hyperparameters.model_validate(dict(values))
        except ValidationError as error:
            problems = [
                FieldError(pointer_to("hyperparameters", *item["loc"]), validation_text(item))
                for item in error.errors()
            ]
        else:
            problems = checked.problems(total_timesteps)
            if spaces is not None:
                problems += checked.problems_with(*spaces)
            if not problems:
                return checked
        names = ", ".join(problem.pointer.removeprefix("/hyperparameters/") for problem in problems)
        raise InvalidRequest(f"{self.name} cannot train with these values: {names}.", problems)


def _is_spread(name: str, value: object) -> bool:
    return name == "exploration_fraction" or (name.endswith("_schedule") and value != "constant")


def metric_definitions(algorithms: Sequence[Algorithm]) -> list[tuple[MetricDefinition, list[str]]]:
    """Return every metric with the ids of the ``algorithms`` that log it, shared metrics first.

    A shared metric that no algorithm names is logged by all, in training or in evaluation.
    """
    everyone = [algorithm.id for algorithm in algorithms]
    own = [definition for algorithm in algorithms for definition in algorithm.definitions]
    return [
        (definition, [one.id for one in algorithms if definition.name in one.metrics] or everyone)
        for definition in (*METRICS, *own)
    ]
