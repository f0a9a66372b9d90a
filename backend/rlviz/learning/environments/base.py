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
    holds. A contract test compares that with what is really made. Its presets are data in
    ``rlviz.learning.presets``.
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
    attributes are its state (``rlviz.learning.environments.state``)."""
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


LEFT, RIGHT, UP, DOWN, SPACE = "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Space"

_LETTERS = {LEFT: "KeyA", RIGHT: "KeyD", UP: "KeyW", DOWN: "KeyS"}
"""Letters that games use in place of the arrow keys."""


KeysByAction = Mapping[int, str | tuple[str, ...]]


class Push(NamedTuple):
    """A key that moves a component of the action to a bound."""

    key: str
    bound: float
    label: str


def discrete_controls(keys: KeysByAction, labels: Sequence[str], *, neutral: int | None = None) -> Controls:
    """Controls for a Discrete action space: the key of each action, or the keys to hold together.

    ``labels`` are those of the action space.
    """
    bindings = [
        Binding((held,) if isinstance(held, str) else held, float(action), label=labels[action])
        for action, held in keys.items()
    ]
    return Controls(add_letter_keys(bindings), (None if neutral is None else float(neutral),))


def box_controls(*components: Sequence[Push], neutral: Sequence[float] | None = None) -> Controls:
    """Controls for a Box action space: the keys of each component, in the order of the components; 0 is neutral."""
    bindings = [
        Binding((push.key,), push.bound, place, push.label)
        for place, pushes in enumerate(components)
        for push in pushes
    ]
    rest = (0.0,) * len(components) if neutral is None else tuple(neutral)
    return Controls(add_letter_keys(bindings), rest, is_continuous=True)


def add_letter_keys(bindings: Sequence[Binding]) -> tuple[Binding, ...]:
    """``bindings``, and the same with letters in place of arrow keys, unless one of these letters is bound already."""
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
    """Split into module or file, and class. Raises ValueError for anything else."""
    source, colon, name = entry_point.strip().rpartition(":")
    if not (colon and source and name.isidentifier()):
        raise ValueError(f"{entry_point!r} is not of the form module:Class or path/to/file.py:Class.")
    return source, name


def absolute(entry_point: str) -> str:
    """``entry_point`` with the path of its file made absolute; a module stays as it is."""
    source, name = split_entry_point(entry_point)
    return f"{Path(source).expanduser().resolve()}:{name}" if source.endswith(".py") else f"{source}:{name}"


def load_class(entry_point: str) -> Any:
    """The class. Runs the user's module; raises whatever that raises, or AttributeError if it has no such class."""
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
    if source.endswith(".py"):
        return None if Path(source).is_file() else source
    package = source.partition(".")[0]
    try:
        found = importlib.util.find_spec(package) or PathFinder.find_spec(package, [os.getcwd()])  # noqa: PTH109
    except (ImportError, ValueError):  # a module without a specification, as __main__ is
        return None
    return None if found is not None else package


def find_source_files(entry_point: str) -> tuple[str, ...]:
    """The files of a class that was loaded: its own, and those beside it or below that were imported too.

    Packages that are installed are left out.
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
    """Import a file as a module of its own name; it may import files beside it."""
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
