"""SpecificationCheck: whether all of an experiment can be trained, what it would cost, and what each variant trains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.search_spaces import check_space
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to
from rlviz.domain.experiments import MOST_CELLS, MOST_UNCONFIRMED, ExperimentSpec, RunSpec, Variant
from rlviz.domain.experiments.specification import VariantChanges
from rlviz.domain.sweep import PrunerName
from rlviz.services.experiments.lengths import common_end, ends_of, length_note, rollout_of, searched_rollouts
from rlviz.services.experiments.open_experiment import SEARCHED
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.use_cases.configuration import MEMORY_PER_WORKER

Pace = Callable[[str, str], float | None]
"""Environment steps a second of one core, of an algorithm in an environment; None if none was ever trained."""

LEAST_SECONDS = 1.0

_MERGED = ("hyperparameters", "env_options")

_BROUGHT_BY = {"algo": ("env_id",), "preset": ("algo", "env_id"), "total_timesteps": ("preset",)}
"""What may have led to something wrong with a field, the likeliest first, besides the field itself."""


@dataclass(frozen=True)
class Estimate:
    """What an experiment would train. ``least_steps`` and ``steps``: environment steps of all ``trials`` together, at
    least and at most; ``note``: why trials are not as long as was asked for, or differ; ``core_seconds``: processor
    time at the pace of earlier runs, None where there are none."""

    trials: int
    least_steps: int
    steps: int
    note: str | None
    core_seconds: float | None


class SpecificationCheck:
    def __init__(self, runs: TrialRuns, pace: Pace) -> None:
        self._runs, self._pace = runs, pace

    def resolved(self, spec: ExperimentSpec) -> dict[str, RunSpec]:
        """What each variant trains, by its id, with the values of its preset written out; of a search its base.

        Trials whose rollouts differ in a grid or a search have the same length (``lengths``).

        Raises InvalidRequest, whose pointers are into the specification: for what cannot be trained, for what fits into
        none of its limits, and for so many trials that they have to be confirmed, with what they would cost.
        """
        found = self._resolved(spec)
        self._check_size(spec, list(found.values()))
        return found

    def estimate(self, spec: ExperimentSpec) -> Estimate:
        """What the experiment would train, without asking back. Raises InvalidRequest as ``resolved`` does."""
        found = self._resolved(spec)
        run_specs = list(found.values())
        least, most = _steps(spec, run_specs)
        return Estimate(spec.cells, least, most, length_note(spec, found), self._core_seconds(spec, run_specs))

    def _resolved(self, spec: ExperimentSpec) -> dict[str, RunSpec]:
        self._check_limits(spec)
        if spec.cells > MOST_CELLS:
            some = spec.model_copy(update={"grid": {name: values[:1] for name, values in spec.grid.items()}})
            cost = self._cost(spec, list(self._run_specs(some).values()))  # variants of a grid are all as long
            raise InvalidRequest.field(
                "", f"{spec.cells:,} trials are too many: {MOST_CELLS:,} are the most. These would take {cost}."
            )
        return self._run_specs(spec)

    def _run_specs(self, spec: ExperimentSpec) -> dict[str, RunSpec]:
        if spec.sweep is not None:
            return {SEARCHED: self._searched(spec)}
        found = {f"v{place}": self._resolve(spec, place, one) for place, one in enumerate(spec.fixed_variants())}
        if not spec.grid:
            return found
        common = common_end(found["v0"].total_timesteps, map(rollout_of, found.values()))
        if common is None:
            return found
        lasting = _lasting(spec, common)
        return {f"v{place}": self._resolve(lasting, place, one) for place, one in enumerate(spec.fixed_variants())}

    def _check_limits(self, spec: ExperimentSpec) -> None:
        for name in ("seconds", "core_seconds"):
            limit = getattr(spec.limits, name)
            if limit is not None and limit < LEAST_SECONDS:
                raise InvalidRequest.field(f"/limits/{name}", "Nothing could begin: give a second at least.")

    def _check_size(self, spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> None:
        if spec.cells > MOST_UNCONFIRMED and not spec.confirm:
            cost = f"This would train {spec.cells:,} runs, {self._cost(spec, run_specs)}."
            # Who asks a person shows the cost; who wrote the request is told what to add to it.
            raise InvalidRequest(f"{cost} Say `confirm: true` if that is wanted.", [FieldError("/confirm", cost)])
        shortest = min(ends_of(spec, one)[0] for one in run_specs)
        if spec.limits.steps is not None and spec.limits.steps < shortest:
            raise InvalidRequest.field(
                "/limits/steps",
                f"Not even one trial fits into this limit: the shortest takes {shortest:,} steps. Raise it, or train "
                "for fewer.",
            )

    def _cost(self, spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> str:
        """Steps of all trials, estimated from the sample ``run_specs``, and core-hours where every pace is known."""
        least, most = _steps(spec, run_specs)
        steps = f"{most:,.0f}" if least == most else f"{least:,.0f} to {most:,.0f}"
        seconds = self._core_seconds(spec, run_specs)
        if seconds is None:
            return f"{steps} environment steps together"
        hours = f"{seconds / 3600:,.{0 if seconds > 36_000 else 1}f}"
        return f"{steps} environment steps together, about {hours} core-hours at the pace of earlier runs"

    def _core_seconds(self, spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> float | None:
        """Processor time of all trials at the pace of earlier runs; None where one was never trained."""
        each = spec.cells / len(run_specs)
        paces = {kind: self._pace(*kind) for kind in {(one.algo, one.env_id) for one in run_specs}}
        seconds = 0.0
        for one in run_specs:
            pace = paces[one.algo, one.env_id]
            if pace is None:
                return None
            seconds += each * ends_of(spec, one)[1] / pace
        return seconds

    def _base(self, spec: ExperimentSpec) -> RunSpec:
        try:
            return _written_out(self._runs.resolve(spec.base, 0, spec.memory_per_worker))
        except InvalidRequest as error:
            _refuse(error, lambda field: _in_base(spec, field))

    def _searched(self, spec: ExperimentSpec) -> RunSpec:
        assert spec.sweep is not None
        base = self._base(spec)
        check_space(ALGORITHMS.get(base.algo), spec.sweep.space)
        if spec.sweep.pruner is not PrunerName.NONE and (
            base.evaluation is None or base.evaluation.every_steps is None
        ):
            raise InvalidRequest.field(
                "/sweep/pruner",
                "It compares greedy evaluations while runs train, and these make none: give `base.evaluation`, "
                "for instance every tenth of the steps, or no pruner.",
            )
        common = common_end(base.total_timesteps, searched_rollouts(base, spec.sweep.space))
        return base if common is None else self._base(_lasting(spec, common))

    def _resolve(self, spec: ExperimentSpec, place: int, variant: Variant) -> RunSpec:
        try:
            return _written_out(self._runs.resolve(variant.run_spec(spec.base), 0, spec.memory_per_worker))
        except InvalidRequest as error:
            if spec.grid:
                unknown = isinstance(error, UnknownName)
                _refuse(error, lambda field: _in_grid(spec, variant, field, is_name=unknown), variant.name)
            is_in_none = any(one.pointer == MEMORY_PER_WORKER for one in error.fields)
            of = variant.name if is_in_none else None
            _refuse(error, lambda field: _in_variant(spec, place, variant, field), of)


def _steps(spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> tuple[int, int]:
    """Environment steps of all trials, estimated from the sample ``run_specs``: at least and at most."""
    ends = [ends_of(spec, one) for one in run_specs]
    trials = spec.cells / len(ends)
    return round(trials * sum(least for least, _ in ends)), round(trials * sum(most for _, most in ends))


def _lasting(spec: ExperimentSpec, steps: int) -> ExperimentSpec:
    """The same with runs of this many environment steps."""
    return spec.model_copy(update={"base": spec.base.model_copy(update={"total_timesteps": steps})})


def _written_out(config: RunConfig) -> RunSpec:
    return RunSpec(**{name: getattr(config, name) for name in RunSpec.model_fields})


def _refuse(error: InvalidRequest, place: Callable[[FieldError], str], of: str | None = None) -> NoReturn:
    """``place``: where in the specification a field of a run came from; ``of``: the variant that it is about, where no
    pointer says so."""
    prefix = f"{of}: " if of is not None else ""
    detail = str(error)
    for one in error.fields:  # pointers into the request for a run, which nobody made
        detail = detail.replace(f"{one.pointer}: ", f"{one.pointer.removeprefix('/').replace('/', '.')}: ")
    fields = [
        FieldError(one.pointer if one.pointer == MEMORY_PER_WORKER else place(one), f"{prefix}{one.detail}")
        for one in error.fields or [FieldError("", str(error))]
    ]
    raise InvalidRequest(f"{prefix}{detail}", fields) from error


def _in_base(spec: ExperimentSpec, field: FieldError) -> str:
    return _given_by(spec.base, field, "/base") or "/base"


def _in_grid(spec: ExperimentSpec, variant: Variant, field: FieldError, *, is_name: bool) -> str:
    """``is_name``: whether the name is wrong, and not a value."""
    first, _, rest = field.pointer.removeprefix("/").partition("/")
    name, _, within = rest.partition("/")
    if first == "hyperparameters" and name in spec.grid:
        if is_name:
            return pointer_to("grid", name)
        value = variant.changes.hyperparameters[name]
        place = next(at for at, one in enumerate(spec.grid[name]) if one is value or one == value)
        return pointer_to("grid", name, place) + (f"/{within}" if within else "")
    return _given_by(spec.base, field, "/base") or "/grid"


def _in_variant(spec: ExperimentSpec, place: int, variant: Variant, field: FieldError) -> str:
    if field.pointer == "/total_timesteps" and variant.changes.total_timesteps is None and spec.base.total_timesteps:
        return f"/base{field.pointer}"  # the variant's preset did not bring it
    changes = pointer_to("variants", place, "changes")
    found = _given_by(variant.changes, field, changes) or _given_by(spec.base, field, "/base")
    return found or (changes if "changes" in variant.model_fields_set else pointer_to("variants", place))


def _given_by(given: RunSpec | VariantChanges, field: FieldError, at: str) -> str | None:
    """The pointer to what was wrong, or to what led to it, if that stands in ``given``, which stands ``at``."""
    first, _, rest = field.pointer.removeprefix("/").partition("/")
    if first in _MERGED:
        return f"{at}{field.pointer}" if rest.partition("/")[0] in getattr(given, first) else None
    for name in (first, *_BROUGHT_BY.get(first, ())):
        if name in given.model_fields_set and getattr(given, name) is not None:
            return f"{at}{field.pointer}" if name == first else f"{at}/{name}"
    return None
