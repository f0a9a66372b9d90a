"""Lengths: at which environment step the trials of an experiment end.

Training ends with a whole rollout, so trials whose rollouts differ would end at different steps, and the longer ones
would look better for that alone. Where a grid or a search varies the size of a rollout, all its trials therefore end at
one step that all their rollouts share, the nearest to the one that was asked for. Where no such step is near, trials
differ, and what an experiment promises says by how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, product
from math import lcm, prod

from pydantic import JsonValue

from rlviz.domain.experiments import ExperimentSpec, IntRange, Parameter, RunSpec, iterate_values
from rlviz.domain.limits import MAX_TIMESTEPS
from rlviz.learning.algorithms import ALGORITHMS

MOST_VALUES = 200
"""Values of a hyperparameter that are looked at one by one. A range of more has no rollouts that all share a step."""

FEWEST_UPDATES = 5
"""Rounds of updates below which a trial learns next to nothing, whatever its other hyperparameters are."""

FARTHEST = 0.5
"""Share of the steps asked for by which the common end may lie elsewhere, unless a single rollout is longer."""


def rollout_of(run_spec: RunSpec) -> int:
    """Environment steps of a rollout of ``run_spec``, whose hyperparameters are all there."""
    return (
        1
        if run_spec.algo not in ALGORITHMS.names()
        else ALGORITHMS.get(run_spec.algo).training_end(1, run_spec.hyperparameters)
    )


def end_of(run_spec: RunSpec) -> int | None:
    """The step at which a run of ``run_spec``, whose hyperparameters are all there, ends; None if it says no length."""
    total = run_spec.total_timesteps
    return None if total is None else _rounded_up(total, rollout_of(run_spec))


def searched_rollouts(run_spec: RunSpec, space: Mapping[str, Parameter]) -> Sequence[int] | None:
    """Environment steps of every rollout that a search of ``space`` may propose, ascending; None if they are too many.

    Args:
        run_spec: The base of the search, with every hyperparameter.
        space: By the name of a hyperparameter, what is searched.
    """
    axes: list[Sequence[int]] = []
    for name in _factors(run_spec):
        values = _values(name, run_spec.hyperparameters, space)
        if values is None:
            return None
        axes.append(values)
    return sorted({prod(sizes) for sizes in product(*axes)})


def common_end(wanted: int | None, rollouts: Iterable[int] | None) -> int | None:
    """The step nearest to ``wanted`` at which rollouts of each of these sizes end.

    None where they end at one step anyway, and where no common step is near.
    """
    sizes = set(rollouts or ())
    if wanted is None or len({_rounded_up(wanted, size) for size in sizes}) < 2:
        return None
    step = lcm(*sizes)
    end = max(round(wanted / step), 1) * step
    if end > MAX_TIMESTEPS:
        end -= step
    is_near = abs(end - wanted) <= FARTHEST * wanted or end == max(sizes)
    return end if end > 0 and is_near else None


def ends_of(spec: ExperimentSpec, run_spec: RunSpec) -> tuple[int, int]:
    """The steps between which trials of ``run_spec`` end, both the same but for a search whose trials differ.

    Args:
        spec: The experiment.
        run_spec: What a variant of it trains, or the base of its search, with every value written out.
    """
    total = run_spec.total_timesteps or 0
    if spec.sweep is None:
        end = _rounded_up(total, rollout_of(run_spec))
        return end, end
    sizes = searched_rollouts(run_spec, spec.sweep.space)
    if sizes is None:
        return total, total + _largest(run_spec, spec.sweep.space) - 1
    ends = [_rounded_up(total, size) for size in sizes]
    return min(ends), max(ends)


def length_note(spec: ExperimentSpec, resolved: Mapping[str, RunSpec]) -> str | None:
    """Where a grid or a search varies the size of a rollout: for how many steps its trials train, and why. Where some
    trials have few rollouts: that they learn next to nothing."""
    return " ".join(filter(None, (_of_ends(spec, resolved), _of_updates(spec, resolved)))) or None


def _of_updates(spec: ExperimentSpec, resolved: Mapping[str, RunSpec]) -> str | None:
    """A search would prefer what leaves a lucky first policy as it is: the last update of a linear schedule, which may
    be the only one, has a learning rate of 0."""
    fewest: tuple[int, int, bool] | None = None
    for one in resolved.values():
        if "n_steps" not in _factors(one):  # others learn from a replay buffer
            continue
        sizes = None if spec.sweep is None else searched_rollouts(one, spec.sweep.space)
        largest = rollout_of(one) if sizes is None else sizes[-1]
        is_linear = one.hyperparameters.get("learning_rate_schedule") == "linear"
        found = (ends_of(spec, one)[1] // largest, largest, is_linear)
        fewest = found if fewest is None else min(fewest, found)
    if fewest is None or fewest[0] >= FEWEST_UPDATES:
        return None
    updates, largest, is_linear = fewest
    few = f"{updates} rounds of updates, too few to learn much"
    if updates < 2:
        few = "a single round of updates" + (", at a learning rate of 0: it learns nothing" if is_linear else "")
    return (
        f"A trial whose rollouts have {largest:,} steps has {few}. Give {FEWEST_UPDATES * largest:,} steps or more, or "
        "smaller rollouts."
    )


def _of_ends(spec: ExperimentSpec, resolved: Mapping[str, RunSpec]) -> str | None:
    run_specs = list(resolved.values())
    if spec.sweep is not None:
        rollouts = searched_rollouts(run_specs[0], spec.sweep.space)
    elif spec.grid:
        rollouts = sorted({rollout_of(one) for one in run_specs})
    else:
        return None
    if rollouts is not None and len(rollouts) < 2:
        return None
    ends = [ends_of(spec, one) for one in run_specs]
    least, most, wanted = min(ends)[0], max(most for _, most in ends), spec.base.total_timesteps
    if least < most:
        return (
            f"Trials train for {least:,} to {most:,} steps: training ends with a whole rollout, and no step nearby "
            "ends a rollout of every size that is tried."
        )
    if most == wanted:
        return None
    instead = "" if wanted is None else f", not {wanted:,}"
    return (
        f"Each trial trains for {most:,} steps{instead}: training ends with a whole rollout, and this is the nearest "
        "step at which rollouts of every size that is tried end."
    )


def _rounded_up(steps: int, rollout: int) -> int:
    return -(-steps // rollout) * rollout


def _factors(run_spec: RunSpec) -> Sequence[str]:
    """The hyperparameters whose product is the size of a rollout."""
    if run_spec.algo not in ALGORITHMS.names():
        return ()
    return ALGORITHMS.get(run_spec.algo).hyperparameters.rollout_factors


def _values(name: str, base: Mapping[str, JsonValue], space: Mapping[str, Parameter]) -> Sequence[int] | None:
    """What hyperparameter ``name`` may be in a trial; None for a range of too many values."""
    now, parameter = base.get(name), space.get(name)
    if parameter is None:
        found: list[JsonValue] = [now]
    else:
        found = list(islice(iterate_values(parameter), MOST_VALUES + 1))
        if len(found) > MOST_VALUES:
            return None
        found += [now] if parameter.when else []
    return [value for value in found if isinstance(value, int) and value > 0] or [1]


def _largest(run_spec: RunSpec, space: Mapping[str, Parameter]) -> int:
    """Steps of the largest rollout, also of a range of too many values."""
    size = 1
    for name in _factors(run_spec):
        values = _values(name, run_spec.hyperparameters, space)
        parameter = space.get(name)
        high = parameter.high if isinstance(parameter, IntRange) else 1
        size *= high if values is None else max(values)
    return size
