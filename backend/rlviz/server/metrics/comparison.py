"""Compare runs: curves on a common axis, figures, a verdict, and differences in settings.

Also here: titles of environments with options (``environment_title``), and the scale that normalises their returns
(``scale_of``).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from pydantic import JsonValue

from rlviz.domain.config import EvaluationPlan, RunActor, RunConfig
from rlviz.domain.errors import InvalidRequest, RunFolderError
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.reward_components import REWARD
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.random_returns import find_random_return
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import find_requested_results
from rlviz.server.catalog.models import RunRow
from rlviz.server.metrics.models import ComparedRun, Comparison, MetricCurve, RunGroup, SeedCurve, SeedMetricCurve
from rlviz.server.metrics.service import ComparedAxis, MetricsService, RunCurves, null_gaps
from rlviz.server.runs.family import shared_until
from rlviz.server.runs.models import solved_at, view_run
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.forking import knobs_in_force_now
from rlviz.stats.arrays import Floats
from rlviz.stats.comparison import (
    AlignedCurves,
    ConfigDifference,
    Episodes,
    RunMetrics,
    aligned_curves,
    config_diff,
    run_metrics,
)
from rlviz.stats.criterion import Criterion, Source, common_criterion
from rlviz.stats.experiments import Scale
from rlviz.stats.experiments.trials import Made, made_of_curve, returns_of_training
from rlviz.stats.groups import BestReturn, ComparisonEntry, FigureComparison, Named, compare_figures, distinct_labels
from rlviz.stats.number_text import brief_number, duration
from rlviz.stats.seeds import BAND_RESAMPLES, BandedCurve, banded_curve, explain_curve, select_far_enough
from rlviz.stats.solved import Evaluated, SolvedAt, find_solved, solved_by_evaluations, solved_by_training
from rlviz.stats.verdict import Verdict, verdict

Dimension = Literal["environment", "algorithm"]


@dataclass(frozen=True)
class ComparisonRequest:
    """A request to compare runs.

    Attributes:
        run_ids: The runs.
        threshold: Return to reach; None: that of each environment.
        window: Episodes in the moving average.
        metrics: Metrics to return curves of, besides the return.
        max_points: Maximum points of each curve.
        axis: The common axis.
        seed_metrics: Metrics to return over the seeds of each group.
    """

    run_ids: Sequence[str]
    threshold: float | None
    window: int
    metrics: Sequence[str]
    max_points: int
    axis: ComparedAxis
    seed_metrics: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Compared:
    """One compared run. ``threshold``: the return to reach; ``environment``: title of its group; ``solved``: when it
    first reached the threshold by any criterion, while ``figures`` uses the common one; ``logged``: its metrics."""

    row: RunRow
    label: str
    environment: str
    threshold: float | None
    solved: SolvedAt | None
    figures: RunMetrics
    curves: Mapping[str, MetricCurve]
    logged: Sequence[str]


@dataclass(frozen=True, eq=False)
class BandedSeedCurve:
    """The returns of compared runs that differ only in their seed, as one curve on the common grid.

    ``run_ids``: all compared runs of the group. ``note``: why the curve leaves out runs or ends before some do.
    ``metrics``: curves of the requested ``seed_metrics``, each on its own grid.
    """

    group_id: str
    title: str
    run_ids: Sequence[str]
    curve: BandedCurve
    note: str | None
    made: Made
    metrics: Mapping[str, tuple[Floats, BandedCurve]]


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """The result of a comparison.

    Attributes:
        threshold: The requested threshold, or the one that all runs share; None if there is none.
        criterion: Decides equally for all runs when they reached the threshold; None if none fits all.
        logged: Metrics that at least one run has.
        curves: Moving average of the return on the common axis.
    """

    request: ComparisonRequest
    threshold: float | None
    criterion: Criterion | None
    runs: Sequence[Compared]
    logged: Sequence[str]
    curves: AlignedCurves
    seeds: Sequence[BandedSeedCurve]
    differences: Sequence[ConfigDifference]
    environments: Sequence[RunGroup]
    algorithms: Sequence[RunGroup]
    figures: Sequence[FigureComparison]
    verdict: Verdict | None


class ComparisonService:
    def __init__(self, runs: RunService, metrics: MetricsService, database: Database) -> None:
        self._runs, self._curves, self._database = runs, metrics.run_curves, database

    def compare(self, request: ComparisonRequest) -> ComparedRuns:
        """Compare runs. A damaged run is included with what can be read: without a curve, or without settings.

        Raises RunNotFound or InvalidRequest.
        """
        if not request.run_ids:
            raise InvalidRequest.field("/runs", "Name at least one run.")
        rows = self._runs.get_many(request.run_ids)
        folders = {row.id: self._runs.folder(row.id) for row in rows}
        configs = {run_id: config for run_id, folder in folders.items() if (config := _config(folder)) is not None}
        titles = environment_titles(rows)
        labels = distinct_labels([Named(row.id, row.name, row.seed) for row in rows])
        found = {run_id: self._curves.read_curves(folder) for run_id, folder in folders.items()}
        criterion = common_criterion(
            [_plan(configs.get(row.id)) for row in rows], [len(found[row.id].episodes.step) for row in rows]
        )
        with self._database.read() as session:
            asked = find_requested_results(session, [row.id for row in rows])
        compared = [
            _compared(request, row, label, titles[row.id], found[row.id], asked.get(row.id, []), criterion)
            for row, label in zip(rows, labels, strict=True)
        ]
        differences = config_diff(_settings(configs, folders))
        threshold = request.threshold if request.threshold is not None else _common_threshold(compared)
        entries = [_entry(one, _plan(configs.get(one.row.id))) for one in compared]
        shared = shared_until(rows, self._runs.get)
        if shared:  # a fork with a changed hyperparameter has no preset
            differences = [one for one in differences if one.path != "/preset"]
        placed = {row.id: found[row.id].episodes_over(request.axis, row.clock) for row in rows}
        curves = aligned_curves(placed, window=request.window, max_points=request.max_points)
        return ComparedRuns(
            request=request,
            threshold=threshold,
            criterion=criterion,
            runs=compared,
            logged=sorted({name for curves_of_run in found.values() for name in curves_of_run.logged}),
            curves=curves,
            seeds=_seed_curves(rows, placed, found, curves, request),
            differences=differences,
            environments=_groups(compared, "environment"),
            algorithms=_groups(compared, "algorithm"),
            figures=compare_figures(
                entries, window=request.window, threshold=threshold, criterion=criterion, shared=shared
            ),
            verdict=verdict(
                entries,
                window=request.window,
                threshold=threshold,
                criterion=criterion,
                differences=[difference.path for difference in differences],
                shared=shared,
            ),
        )


def _compared(
    request: ComparisonRequest,
    row: RunRow,
    label: str,
    environment: str,
    found: RunCurves,
    asked: Sequence[Evaluated],
    criterion: Criterion | None,
) -> Compared:
    """Return one compared run. ``asked``: results of evaluations on request."""
    threshold = row.reward_threshold if request.threshold is None else request.threshold
    clock = row.clock if row.attempts else None
    return Compared(
        row=row,
        label=label,
        environment=environment,
        threshold=threshold,
        solved=row.solved if threshold == row.reward_threshold else _solved(row, found, asked, threshold),
        figures=run_metrics(
            found.episodes, window=request.window, reached=_reached(row, found, threshold, criterion), clock=clock
        ),
        curves=found.thinned(request.metrics, request.axis, request.max_points, row.clock),
        logged=found.logged,
    )


def _solved(row: RunRow, found: RunCurves, asked: Sequence[Evaluated], threshold: float | None) -> SolvedAt | None:
    """Return when the run first reached ``threshold`` by any criterion."""
    episodes = found.episodes
    return find_solved(
        *(episodes.step, episodes.time, episodes.reward, threshold),
        found.evaluations(row, asked),
        before=[one.episode_return for one in row.episodes_before],
    )


def _reached(row: RunRow, found: RunCurves, threshold: float | None, criterion: Criterion | None) -> SolvedAt | None:
    """Return when the run reached ``threshold`` by ``criterion``."""
    if criterion is None:
        return None
    if criterion.source is Source.EVALUATION:
        return solved_by_evaluations(threshold, found.chosen_by())
    episodes, before = found.episodes, [one.episode_return for one in row.episodes_before]
    return solved_by_training(episodes.step, episodes.time, episodes.reward, threshold, before=before)


def _plan(config: RunConfig | None) -> EvaluationPlan | None:
    """Return how the app evaluates the run during training; None if it does not."""
    return config.evaluation if config is not None and config.actor is RunActor.POLICY else None


def _settings(configs: Mapping[str, RunConfig], folders: Mapping[str, RunFolder]) -> dict[str, dict[str, object]]:
    """Return the settings by run id, including current values of hyperparameters that any run changed in training."""
    changed = {run_id: knobs_in_force_now(folders[run_id], config) for run_id, config in configs.items()}
    names = sorted({name for values in changed.values() for name in values})
    settings: dict[str, dict[str, object]] = {}
    for run_id, config in configs.items():
        values = {**config.hyperparameters, **changed[run_id]}
        current = {name: values[name] for name in names if name in values}
        settings[run_id] = {**config.model_dump(mode="json"), **({"while_training": current} if current else {})}
    return settings


def _config(folder: RunFolder) -> RunConfig | None:
    try:
        return folder.read_config()
    except RunFolderError:
        return None


def environment_titles(rows: Sequence[RunRow]) -> dict[str, str]:
    """Return the environment by run id, with its options if runs of one environment have different thresholds."""
    thresholds: dict[str, set[float | None]] = {}
    for row in rows:
        thresholds.setdefault(row.env_id, set()).add(row.reward_threshold)
    titles = {}
    for row in rows:
        options = ", ".join(f"{name} {value}" for name, value in row.env_options.items())
        titles[row.id] = f"{row.env_id} ({options})" if options and len(thresholds[row.env_id]) > 1 else row.env_id
    return titles


def _common_threshold(compared: Sequence[Compared]) -> float | None:
    """Return the threshold if all runs share it and the environment; else None."""
    found = {(one.environment, one.threshold) for one in compared}
    return found.pop()[1] if len(found) == 1 else None


def _groups(compared: Sequence[Compared], by: Dimension) -> list[RunGroup]:
    """Return the groups in the order of their first runs."""
    members: dict[str, list[Compared]] = {}
    for one in compared:
        members.setdefault(one.environment if by == "environment" else one.row.algo, []).append(one)
    return [
        RunGroup(
            title=title,
            run_ids=[one.row.id for one in group],
            threshold=group[0].threshold if by == "environment" else None,
        )
        for title, group in members.items()
    ]


def _seed_curves(
    rows: Sequence[RunRow],
    placed: Mapping[str, Episodes],
    found: Mapping[str, RunCurves],
    curves: AlignedCurves,
    request: ComparisonRequest,
) -> list[BandedSeedCurve]:
    """Return a curve for each group with several of ``rows``, in the order of their first runs.

    ``placed``: the episodes of each run on the axis of ``curves``.
    """
    members: dict[str, list[RunRow]] = {}
    for row in rows:
        members.setdefault(row.group_id, []).append(row)
    return [
        _seed_curve(group_id, group, placed, found, curves, request)
        for group_id, group in members.items()
        if len(group) > 1
    ]


def _seed_curve(
    group_id: str,
    group: Sequence[RunRow],
    placed: Mapping[str, Episodes],
    found: Mapping[str, RunCurves],
    curves: AlignedCurves,
    request: ComparisonRequest,
) -> BandedSeedCurve:
    known = [row for row in group if len(placed[row.id].step)]
    ends = np.array([placed[row.id].step[-1] for row in known])
    chosen = select_far_enough(ends.tolist(), [row.state.has_worker for row in known])
    drawn = [row for row, is_chosen in zip(known, chosen, strict=True) if is_chosen]
    nothing = np.full((1, len(curves.step)), np.nan)
    values = np.array([curves.values[row.id] for row in drawn]) if drawn else nothing
    return BandedSeedCurve(
        group_id,
        group[0].name,
        [row.id for row in group],
        banded_curve(values, resamples=BAND_RESAMPLES),
        " ".join(explain_curve(ends[chosen], len(known) - len(drawn), _PLACES[request.axis])) or None,
        made_of_curve(returns_of_training(request.window), len(drawn), BAND_RESAMPLES),
        {
            name: curve
            for name in request.seed_metrics
            if (curve := _metric_over_seeds(name, drawn, found, request)) is not None
        },
    )


def _metric_over_seeds(
    name: str, seeds: Sequence[RunRow], found: Mapping[str, RunCurves], request: ComparisonRequest
) -> tuple[Floats, BandedCurve] | None:
    """Return a grid and the curve of a metric over ``seeds``, without those that never logged it; None if none did.

    A metric of episodes is averaged over the window first. The curve stops at the last position that all of them
    reached.
    """
    placed = {row.id: found[row.id].placed(name, request.axis, row.clock) for row in seeds}
    series = {run_id: Episodes(x, x, y) for run_id, (x, y) in placed.items() if len(x)}
    if not series:
        return None
    last = min(float(one.step[-1]) for one in series.values())
    window = request.window if name.startswith(EPISODE_METRICS) else 1
    aligned = aligned_curves(series, window=window, max_points=request.max_points, until=last)
    curves = np.array([aligned.values[run_id] for run_id in series])
    return aligned.step, banded_curve(curves, resamples=METRIC_BAND_RESAMPLES)


EPISODE_METRICS = ("episode/", REWARD)
"""How names of metrics begin that have a value for each episode."""

METRIC_BAND_RESAMPLES = 100
"""Resamples of the band around a metric over seeds: a page may draw twenty metrics of ten groups."""


_PLACES: dict[ComparedAxis, Callable[[float], str]] = {
    "step": lambda step: f"step {brief_number(step)}",
    "seconds": duration,
    "episode": lambda episode: f"episode {brief_number(episode)}",
}
"""Returns text for a position on each axis."""


def _entry(one: Compared, plan: EvaluationPlan | None) -> ComparisonEntry:
    row = one.row
    best = None if row.best_policy is None else BestPolicy.model_validate(row.best_policy)
    return ComparisonEntry(
        run_id=row.id,
        label=one.label,
        environment=one.environment,
        step=row.step,
        ended=row.state.has_ended,
        metrics=one.figures,
        steps_per_second=row.fps,
        seconds=row.clock.at(time.time()) if row.attempts else None,
        group=row.group_id,
        group_label=row.name,
        best_policy=None
        if best is None or not math.isfinite(best.mean_return)
        else BestReturn(best.mean_return, best.std_return, best.episodes, plan is None or plan.is_greedy),
    )


def environment_title(env_id: str, options: Mapping[str, JsonValue]) -> str:
    """Return an environment with its options in a fixed order: “FrozenLake-v1, is_slippery true, map_name 4x4”."""
    chosen = (f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in options.items())
    return ", ".join([env_id, *sorted(chosen)])


def scale_of(environment: Environment) -> Scale | None:
    """Return the returns that are normalised to 0 and 1.

    Returns None if the threshold is missing or not above the return of random actions, or if that was not measured
    with these options.
    """
    chance, threshold = find_random_return(environment), environment.reward_threshold
    if chance is None or threshold is None or threshold <= chance.mean:
        return None
    return Scale(random=chance.mean, threshold=threshold)


def view_comparison(compared: ComparedRuns, queue: Mapping[str, int]) -> Comparison:
    """Return the API model of a comparison. ``queue``: position by run id of queued runs."""
    request = compared.request
    return Comparison(
        threshold=compared.threshold,
        criterion=None if compared.criterion is None else compared.criterion.source,
        window=request.window,
        x=request.axis,
        steps=compared.curves.step.tolist(),
        runs=[_view_run(one, compared.curves.values[one.row.id], queue) for one in compared.runs],
        logged=list(compared.logged),
        seeds=[_view_seed_curve(one) for one in compared.seeds],
        environments=list(compared.environments),
        algorithms=list(compared.algorithms),
        figures=list(compared.figures),
        verdict=compared.verdict,
        config_diff=list(compared.differences),
    )


def _view_seed_curve(one: BandedSeedCurve) -> SeedCurve:
    return SeedCurve(
        group_id=one.group_id,
        title=one.title,
        run_ids=list(one.run_ids),
        **_view_band(one.curve),
        note=one.note,
        made=one.made,
        metrics={name: SeedMetricCurve(x=x.tolist(), **_view_band(curve)) for name, (x, curve) in one.metrics.items()},
    )


def _view_band(curve: BandedCurve) -> dict[str, Any]:
    return {
        "iqm": null_gaps(curve.iqm),
        "low": null_gaps(curve.low),
        "high": null_gaps(curve.high),
        "count": curve.count.tolist(),
    }


def _view_run(one: Compared, returns: Floats, queue: Mapping[str, int]) -> ComparedRun:
    return ComparedRun(
        run=view_run(one.row, queue),
        label=one.label,
        environment=one.environment,
        threshold=one.threshold,
        solved=solved_at(one.row, one.solved, one.threshold),
        y=null_gaps(returns),
        curves=dict(one.curves),
        logged=list(one.logged),
        **asdict(one.figures),
    )
