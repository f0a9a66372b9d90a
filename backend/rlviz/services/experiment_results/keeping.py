"""Keeping a variant of an experiment as a preset of the user's own, with what the experiment measured."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rlviz.analysis.experiments import ExperimentResults, ScoreKind, Trial
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.presets import MeasuredPreset, OwnPreset, own_preset_id
from rlviz.domain.times import utc
from rlviz.services.experiment_results.source import ExperimentSource


def run_of(source: ExperimentSource, variant: str) -> str:
    """A run of ``variant`` that gave a score. Raises UnknownName, or InvalidRequest while there is none."""
    if variant not in source.variants:
        raise UnknownName("variant", variant, source.variants, "/variant")
    for cell in source.cells:
        if cell.variant == variant and cell.run_id is not None and cell.score is not None:
            return cell.run_id
    raise InvalidRequest.field(
        "/variant", f"{source.variants[variant]} has no score yet. Keep it once one of its trials has ended."
    )


def preset_of(
    source: ExperimentSource,
    variant: str,
    title: str,
    config: RunConfig,
    trials: Sequence[Trial],
    results: ExperimentResults,
    now: float,
) -> OwnPreset:
    """``config``: of the run that ``run_of`` names; ``results``: made from ``trials``, with their own scores."""
    label = source.variants[variant]
    found = measured_of(variant, trials, results)
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
        experiment_id=source.id,
        created_at=utc(now),
    )


def measured_of(variant: str, trials: Sequence[Trial], results: ExperimentResults) -> MeasuredPreset:
    """The figures of a preset, from the trials of ``variant`` that have a score; at least one."""
    assert results.score is ScoreKind.TRIAL
    scores = next(one for one in results.variants if one.variant == variant)
    assert scores.iqm is not None
    ours = [one for one in trials if one.variant == variant and one.score is not None]
    threshold = results.threshold
    reached = [one.reached for one in ours if one.reached is not None]
    return MeasuredPreset(
        seeds=scores.n,
        solved=len(reached),
        held=None if threshold is None else sum(one.score >= threshold for one in ours if one.score is not None),
        return_iqm=scores.iqm,
        return_low=scores.iqm if scores.low is None else scores.low,
        return_high=scores.iqm if scores.high is None else scores.high,
        steps_to_threshold=round(median(reached)) if reached else None,
        seconds_to_threshold=None,
        seconds=median(one.core_seconds for one in ours),
    )
