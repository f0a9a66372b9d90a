"""The hyperparameters that a run trains with at a moment, where people and rules have changed them while it trained."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic import JsonValue

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.base import Algorithm
from rlviz.algorithms.knobs import in_force, knobs_of
from rlviz.domain.config import RunConfig
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.knob_changes import KnobChanges, knob_changes, knob_changes_at
from rlviz.services.use_cases.fork_place import ForkPlace


def knobs_in_force(folder: RunFolder, config: RunConfig, place: ForkPlace) -> dict[str, JsonValue]:
    """Those that had been changed by ``place``. Raises RunFolderError."""
    attempt = None
    if place.snapshot is not None and not place.needs_parent:
        attempt = place.snapshot.manifest.attempt
    return _in_force(config, knob_changes_at(folder, place.step, attempt))


def knobs_in_force_now(folder: RunFolder, config: RunConfig) -> dict[str, JsonValue]:
    """Those that have been changed. Raises RunFolderError."""
    return _in_force(config, knob_changes(folder))


def taken_over(
    algorithm: Algorithm, in_force: Mapping[str, JsonValue], changed: Collection[str]
) -> dict[str, JsonValue]:
    """Of what is ``in_force``, the part that a fork has to be configured with where it has ``changed`` hyperparameters:
    a knob follows its configuration there, and what has become of the others its worker knows."""
    own = [knob.hyperparameters for knob in algorithm.knobs if knob.hyperparameters & set(changed)]
    return {name: value for name, value in in_force.items() if any(name in names for names in own)}


def _in_force(config: RunConfig, changes: KnobChanges) -> dict[str, JsonValue]:
    if config.algo not in ALGORITHMS.names():
        return {}
    algorithm, found = ALGORITHMS.get(config.algo), dict[str, JsonValue]()
    known = knobs_of(algorithm, config.hyperparameters)
    for name, changed in changes.newest().items():
        if name in known:
            found |= in_force(known[name], algorithm, config.hyperparameters, changed.override)
    return found
