"""Choose the environment step at which the trials of an experiment end.

Training ends with a complete rollout. Trials with different rollout sizes would end at different steps, and longer ones
would look better for that alone. If a grid or a search varies the rollout size, all trials therefore end at a common
multiple of their rollout sizes, the nearest to the requested length. If none is near, lengths differ, and the
experiment's estimate says by how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, product
from math import lcm, prod

from pydantic import JsonValue

from rlviz.domain.experiments import ExperimentSpec, IntRange, Parameter, RunSpec, iterate_values
from rlviz.domain.limits import MAX_TIMESTEPS
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.updates import UpdateCount, count_updates, learns_from_rollouts

MOST_VALUES = 200
"""Most values of a hyperparameter that are checked one by one. A larger range has no common multiple."""


FARTHEST = 0.5
"""Largest deviation of the common end, as a share of the requested steps, unless a single rollout is longer."""


def rollout_of(run_spec: RunSpec) -> int:
    """Return the environment steps in a rollout of ``run_spec``, which must have every hyperparameter."""
    return (
        1
        if run_spec.algo not in ALGORITHMS.names()
        else ALGORITHMS.get(run_spec.algo).training_end(1, run_spec.hyperparameters)
    )


def end_of(run_spec: RunSpec) -> int | None:
    """Return the step at which a run of ``run_spec`` ends; None if it gives no length.

    ``run_spec`` must have every hyperparameter.
    """
    total = run_spec.total_timesteps
    return None if total is None else _rounded_up(total, rollout_of(run_spec))


def searched_rollouts(run_spec: RunSpec, space: Mapping[str, Parameter]) -> Sequence[int] | None:
    """Return the environment steps of every rollout that a search can propose, ascending; None if there are too many.

    Args:
        run_spec: The base of the search, with every hyperparameter.
        space: The searched values by the name of the hyperparameter.
    """
    axes: list[Sequence[int]] = []
    for name in _factors(run_spec):
        values = _values(name, run_spec.hyperparameters, space)
        if values is None:
            return None
        axes.append(values)
    return sorted({prod(sizes) for sizes in product(*axes)})


def common_end(wanted: int | None, rollouts: Iterable[int] | None) -> int | None:
    """Return the step nearest to ``wanted`` at which rollouts of all these sizes end.

    None if they end at one step anyway, and if no common step is near.
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
    """Return the first and the last step at which trials of ``run_spec`` can end; they differ only in a search.

    Args:
        spec: The experiment.
        run_spec: The run of one variant, or the base of the search, with every value.
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
    """Return notes on the length of trials, as sentences; None if there are none.

    They say how long trials train, and why, if a grid or a search varies the rollout size; and that trials with few
    rollouts learn almost nothing.
    """
    return " ".join(filter(None, (_describe_ends(spec, resolved), _warn_of_few_updates(spec, resolved)))) or None


def _warn_of_few_updates(spec: ExperimentSpec, resolved: Mapping[str, RunSpec]) -> str | None:
    """Return a warning about trials with too few rounds of updates.

    A search would prefer settings that keep a lucky first policy.
    """
    counts: list[UpdateCount] = []
    for one in resolved.values():
        if not learns_from_rollouts(one.algo):
            continue
        sizes = None if spec.sweep is None else searched_rollouts(one, spec.sweep.space)
        largest = rollout_of(one) if sizes is None else sizes[-1]
        counts.append(count_updates(one.hyperparameters, ends_of(spec, one)[1], largest))
    return min(counts).warning("trial") if counts else None


def _describe_ends(spec: ExperimentSpec, resolved: Mapping[str, RunSpec]) -> str | None:
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
            f"Trials train for {least:,} to {most:,} steps: training ends with a complete rollout, and no nearby step "
            "is a multiple of every rollout size."
        )
    if most == wanted:
        return None
    instead = "" if wanted is None else f", not {wanted:,}"
    return (
        f"Each trial trains for {most:,} steps{instead}: training ends with a complete rollout, and this is the "
        "nearest multiple of every rollout size."
    )


def _rounded_up(steps: int, rollout: int) -> int:
    return -(-steps // rollout) * rollout


def _factors(run_spec: RunSpec) -> Sequence[str]:
    """Return the hyperparameters whose product is the size of a rollout."""
    if run_spec.algo not in ALGORITHMS.names():
        return ()
    return ALGORITHMS.get(run_spec.algo).hyperparameters.rollout_factors


def _values(name: str, base: Mapping[str, JsonValue], space: Mapping[str, Parameter]) -> Sequence[int] | None:
    """Return the values that hyperparameter ``name`` can have in a trial; None if there are too many."""
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
    """Return the steps of the largest rollout, also for a range of too many values."""
    size = 1
    for name in _factors(run_spec):
        values = _values(name, run_spec.hyperparameters, space)
        parameter = space.get(name)
        high = parameter.high if isinstance(parameter, IntRange) else 1
        size *= high if values is None else max(values)
    return size
