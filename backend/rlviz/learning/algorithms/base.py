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
    """Keyword arguments of the library's ``VecNormalize``; None if neither is normalised."""
    if not (observations or rewards):
        return None
    return {"norm_obs": observations, "norm_reward": rewards, "gamma": gamma, "clip_obs": CLIP, "clip_reward": CLIP}


def check_scale(normalize_observations: bool, space: Space) -> list[FieldError]:
    """Not for pictures and states: they are integers that the policy scales or encodes itself."""
    if not normalize_observations or space.is_real:
        return []
    return [
        FieldError(
            "/hyperparameters/normalize_observations",
            f"Only observations of real numbers (Box, float) can be normalised; these are {space.kind}, {space.dtype}. "
            "Switch it off: the network brings such observations to one scale itself.",
        )
    ]


FLOAT = 4
"""Bytes of the rewards, values and flags that buffers hold."""


@dataclass(frozen=True)
class Layout:
    """An observation or an action as a buffer stores it: an array of ``shape``, ``itemsize`` bytes a number.

    ``values`` is how many different ones there are; 0 if they cannot be counted.
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
    """``bytes`` that grow in proportion to the hyperparameter ``field``, now ``value``; None: to none."""

    field: str | None
    value: int
    bytes: int

    def largest(self, limit: int) -> int:
        """The largest value of ``field`` that needs at most ``limit`` bytes."""
        return self.value * limit // self.bytes


def replay_buffer(size: int, observation: Layout, action: Layout, *, store_once: bool) -> MemoryNeed:
    """``size`` transitions: observation, next observation (unless ``store_once``), action, reward, two flags."""
    transition = observation.nbytes * (1 if store_once else 2) + action.nbytes + 3 * FLOAT
    return MemoryNeed("buffer_size", size, size * transition)


def rollout_buffer(n_steps: int, n_envs: int, observation: Layout, action: Layout) -> MemoryNeed:
    """``n_steps × n_envs`` steps: observation, action and six numbers, twice while an update shuffles them."""
    step = observation.nbytes + action.nbytes + 6 * FLOAT
    return MemoryNeed("n_steps", n_steps, 2 * n_steps * n_envs * step)


SB3 = "Stable-Baselines3"
CONTRIB = "sb3-contrib"
HERE = "RL Gym Visualizer"

VECTORS = ("Box", "Discrete", "MultiDiscrete", "MultiBinary")
"""Spaces that Stable-Baselines3's policies take: numbers, pictures, and what can be written as ones and zeros."""

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

    ``defaults_of`` says where the default values come from; ``own_defaults`` names those that come from elsewhere, with
    the reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    defaults_of: ClassVar[str] = SB3
    own_defaults: ClassVar[Mapping[str, str]] = {}
    rollout_factors: ClassVar[tuple[str, ...]]
    """The hyperparameters whose product is the environment steps of a rollout, at the end of which training may end."""

    @classmethod
    def source_of(cls, name: str) -> str:
        """Where the default of hyperparameter ``name`` comes from."""
        return cls.own_defaults.get(name, cls.defaults_of)

    @property
    @abstractmethod
    def environments(self) -> int:
        """How many copies of the environment are stepped together."""

    @abstractmethod
    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        """Keyword arguments for the model's class; ``action_size`` is the number of components of an action.

        ``"module:attribute"`` stays a string in ``policy_kwargs["activation_fn"]``; the builder loads it.
        """

    @property
    def rollout_steps(self) -> int:
        """Environment steps that are collected, in all environments together, before training can end."""
        return prod(int(getattr(self, name)) for name in self.rollout_factors)

    @property
    def boundary_steps(self) -> int:
        """Environment steps from one start of a rollout to the next, where training can pause and be forked."""
        return self.rollout_steps

    @property
    def first_update(self) -> int:
        """Environment steps up to which the policy is the one that training began with."""
        return self.rollout_steps

    def spread_over_training(self) -> list[str]:
        """Names of the values whose course depends on the length of training."""
        return [name for name, value in self if _is_spread(name, value)]

    def training_end(self, total_timesteps: int) -> int:
        """The environment step at which training for ``total_timesteps`` ends: that of the first whole rollout there
        or beyond. The library never shortens the last one: buffers and minibatches are made for whole ones."""
        return -(-total_timesteps // self.rollout_steps) * self.rollout_steps

    def normalization(self) -> dict[str, Any] | None:
        """Keyword arguments of the library's ``VecNormalize``; None: observations and rewards stay as they are."""
        return None

    @abstractmethod
    def memory(self, observation: Layout, action: Layout) -> MemoryNeed:
        """Size of the largest buffer, and the hyperparameter that makes it smaller."""

    def problems(self, total_timesteps: int) -> list[FieldError]:
        """Combinations of values that cannot work, each with what to change."""
        return []

    def problems_with(self, observation: Space, action: Space) -> list[FieldError]:
        """Values that cannot work with these spaces, each with what to change."""
        return []


@dataclass(frozen=True)
class Algorithm:
    """``model_class`` is a lazy reference, so that the service never imports torch. ``reader`` refers to the function
    of ``rlviz.learning.algorithms.policy`` that reads what a policy computes from an observation. ``scorer`` refers to
    the function of ``rlviz.learning.algorithms.saliency`` that weighs pixels; None if its policies see no pictures.

    ``td_errors`` refers to the function of ``rlviz.learning.algorithms.experience`` that measures how much experience
    surprises it; None if it learns from advantages alone. ``entropy_bonus``: whether its values of states
    include a bonus for the entropy of later actions.

    ``metrics`` are those it logs besides LOGGED. ``policy`` is the library's name of the kind of policy, None for
    the one that suits the observations. ``definitions`` are of metrics that ``rlviz.domain.metrics`` does not define:
    those that this algorithm alone logs. ``needs_bounds``: whether it learns actions scaled to their bounds, so that
    each action needs two bounds that differ. ``export`` refers to a function that writes, beside each saved
    policy, what people want to see of it: ``(folder, config, model) -> None``; ``artifacts`` are the files that it
    writes. ``knobs`` are the hyperparameters that
    can be adjusted while it trains. ``search`` is what a search for hyperparameters varies unless told otherwise.
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
        """Raises InvalidRequest, naming what is needed and what is there, if the algorithm cannot train there."""
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
        """Raises InvalidRequest if the algorithm needs bounds that these actions do not have."""
        if self.needs_bounds and not actions.is_bounded:
            raise InvalidRequest.field(
                "/algo",
                f"{self.name} needs actions between two bounds that differ; one of {environment} has only one value. "
                "Leave it out, or choose PPO, A2C or TRPO.",
            )

    def training_end(self, total_timesteps: int, values: Mapping[str, JsonValue]) -> int:
        """As ``Hyperparameters.training_end``, for the hyperparameters of a run, whatever bounds they were checked
        against when it was created; ``total_timesteps`` if they say nothing."""
        fields = self.hyperparameters.model_fields
        factors = {name: values.get(name, fields[name].default) for name in self.hyperparameters.rollout_factors}
        if not all(isinstance(value, int) and value > 0 for value in factors.values()):
            return total_timesteps
        return self.hyperparameters.model_construct(**factors).training_end(total_timesteps)

    def completed(self, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """``values`` of a run with the defaults of those that were not offered yet when it was created."""
        return {**self.hyperparameters().model_dump(), **values}

    def validate(
        self, values: Mapping[str, JsonValue], total_timesteps: int, spaces: tuple[Space, Space] | None = None
    ) -> Hyperparameters:
        """Check ``values`` against names and bounds, and against ``spaces`` of observations and actions;
        defaults fill the rest.

        Raises InvalidRequest with one FieldError a bad value, and UnknownName for a name that is none.
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
    """Every metric with the ids of those ``algorithms`` that log it, shared metrics first.

    A shared metric that no algorithm names is logged by all of them, in training or in evaluation.
    """
    everyone = [algorithm.id for algorithm in algorithms]
    own = [definition for algorithm in algorithms for definition in algorithm.definitions]
    return [
        (definition, [one.id for one in algorithms if definition.name in one.metrics] or everyone)
        for definition in (*METRICS, *own)
    ]
