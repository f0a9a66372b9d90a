"""Keeping a variant of an experiment as a preset of the user's own, with what the experiment measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rlviz.analysis.experiments import ExperimentResults, ScoreKind
from rlviz.analysis.experiments.curves import Curves
from rlviz.analysis.experiments.threshold import SeedArrival
from rlviz.analysis.statistics import kaplan_meier
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.presets import MeasuredCurve, MeasuredPreset, OwnPreset, own_preset_id
from rlviz.domain.times import utc
from rlviz.services.experiment_results.source import ExperimentSource

CURVE_POINTS = 60


def run_of(source: ExperimentSource, variant: str) -> str:
    """A run of ``variant`` that gave a score. Raises UnknownName, or InvalidRequest while there is none."""
    if variant not in source.variants:
        raise UnknownName("variant", variant, source.variants, "/variant")
    for cell in source.cells:
        if cell.variant == variant and cell.run_id is not None and cell.score is not None:
            return cell.run_id
    raise InvalidRequest.field(
        "/variant",
        f"{source.variants[variant]} has no run with a score. Keep it once one of its trials has ended, and before its "
        "runs are deleted.",
    )


def preset_of(
    source: ExperimentSource,
    variant: str,
    title: str,
    config: RunConfig,
    results: ExperimentResults,
    now: float,
) -> OwnPreset:
    """``config``: of the run that ``run_of`` names; ``results``: with the trials' own scores."""
    label = source.variants[variant]
    found = measured_of(variant, results)
    seeds = f"{found.seeds} seed{'' if found.seeds == 1 else 's'}"
    return OwnPreset(
        id=own_preset_id(title),
        title=title,
        algorithm=config.algo,
        environment=config.env_id,
        summary=f"{label}, kept from the experiment “{source.title}” with {seeds}.",
        tradeoff="Measured on these seeds alone: with others it may come out differently.",
        source=f"experiment {source.id}, variant {variant}",
        total_timesteps=config.total_timesteps,
        when=config.env_options,
        hyperparameters=config.hyperparameters,
        evaluation=config.evaluation,
        measured=found,
        curve=curve_of(results.curves, variant),
        experiment_id=source.id,
        created_at=utc(now),
    )


def measured_of(variant: str, results: ExperimentResults) -> MeasuredPreset:
    """The figures of a preset, from the own scores of the trials of ``variant``, of which one has a score at least."""
    assert results.score is ScoreKind.TRIAL
    scores = next(one for one in results.variants if one.variant == variant)
    assert scores.iqm is not None
    seconds, trained = (sum(getattr(one, name) for one in scores.scores) for name in ("core_seconds", "steps"))
    arrivals = _arrivals(variant, results, {one.seed for one in scores.scores})
    solved = sorted(round(one.steps) for one in arrivals if not one.censored)
    steps = _median_steps(arrivals)
    return MeasuredPreset(
        seeds=scores.n,
        solved=len(solved),
        held=None if scores.threshold is None else sum(one.score >= scores.threshold for one in scores.scores),
        return_iqm=round(scores.iqm, 3),
        return_low=scores.low and round(scores.low, 3),
        return_high=scores.high and round(scores.high, 3),
        steps_to_threshold=None if steps is None else round(steps),
        seconds_to_threshold=None if steps is None or not trained else round(seconds * steps / trained, 1),
        solved_steps=solved,
        seconds=round(seconds / scores.n, 1),
    )


def _arrivals(variant: str, results: ExperimentResults, seeds: set[int]) -> list[SeedArrival]:
    """Those of the seeds that have a score: a preset's figures are all of the same seeds."""
    known = [] if results.thresholds is None else results.thresholds.variants
    found = next((one.seeds for one in known if one.variant == variant), [])
    return [one for one in found if one.seed in seeds]


def _median_steps(arrivals: Sequence[SeedArrival]) -> float | None:
    """By Kaplan and Meier; None if fewer than half got there."""
    if not arrivals:
        return None
    steps = np.array([one.steps for one in arrivals])
    return kaplan_meier(steps, [not one.censored for one in arrivals]).median


def curve_of(curves: Curves, variant: str) -> MeasuredCurve | None:
    """The curve of ``variant``, thinned to CURVE_POINTS evenly over its grid with the first and the last; None where it
    has none."""
    found = next((one for one in curves.variants if one.variant == variant), None)
    known = [] if found is None else [place for place, value in enumerate(found.iqm) if value is not None]
    if found is None or not known:
        return None
    chosen = np.unique(np.linspace(0, len(known) - 1, min(len(known), CURVE_POINTS)).round().astype(int))
    places = [known[place] for place in chosen]

    def digits(values: list[float | None]) -> list[float | None]:
        return [None if (value := values[place]) is None else float(f"{value:.4g}") for place in places]

    return MeasuredCurve(
        source="evaluation" if curves.source == "evaluation" else "training",
        shows="iqm",
        step=[curves.step[place] for place in places],
        middle=[value for value in digits(found.iqm) if value is not None],
        low=digits(found.low),
        high=digits(found.high),
    )
