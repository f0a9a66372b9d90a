"""Algorithm: everything about a learning algorithm that the rest of the product needs to know."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to
from rlviz.domain.registry import load

NetArch = Annotated[
    list[Annotated[int, Field(ge=4, le=1024)]],
    Field(min_length=1, max_length=4, description="Units in each hidden layer."),
]
Activation = Literal["tanh", "relu"]
ACTIVATION_CLASSES: Mapping[str, str] = {"tanh": "torch.nn:Tanh", "relu": "torch.nn:ReLU"}


Schedule = Literal["constant", "linear"]


def scheduled(value: float, schedule: Schedule) -> Any:
    """A constant, or Stable-Baselines3's own linear fall to zero, which a saved model can load without this package."""
    if schedule == "constant":
        return value
    return load("stable_baselines3.common.utils:LinearSchedule")(value, 0.0, 1.0)


class Hyperparameters(BaseModel, ABC):
    """An algorithm's hyperparameters: names as in Stable-Baselines3, bounds on every one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @property
    @abstractmethod
    def environments(self) -> int:
        """How many copies of the environment are stepped together."""

    @abstractmethod
    def model_arguments(self) -> dict[str, Any]:
        """Keyword arguments of the Stable-Baselines3 class. ``"module:attribute"`` stays a string
        in ``policy_kwargs["activation_fn"]``; the builder loads it."""

    def problems(self, total_timesteps: int) -> list[FieldError]:
        """Combinations of values that cannot work, each with what to change."""
        return []


@dataclass(frozen=True)
class Algorithm:
    """``model_class`` is a lazy reference, so that the service never imports torch.

    ``action_spaces`` and ``observation_spaces`` are the kinds of Gymnasium space that it can work with. Its
    presets are data: ``rlviz.presets``.
    """

    id: str
    name: str
    title: str
    summary: str
    action_spaces: tuple[str, ...]
    model_class: str
    hyperparameters: type[Hyperparameters]
    observation_spaces: tuple[str, ...] = ("Box", "Discrete", "MultiDiscrete", "MultiBinary")

    def validate(self, values: Mapping[str, JsonValue], total_timesteps: int) -> Hyperparameters:
        """Check ``values`` against names and bounds; defaults fill the rest.

        Raises InvalidRequest with one FieldError a bad value, and UnknownName for a name that is none.
        """
        known = self.hyperparameters.model_fields
        for name in values:
            if name not in known:
                raise UnknownName(f"{self.name} hyperparameter", name, known, pointer_to("hyperparameters", name[:80]))
        try:
            checked = self.hyperparameters.model_validate(dict(values))
        except ValidationError as error:
            problems = [FieldError(pointer_to("hyperparameters", *item["loc"]), item["msg"]) for item in error.errors()]
        else:
            problems = checked.problems(total_timesteps)
            if not problems:
                return checked
        names = ", ".join(problem.pointer.removeprefix("/hyperparameters/") for problem in problems)
        raise InvalidRequest(f"{self.name} cannot train with these values: {names}.", problems)
