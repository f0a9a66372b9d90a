"""Changes hyperparameters of a model in training, and remembers the changes for snapshots."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.utils import ConstantSchedule

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import UnknownName
from rlviz.domain.registry import load
from rlviz.domain.rules import MAX_FACTOR, Override, ScaleKnob, SetKnob
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.knob_controls import Control, Schedule, is_constant, scale_schedule
from rlviz.learning.algorithms.knobs import Knob, Range, allowed_range, find_knobs


@dataclass(frozen=True)
class AppliedChange:
    """A change that was made to a knob.

    Args:
        change: The requested change.
        before: Value before the change.
        after: Value after it.
        override: How the knob now differs from its configured value or schedule.
    """

    change: SetKnob | ScaleKnob
    before: float
    after: float
    override: Override
    replaced_schedule: bool
    """Whether the change replaced a schedule."""
    is_limited: bool
    """Whether the knob's bounds limited the change."""


class Knobs:
    """The adjustable hyperparameters of ``model``, which was built from ``config``.

    For the training thread, between two rollouts. ``state`` and ``restore`` make the overrides part of snapshots.
    """

    def __init__(self, model: BaseAlgorithm, config: RunConfig) -> None:
        algorithm = ALGORITHMS.get(config.algo)
        known = find_knobs(algorithm, config.hyperparameters)
        self._model: Any = model
        self._known: Mapping[str, Knob] = known
        self._controls: Mapping[str, Control] = {name: load(knob.control)() for name, knob in known.items()}
        self._ranges: Mapping[str, Range] = {name: allowed_range(knob, algorithm) for name, knob in known.items()}
        self._built = {name: control.read(model) for name, control in self._controls.items()}
        self._overrides: dict[str, Override] = {}

    def apply_change(self, change: SetKnob | ScaleKnob) -> AppliedChange:
        """Apply a change. Raises UnknownName."""
        name = change.knob
        if name not in self._controls:
            raise UnknownName("adjustable hyperparameter", name, self._controls, "/knob")
        before = self._now(name)
        was_scheduled = self._override(name).value is None and not is_constant(self._built[name])
        wanted = change.value if isinstance(change, SetKnob) else before * change.factor
        self._overrides[name] = self._changed(change)
        self._write(name)
        after = self._now(name)
        return AppliedChange(
            change,
            before,
            after,
            self._overrides[name],
            replaced_schedule=was_scheduled and isinstance(change, SetKnob),
            is_limited=abs(after - wanted) > 1e-9 * max(abs(wanted), 1e-12),
        )

    def begin_fork(self, changed: Collection[str]) -> list[AppliedChange]:
        """Drop the parent's overrides for hyperparameters that the fork ``changed``, and return the others."""
        for name, knob in self._known.items():
            if knob.hyperparameters & set(changed) and self._overrides.pop(name, None) is not None:
                self._write(name)
        return [self._inherited(name, override) for name, override in self._overrides.items()]

    def compute_override(self, change: SetKnob | ScaleKnob) -> Override:
        """Return the override that ``change`` would make from the current value. Raises UnknownName."""
        if change.knob not in self._controls:
            raise UnknownName("adjustable hyperparameter", change.knob, self._controls, "/knob")
        return self._changed(change)

    def make_change(self, name: str, wanted: Override) -> SetKnob | ScaleKnob:
        """Return the change that leads from the current value to the override ``wanted``."""
        now = self._override(name)
        if wanted.value is not None or now.value is not None:
            value = wanted.value if wanted.value is not None else self._now(name) * wanted.factor
            return SetKnob(knob=name, value=value)
        return ScaleKnob(knob=name, factor=wanted.factor / now.factor)

    def _changed(self, change: SetKnob | ScaleKnob) -> Override:
        """Return the override after ``change``, within the knob's bounds."""
        name = change.knob
        if isinstance(change, SetKnob):
            return Override(value=self._within(name, change.value))
        before, override = self._now(name), self._override(name)
        factor = self._within(name, before * change.factor) / before if before else 1.0
        if override.value is not None:
            return Override(value=override.value * factor)
        return Override(factor=override.factor * factor)

    def _inherited(self, name: str, override: Override) -> AppliedChange:
        before, after = float(self._built[name](self._model._current_progress_remaining)), self._now(name)
        change: SetKnob | ScaleKnob = SetKnob(knob=name, value=after)
        if override.value is None and not is_constant(self._built[name]):
            change = ScaleKnob(knob=name, factor=min(override.factor, MAX_FACTOR))
        replaces = override.value is not None and not is_constant(self._built[name])
        return AppliedChange(change, before, after, override, replaces, is_limited=False)

    def _override(self, name: str) -> Override:
        return self._overrides.get(name, Override())

    def state(self) -> dict[str, Any]:
        return {name: (override.value, override.factor) for name, override in self._overrides.items()}

    def restore(self, state: dict[str, Any]) -> None:
        self._overrides = {name: Override(*override) for name, override in state.items() if name in self._controls}
        for name in self._controls:
            self._write(name)

    def _now(self, name: str) -> float:
        return float(self._controls[name].read(self._model)(self._model._current_progress_remaining))

    def _within(self, name: str, value: float) -> float:
        bounds = self._ranges[name]
        return min(max(value, bounds.minimum), bounds.maximum)

    def _write(self, name: str) -> None:
        override, course = self._overrides.get(name), self._built[name]
        if override is not None:
            course = _course(course, override)
        self._controls[name].write(self._model, course)


def _course(built: Schedule, override: Override) -> Schedule:
    return ConstantSchedule(override.value) if override.value is not None else scale_schedule(built, override.factor)
