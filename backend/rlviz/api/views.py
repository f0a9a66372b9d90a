"""From rows, journals and comparisons to what goes over the wire."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from rlviz.analysis import hints
from rlviz.analysis.arrays import Floats
from rlviz.analysis.hints import Review, SuggestedChange
from rlviz.analysis.mean_return import MEAN_EPISODES
from rlviz.analysis.solved import SolvedAt
from rlviz.analysis.statistics import Summary
from rlviz.api.proxy import link
from rlviz.api.schemas import comparison, metrics, stream
from rlviz.api.schemas import hints as hint_schemas
from rlviz.api.schemas.comparison import ComparedRun, Comparison, ConfigDifference, FigureComparison, RunGroup, Verdict
from rlviz.api.schemas.evaluations import Evaluation
from rlviz.api.schemas.hints import Hint, HintRule, Minimum, RunHints
from rlviz.api.schemas.metrics import AncestorCurves, EpisodesBefore, GhostCurves, MetricCurve, MetricCurves, PastCurves
from rlviz.api.schemas.runs import AttemptTimes, BestOfSeeds, ForkedFrom, Run, SeedGroup, Solved
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.evaluation import Origin, PolicyChoice
from rlviz.domain.times import utc
from rlviz.environments.stills import has_still
from rlviz.services.notifications.notification import Notification
from rlviz.services.use_cases.comparison import Compared, ComparedRuns, SeedCurve
from rlviz.services.use_cases.evaluations import KeptFiles
from rlviz.services.use_cases.groups import Group
from rlviz.services.use_cases.metrics import Axis, Curve, Curves, SmoothedCurve
from rlviz.services.use_cases.past import Past

MOST_SPARKLINES = 10
"""Of a group: more lines than these cannot be told apart in a cell."""

_TIMES = ("created_at", "queued_at", "started_at", "ended_at")
_SAME = set(Run.model_fields) - set(_TIMES) - {"actor", "attempts", "parent", "queue_position", "solved", "still_url"}


def view_run(row: RunRow, queue: Mapping[str, int]) -> Run:
    """``queue``: place by run id, of the runs that wait."""
    times = {name: None if (value := getattr(row, name)) is None else utc(value) for name in _TIMES}
    return Run(
        **row.model_dump(include=_SAME),
        **times,
        actor=row.actor,
        parent=None if row.parent is None else ForkedFrom.model_validate(row.parent),
        attempts=[
            AttemptTimes(started_at=utc(start), ended_at=None if end is None else utc(end))
            for start, end in row.clock.attempts
        ],
        queue_position=queue.get(row.id),
        solved=_solved(row, row.solved, row.reward_threshold),
        still_url=still_url(row.env_id),
    )


def view_group(group: Group) -> SeedGroup:
    return SeedGroup(
        id=group.id,
        run_ids=[row.id for row in group.runs],
        statuses=dict(Counter(row.state for row in group.runs)),
        step=sum(row.step for row in group.runs),
        end_step=sum(row.end_step for row in group.runs),
        solved=sum(row.solved is not None for row in group.runs),
        sparklines=[row.sparkline for row in group.runs[:MOST_SPARKLINES]],
        ended=sum(row.state.has_ended for row in group.runs),
        **_summed_up(group.returns),
        definition=group.definition,
        best=BestOfSeeds(**_summed_up(group.best), definition=group.best_definition),
    )


def _summed_up(summary: Summary | None) -> dict[str, Any]:
    """The figures of a group, by their names in SeedGroup and BestOfSeeds."""
    interval = None if summary is None else summary.interval
    return {
        "scored": 0 if summary is None else summary.count,
        "iqm": None if summary is None else summary.iqm,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }


def still_url(env_id: str) -> str | None:
    return address_of_still(env_id) if has_still(env_id) else None


def address_of_still(env_id: str) -> str:
    return link(f"/api/environments/{env_id}/still")


def _solved(row: RunRow, found: SolvedAt | None, threshold: float | None) -> Solved | None:
    if found is None or threshold is None:
        return None
    seconds = row.solved_seconds
    if found != row.solved and row.attempts:  # by another threshold
        seconds = round(row.clock.at(found.time), 3)
    return Solved(step=found.step, seconds=seconds, by=found.by, threshold=threshold)


def view_evaluation(row: EvaluationRow, kept: KeptFiles, short_of_solved: str | None) -> Evaluation:
    known = {"policy": PolicyChoice.LATEST, "origin": Origin.ASKED, "video": True, **row.record}
    # A person's video grows while they play: a browser that holds some of it would mix old and new.
    size = ((known.get("summary") or {}).get("video") or {}).get("size_bytes", 0)
    url = link(f"/api/runs/{row.run_id}/artifacts/eval/{row.id}.mp4?bytes={size}") if kept.video else None
    return Evaluation(
        **{
            **known,
            "short_of_solved": short_of_solved,
            "video_url": url,
            "has_steps": kept.steps,
            "has_pictures": kept.pictures,
            "has_frames": kept.frames,
            "policy_bytes": kept.policy_bytes,
        }
    )


def view_notification(notification: Notification) -> stream.Notification:
    return stream.Notification(number=notification.number, time=utc(notification.time), **asdict(notification.news))


def view_hints(run_id: str, seen: Review, changes: Callable[[hints.Hint], Iterable[SuggestedChange]]) -> RunHints:
    """``changes``: those of a hint that a fork of the run accepts."""
    return RunHints(
        run_id=run_id,
        hints=[
            Hint(
                **{name: value for name, value in asdict(hint).items() if name != "advice"},
                suggestion=hint.suggestion,
                changes=[hint_schemas.SuggestedChange(name=one.name, value=one.value) for one in changes(hint)],
            )
            for hint in seen.hints
        ],
        rules=[
            HintRule(
                id=finding.rule.id,
                looks_for=finding.rule.looks_for,
                metrics=list(finding.rule.metrics),
                minimum=Minimum(**asdict(finding.rule.minimum)),
                state=finding.state,
                points=finding.points,
            )
            for finding in seen.findings
        ],
    )


def view_comparison(compared: ComparedRuns, queue: Mapping[str, int]) -> Comparison:
    request = compared.request
    return Comparison(
        threshold=compared.threshold,
        criterion=None if compared.criterion is None else compared.criterion.source,
        window=request.window,
        x=request.axis,
        steps=compared.curves.step.tolist(),
        runs=[_compared_run(one, compared.curves.values[one.row.id], queue) for one in compared.runs],
        logged=list(compared.logged),
        seeds=[_seed_curve(one) for one in compared.seeds],
        environments=[RunGroup(**asdict(group)) for group in compared.environments],
        algorithms=[RunGroup(**asdict(group)) for group in compared.algorithms],
        figures=[FigureComparison(**asdict(figure)) for figure in compared.figures],
        verdict=None if compared.verdict is None else Verdict(**asdict(compared.verdict)),
        config_diff=[
            ConfigDifference.model_validate({**asdict(item), "group": item.group, "name": item.name})
            for item in compared.differences
        ],
    )


def _seed_curve(one: SeedCurve) -> comparison.SeedCurve:
    curve = one.curve
    return comparison.SeedCurve(
        group_id=one.group_id,
        title=one.title,
        run_ids=list(one.run_ids),
        iqm=_gaps(curve.iqm.tolist()),
        low=_gaps(curve.low.tolist()),
        high=_gaps(curve.high.tolist()),
        count=curve.count.tolist(),
        note=one.note,
        made=one.made,
    )


def _compared_run(one: Compared, returns: Floats, queue: Mapping[str, int]) -> ComparedRun:
    return ComparedRun(
        run=view_run(one.row, queue),
        label=one.label,
        environment=one.environment,
        threshold=one.threshold,
        solved=_solved(one.row, one.solved, one.threshold),
        y=_gaps(returns.tolist()),
        curves={name: view_curve(curve) for name, curve in one.curves.items()},
        **asdict(one.figures),
    )


def view_past(run_id: str, axis: Axis, past: Past) -> PastCurves:
    return PastCurves(
        run_id=run_id,
        x=axis,
        mean_episodes=MEAN_EPISODES,
        ghosts=[
            GhostCurves(
                attempt=one.attempt,
                cause=one.cause,
                from_step=one.from_step,
                to_step=one.to_step,
                series=_view_curves(one.curves),
            )
            for one in past.ghosts
        ],
        ghosts_left_out=past.ghosts_left_out,
        ancestors=[
            AncestorCurves(run_id=one.run_id, name=one.name, to_step=one.to_step, series=_view_curves(one.curves))
            for one in past.ancestors
        ],
    )


def _view_curves(curves: Mapping[str, Curve]) -> dict[str, MetricCurve]:
    return {name: view_curve(curve) for name, curve in curves.items()}


def view_curve(curve: Curve) -> MetricCurve:
    smoothed = None if curve.smoothed is None else _view_smoothed(curve.smoothed)
    return MetricCurve.model_construct(x=curve.x, y=_gaps(curve.y), count=curve.count, smoothed=smoothed)


def _view_smoothed(found: SmoothedCurve) -> metrics.SmoothedCurve:
    [mean] = _gaps([found.mean])
    return metrics.SmoothedCurve.model_construct(y=_gaps(found.y), mean=mean, weight=found.weight)


def view_metric_curves(row: RunRow, axis: Axis, found: Curves) -> MetricCurves:
    before = row.episodes_before
    return MetricCurves(
        run_id=row.id,
        x=axis,
        series={name: view_curve(curve) for name, curve in found.curves.items()},
        broken_lines=found.broken_lines,
        cursor=found.cursor,
        mean_episodes=MEAN_EPISODES,
        before=EpisodesBefore(returns=[one.episode_return for one in before], lengths=[one.length for one in before])
        if before
        else None,
    )


def _gaps(values: list[float]) -> list[float | None]:
    """JSON knows no NaN."""
    return [None if math.isnan(value) else value for value in values]
