"""Prepares the results of a search so far for the charts that show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from pydantic import ConfigDict, Field, JsonValue

from rlviz.domain.experiments import (
    Choice,
    FloatRange,
    IntRange,
    Parameter,
    PrunerName,
    SamplerName,
    Sweep,
    choice_label,
)
from rlviz.domain.lazy_model import LazyModel
from rlviz.learning.search.proposer import variant_of
from rlviz.learning.search.study import SearchTrial, TrialState
from rlviz.stats.experiments.trials import OUR_PAGE, Made, ScoreKind, definition_of_score

PED_ANOVA = "PED-ANOVA, Watanabe et al. 2023, https://arxiv.org/abs/2304.10255"


class _Frozen(LazyModel):
    model_config = ConfigDict(frozen=True)


class SearchedTrial(_Frozen):
    number: int
    variant: str = Field(description="The id of the trial's variant in the experiment.")
    values: dict[str, JsonValue] = Field(description="The value of each hyperparameter in the search.")
    state: TrialState
    objective: float | None = Field(description="Interquartile mean of its seeds' scores; null unless complete.")
    cause: str | None = Field(description="Why it failed.")
    best_so_far: float | None = Field(description="The best objective of this and all earlier trials.")
    is_best_so_far: bool = Field(description="Whether it was better than all earlier trials.")


class Importance(_Frozen):
    name: str
    share: float = Field(description="From 0 to 1; all shares sum to 1.")


class SlicePoint(_Frozen):
    number: int
    value: JsonValue
    objective: float


class Slice(_Frozen):
    """The objective against one hyperparameter."""

    name: str
    log: bool = Field(description="Whether to draw it on a logarithmic scale.")
    points: list[SlicePoint] = Field(description="Complete trials with this hyperparameter, by number.")


class CoordinateAxis(_Frozen):
    name: str
    log: bool
    low: float | None = Field(description="The value at 0; null for a choice.")
    high: float | None = Field(description="The value at 1.")
    choices: list[JsonValue] | None = Field(description="Evenly spaced from 0 to 1; null for a range.")


class CoordinateLine(_Frozen):
    number: int
    objective: float
    places: list[float | None] = Field(description="From 0 to 1 on each axis; null where it does not apply.")


class ParallelCoordinates(_Frozen):
    axes: list[CoordinateAxis]
    lines: list[CoordinateLine] = Field(description="Complete trials, by number.")


class SearchResults(_Frozen):
    sampler: SamplerName
    pruner: PrunerName
    wanted: int = Field(description="Number of trials that the search will have.")
    seeds_per_trial: int
    counts: dict[TrialState, int]
    best: SearchedTrial | None
    trials: list[SearchedTrial] = Field(description="All trials, by number.")
    importances: list[Importance] = Field(description="Largest first; empty with fewer than four complete trials.")
    slices: list[Slice] = Field(description="In the order of the space.")
    coordinates: ParallelCoordinates
    caution: str | None = Field(description="A warning about the best objective.")
    made: dict[str, Made] = Field(description="How `objective` and `importances` are computed.")


def search_results(
    sweep: Sweep, trials: Sequence[SearchTrial], importances: Mapping[str, float], *, sampled_scores: bool = False
) -> SearchResults:
    """Return the results of a search.

    Args:
        sweep: The search.
        trials: All proposed trials, by number.
        importances: The result of ``Study.importances``.
        sampled_scores: Whether policies sample their actions when they are scored.
    """
    history = _history(trials)
    complete = [one for one in trials if one.objective is not None]
    return SearchResults(
        sampler=sweep.sampler,
        pruner=sweep.pruner,
        wanted=sweep.wanted,
        seeds_per_trial=sweep.seeds_per_trial,
        counts={state: sum(one.state is state for one in trials) for state in TrialState},
        best=next((one for one in reversed(history) if one.is_best_so_far), None),
        trials=history,
        importances=[Importance(name=name, share=share) for name, share in importances.items()],
        slices=[_slice(name, parameter, complete) for name, parameter in sweep.space.items()],
        coordinates=_coordinates(sweep.space, complete),
        caution=_caution(sweep, len(complete)),
        made=_made(sweep, len(complete), definition_of_score(ScoreKind.TRIAL, sampled_scores=sampled_scores)),
    )


def place_on(parameter: Parameter, value: JsonValue) -> float:
    """Return the position of a value on the axis of its parameter, from 0 to 1."""
    if isinstance(parameter, Choice):
        labels = [choice_label(choice) for choice in parameter.choices]
        return labels.index(choice_label(value)) / max(len(labels) - 1, 1)
    assert isinstance(value, int | float)
    if parameter.log:
        return log(value / parameter.low) / log(parameter.high / parameter.low)
    return (value - parameter.low) / (parameter.high - parameter.low)


def _history(trials: Sequence[SearchTrial]) -> list[SearchedTrial]:
    found, best = [], None
    for one in trials:
        is_best = one.objective is not None and (best is None or one.objective > best)
        best = one.objective if is_best else best
        found.append(
            SearchedTrial(
                number=one.number,
                variant=variant_of(one.number),
                values=dict(one.values),
                state=one.state,
                objective=one.objective,
                cause=one.cause,
                best_so_far=best,
                is_best_so_far=is_best,
            )
        )
    return found


def _slice(name: str, parameter: Parameter, complete: Sequence[SearchTrial]) -> Slice:
    return Slice(
        name=name,
        log=_is_log(parameter),
        points=[
            SlicePoint(number=one.number, value=one.values[name], objective=one.objective)
            for one in complete
            if name in one.values and one.objective is not None
        ],
    )


def _coordinates(space: Mapping[str, Parameter], complete: Sequence[SearchTrial]) -> ParallelCoordinates:
    return ParallelCoordinates(
        axes=[
            CoordinateAxis(
                name=name,
                log=_is_log(parameter),
                low=None if isinstance(parameter, Choice) else parameter.low,
                high=None if isinstance(parameter, Choice) else parameter.high,
                choices=parameter.choices if isinstance(parameter, Choice) else None,
            )
            for name, parameter in space.items()
        ],
        lines=[
            CoordinateLine(
                number=one.number,
                objective=one.objective,
                places=[
                    place_on(parameter, one.values[name]) if name in one.values else None
                    for name, parameter in space.items()
                ],
            )
            for one in complete
            if one.objective is not None
        ],
    )


def _is_log(parameter: Parameter) -> bool:
    return isinstance(parameter, FloatRange | IntRange) and parameter.log


def _caution(sweep: Sweep, complete: int) -> str | None:
    if complete < 2:
        return None
    caution = (
        f"The best of {complete} trials may just be the luckiest: train it again with other seeds before you trust it."
    )
    if sweep.seeds_per_trial == 1:
        caution = f"Each trial has one seed. {caution}"
    return caution


def _made(sweep: Sweep, complete: int, score: str) -> dict[str, Made]:
    return {
        "objective": Made(
            definition=f"Interquartile mean of the scores of {sweep.seeds_per_trial} "
            f"seed{'' if sweep.seeds_per_trial == 1 else 's'}, each with the same hyperparameters. "
            f"A score is {score}.",
            n=sweep.seeds_per_trial,
            source=OUR_PAGE,
        ),
        "importances": Made(
            definition="Share of each hyperparameter in the variation of the objective, by the values of good trials.",
            n=complete,
            source=PED_ANOVA,
        ),
    }
