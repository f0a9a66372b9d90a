"""Environment: what the product knows of an environment without importing Gymnasium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import product
from typing import Any

from pydantic import ConfigDict, JsonValue

from rlviz.algorithms.base import Algorithm
from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.fields import check_fields
from rlviz.domain.key_bindings import Controls
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.spaces import Space

__all__ = ["Environment", "Family", "Options", "Space"]


class Options(LazyModel):
    """The options of an environment. Subclasses add fields, each with a default, bounds and help."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def make_arguments(self) -> dict[str, Any]:
        """Keyword arguments of ``gymnasium.make``."""
        return self.model_dump()

    def consequences(self) -> dict[str, Any]:
        """Fields of the Environment that these options change: spaces, squares, threshold, step limit, frame rate."""
        return {}

    @property
    def clips_rewards(self) -> bool:
        """Whether only the sign of a reward counts while a policy learns."""
        return False

    @property
    def ends_at_lost_life(self) -> bool:
        """Whether a lost life ends an episode while a policy learns."""
        return False


@dataclass(frozen=True)
class Family:
    """A family of environments: one file, one heading on screen.

    ``requires`` names modules that must be importable; ``install`` says how to install them.
    """

    id: str
    title: str
    requires: tuple[str, ...] = ()
    install: str = ""

    @property
    def draws_with_pygame(self) -> bool:
        return "pygame" in self.requires

    def missing(self) -> list[str]:
        """Modules that are not installed, found without importing them."""
        return [module for module in self.requires if find_spec(module) is None]


@dataclass(frozen=True)
class Environment:
    """A registry entry, and what ``resolve`` makes of it for a choice of options.

    It says what the agent meets: with the wrappers that the environment comes with, and for the options it
    holds. A contract test compares that with what is really made. Presets tuned for it are data: ``rlviz.presets``.
    """

    id: str
    name: str
    family: Family
    summary: str
    observation_space: Space
    action_space: Space
    reward_threshold: float | None
    max_episode_steps: int | None
    render_fps: int | float
    sees: str = ""
    does: str = ""
    options: Options = field(default_factory=Options)
    controls: Controls | None = None
    """The keys to play it with; None: ``generic_controls`` derives them from its action space."""
    squares: tuple[str, ...] = ()
    """Of a grid world, row by row, whose observation counts the squares from the first: a letter for each, S start,
    G goal, F free, H hole, C cliff."""
    has_lives: bool = False
    """Whether an episode is a game of several lives."""
    gymnasium_id: str | None = None
    """What ``gymnasium.make`` is given, if not the id: ``"module:id"`` imports the module that registers it."""
    make_arguments: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of ``gymnasium.make`` besides those of the options."""
    step_wrapper: str | None = None
    """Lazy reference to a function ``(env, options) -> env`` that adds wrappers which define a step (frame skipping).
    """
    observation_wrapper: str | None = None
    """Lazy reference to one that adds wrappers for observations and rewards; episodes are counted below them."""
    state_wrapper: str | None = None
    """Lazy reference to one that adds a wrapper which copies the state of the environment into a snapshot; None if its
    attributes are its state (``rlviz.environments.state``)."""
    custom: CustomEnvironment | None = None
    """Where the class of a custom environment is: ``module:Class`` or ``file.py:Class``."""
    unavailable_reason: str | None = None
    """Why it cannot be used, and what to do about it. A missing package need not be named here; it is detected."""

    @property
    def hint(self) -> str | None:
        """What to do before it can be used; None if it can be used now."""
        if self.unavailable_reason is not None:
            return self.unavailable_reason
        missing = self.family.missing()
        return f"{', '.join(missing)} is not installed: {self.family.install}" if missing else None

    @property
    def chosen(self) -> dict[str, JsonValue]:
        """The values of its options, set or default."""
        return self.options.model_dump(mode="json")

    def resolve(self, values: Mapping[str, JsonValue]) -> Environment:
        """This environment with these values of its options, and all that follows from them.

        Raises UnknownName or InvalidRequest, with pointers below ``/env_options``.
        """
        options = check_fields(type(self.options), values, kind=f"option of {self.id}", at="env_options")
        return replace(self, options=options, **options.consequences())

    def variants(self, *names: str) -> Iterator[Environment]:
        """Every combination of values of these options, with the others at their defaults."""
        choices = [[(name, value) for value in self.choices(name)] for name in names]
        return (self.resolve(dict(combination)) for combination in product(*choices))

    def choices(self, name: str) -> list[JsonValue]:
        """All values of an option that has few: a boolean, or one with named choices; else []."""
        schema = type(self.options).model_json_schema()["properties"][name]
        return [False, True] if schema.get("type") == "boolean" else list(schema.get("enum", []))

    def suits(self, algorithm: Algorithm) -> bool:
        """Whether ``algorithm`` supports its observation and action spaces."""
        fits = algorithm.fits(self.observation_space.kind, self.action_space.kind)
        return fits and (self.action_space.is_bounded or not algorithm.needs_bounds)

    def facts(self) -> tuple[Any, ...]:
        """What options may change."""
        return (
            self.observation_space,
            self.action_space,
            self.reward_threshold,
            self.max_episode_steps,
            self.render_fps,
        )
