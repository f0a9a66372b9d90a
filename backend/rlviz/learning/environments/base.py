"""Describes environments without importing Gymnasium: spaces, options, rewards, keys and presets.

Also has helpers for the keys that families define, and loads a user's class from ``module:Class`` or
``path/to/file.py:Class``.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import PathFinder
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pydantic import ConfigDict, JsonValue

from rlviz.domain.environment import Binding, Controls, CustomEnvironment
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import check_fields
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms.base import Algorithm
from rlviz.learning.environments.cells import World


class Options(LazyModel):
    """The options of an environment. Subclasses add fields, each with a default, bounds and help."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def make_arguments(self) -> dict[str, Any]:
        """Return keyword arguments for ``gymnasium.make``."""
        return self.model_dump()

    def consequences(self) -> dict[str, Any]:
        """Return the fields of Environment that these options change, such as spaces, threshold and step limit."""
        return {}

    @property
    def clips_rewards(self) -> bool:
        """Whether a policy learns only from the sign of each reward."""
        return False

    @property
    def ends_at_lost_life(self) -> bool:
        """Whether a lost life ends the episode in training."""
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
        """Return the required modules that are not installed, without importing any."""
        return [module for module in self.requires if find_spec(module) is None]


@dataclass(frozen=True)
class Environment:
    """An entry of the registry. ``resolve`` returns it for other options.

    It describes what the agent sees and does, including the wrappers, for its ``options``. A contract test compares the
    description with the real environment. Presets are data in ``rlviz.learning.presets``.
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
    """The rows of a grid world whose observation is the index of a square. One letter per square: S start, G goal,
    F free, H hole, C cliff."""
    world: World | None = None
    """The cells that it consists of, for its map and for exploration; None: it has none."""
    state_schema: Mapping[str, JsonValue] | None = None
    """JSON schema of the variables that each step returns by name; None: it returns none."""
    has_lives: bool = False
    """Whether an episode is a game of several lives."""
    gymnasium_id: str | None = None
    """The id for ``gymnasium.make``, if it differs: ``"module:id"`` imports the module that registers it."""
    make_arguments: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of ``gymnasium.make`` besides those of the options."""
    step_wrapper: str | None = None
    """Lazy reference to a function ``(env, options) -> env`` that adds wrappers which define a step (frame skipping).
    """
    reward_components: tuple[str, ...] = ()
    """The names of the components of its reward, as each step reports them; empty if it does not split its reward."""
    reward_splitter: str | None = None
    """Lazy reference to a ``SplitReward``, which adds the components of the reward to the info of each step; None if it
    has only one, or adds them itself."""
    observation_wrapper: str | None = None
    """Lazy reference to such a function for wrappers of observations and rewards; episodes are counted below them."""
    state_wrapper: str | None = None
    """Lazy reference to such a function for a wrapper that captures the environment's state for snapshots; None if its
    attributes are its state (``rlviz.learning.environments.state``)."""
    custom: CustomEnvironment | None = None
    """The description of a custom environment, with the place of its class: ``module:Class`` or ``file.py:Class``."""
    unavailable_reason: str | None = None
    """Why it cannot be used, and what to do. Missing packages are detected and need not be named here."""

    @property
    def hint(self) -> str | None:
        """What the user must do before it can be used; None if it can be used now."""
        if self.unavailable_reason is not None:
            return self.unavailable_reason
        missing = self.family.missing()
        return f"{', '.join(missing)} is not installed: {self.family.install}" if missing else None

    @property
    def chosen(self) -> dict[str, JsonValue]:
        """The values of all its options."""
        return self.options.model_dump(mode="json")

    def resolve(self, values: Mapping[str, JsonValue]) -> Environment:
        """Return this environment with these values of its options, and the fields that depend on them.

        Raises UnknownName or InvalidRequest, with pointers below ``/env_options``.
        """
        options = check_fields(type(self.options), values, kind=f"option of {self.id}", at="env_options")
        return replace(self, options=options, **options.consequences())

    def variants(self, *names: str) -> Iterator[Environment]:
        """Yield every combination of values of these options, with the others at their defaults."""
        choices = [[(name, value) for value in self.choices(name)] for name in names]
        return (self.resolve(dict(combination)) for combination in product(*choices))

    def choices(self, name: str) -> list[JsonValue]:
        """Return all values of a boolean option, or of one with named choices; else []."""
        schema = type(self.options).model_json_schema()["properties"][name]
        return [False, True] if schema.get("type") == "boolean" else list(schema.get("enum", []))

    def suits(self, algorithm: Algorithm) -> bool:
        """Return whether ``algorithm`` supports its observation and action spaces."""
        fits = algorithm.fits(self.observation_space.kind, self.action_space.kind)
        return fits and (self.action_space.is_bounded or not algorithm.needs_bounds)

    def facts(self) -> tuple[Any, ...]:
        """Return all fields that options may change."""
        return (
            self.observation_space,
            self.action_space,
            self.reward_threshold,
            self.max_episode_steps,
            self.render_fps,
            self.world,
        )


LEFT, RIGHT, UP, DOWN, SPACE = "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Space"

_LETTERS = {LEFT: "KeyA", RIGHT: "KeyD", UP: "KeyW", DOWN: "KeyS"}
"""Letters that games accept instead of arrow keys."""


KeysByAction = Mapping[int, str | tuple[str, ...]]


class Push(NamedTuple):
    """A key that moves a component of the action to a bound."""

    key: str
    bound: float
    label: str


def discrete_controls(keys: KeysByAction, labels: Sequence[str], *, neutral: int | None = None) -> Controls:
    """Return controls for a Discrete action space: the key of each action, or the keys to hold together.

    ``labels`` are the names of the actions.
    """
    bindings = [
        Binding((held,) if isinstance(held, str) else held, float(action), label=labels[action])
        for action, held in keys.items()
    ]
    return Controls(add_letter_keys(bindings), (None if neutral is None else float(neutral),))


def box_controls(*components: Sequence[Push], neutral: Sequence[float] | None = None) -> Controls:
    """Return controls for a Box action space: the keys of each component, in order. ``neutral`` is 0 by default."""
    bindings = [
        Binding((push.key,), push.bound, place, push.label)
        for place, pushes in enumerate(components)
        for push in pushes
    ]
    rest = (0.0,) * len(components) if neutral is None else tuple(neutral)
    return Controls(add_letter_keys(bindings), rest, is_continuous=True)


def add_letter_keys(bindings: Sequence[Binding]) -> tuple[Binding, ...]:
    """Return ``bindings``, and copies with letters instead of arrow keys unless one of the letters is already bound."""
    used = {key for binding in bindings for key in binding.keys}
    if used & set(_LETTERS.values()):
        return tuple(bindings)
    again = [
        Binding(tuple(_LETTERS.get(key, key) for key in binding.keys), binding.value, binding.component, binding.label)
        for binding in bindings
        if not set(_LETTERS).isdisjoint(binding.keys)
    ]
    return (*bindings, *again)


def split_entry_point(entry_point: str) -> tuple[str, str]:
    """Split into module or file, and class. Raises ValueError for other forms."""
    source, colon, name = entry_point.strip().rpartition(":")
    if not (colon and source and name.isidentifier()):
        raise ValueError(f"{entry_point!r} is not of the form module:Class or path/to/file.py:Class.")
    return source, name


def absolute(entry_point: str) -> str:
    """Return ``entry_point`` with an absolute path of its file; a module is unchanged."""
    source, name = split_entry_point(entry_point)
    return f"{Path(source).expanduser().resolve()}:{name}" if is_file(source) else f"{source}:{name}"


def is_file(source: str) -> bool:
    """Return whether the first part of an entry point is a file: of a class, or of a game."""
    return source.endswith((".py", ".toml"))


def load_class(entry_point: str) -> Any:
    """Load the class. Runs the user's module, and raises its errors, or AttributeError if it has no such class."""
    source, name = split_entry_point(entry_point)
    return getattr(_load_file(Path(source)) if source.endswith(".py") else _load_module(source), name)


def _load_module(name: str) -> ModuleType:
    if (folder := os.getcwd()) not in sys.path:  # noqa: PTH109  (as text)
        sys.path.append(folder)
        importlib.invalidate_caches()
    return importlib.import_module(name)


def missing_source(entry_point: str) -> str | None:
    """Return the file or the package of a class that is not on this machine; None if it is there. Runs no code."""
    try:
        source, _ = split_entry_point(entry_point)
    except ValueError:
        return entry_point
    if is_file(source):
        return None if Path(source).is_file() else source
    package = source.partition(".")[0]
    try:
        found = importlib.util.find_spec(package) or PathFinder.find_spec(package, [os.getcwd()])  # noqa: PTH109
    except (ImportError, ValueError):  # a module without a specification, such as __main__
        return None
    return None if found is not None else package


def find_source_files(entry_point: str) -> tuple[str, ...]:
    """Return the files of a loaded class: its own, and the imported ones in the same folder or below.

    Installed packages are left out.
    """
    loaded = load_class(entry_point)
    own = getattr(sys.modules.get(loaded.__module__), "__file__", None)
    if own is None:
        return ()
    folder = Path(own).resolve().parent
    files = {Path(own).resolve()}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and not _is_installed(Path(file)) and Path(file).resolve().is_relative_to(folder):
            files.add(Path(file).resolve())
    return tuple(sorted(map(str, files)))


def _is_installed(path: Path) -> bool:
    return any(part in ("site-packages", "dist-packages") for part in path.parts)


def _load_file(path: Path) -> ModuleType:
    """Import a file as a module; it can import files in the same folder."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    name = f"rlviz_own_{path.stem}"
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) == str(path):
        return sys.modules[name]
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
