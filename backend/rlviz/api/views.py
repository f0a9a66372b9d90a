"""From rows and registry entries to what goes over the wire."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.base import LOGGED, Algorithm, Hyperparameters
from rlviz.algorithms.fields import GROUPS
from rlviz.algorithms.metrics import metric_definitions
from rlviz.analysis.arrays import Floats
from rlviz.analysis.hints import Review
from rlviz.analysis.solved import SolvedAt
from rlviz.api import schemas
from rlviz.api.schemas import (
    AlgorithmInfo,
    Clip,
    ComparedRun,
    Comparison,
    ConfigDifference,
    EnvironmentInfo,
    EnvironmentVariant,
    Evaluation,
    FigureComparison,
    Hint,
    HintRule,
    HyperparameterField,
    MeasuredPreset,
    MetricCurve,
    MetricCurves,
    MetricDefinitions,
    MetricGroupInfo,
    MetricInfo,
    Minimum,
    PresetInfo,
    RandomReturnInfo,
    Run,
    RunEvent,
    RunGroup,
    RunHints,
    RunValueSlice,
    SliceAxis,
    Solved,
    SpaceInfo,
    StepComponents,
    StepsInfo,
    Verdict,
)
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.events import EventRecord
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import GROUP_TITLES
from rlviz.domain.presets import Preset
from rlviz.domain.times import utc
from rlviz.domain.value_slice import SliceRange, ValueSlice
from rlviz.environments.base import Environment, Space
from rlviz.environments.random_returns import random_return_of
from rlviz.environments.stills import has_still
from rlviz.presets.catalog import measured, presets_for
from rlviz.records.about import Components, RecordsAbout
from rlviz.services.use_cases.comparison import Compared, ComparedRuns
from rlviz.services.use_cases.environments import variants
from rlviz.services.use_cases.evaluations import KeptFiles
from rlviz.services.use_cases.events import tell
from rlviz.services.use_cases.film import FoundClip
from rlviz.services.use_cases.metrics import Axis, Curve, Curves, SmoothedCurve
from rlviz.services.use_cases.value_slices import WantedSlice

_TIMES = ("created_at", "queued_at", "started_at", "ended_at")
_SAME = set(Run.model_fields) - set(_TIMES) - {"queue_position", "solved", "still_url"}


def view_run(row: RunRow, queue: Mapping[str, int]) -> Run:
    """``queue``: place by run id, of the runs that wait."""
    times = {name: None if (value := getattr(row, name)) is None else utc(value) for name in _TIMES}
    return Run(
        **row.model_dump(include=_SAME),
        **times,
        queue_position=queue.get(row.id),
        solved=_solved(row, row.solved, row.reward_threshold),
        still_url=_still_url(row.env_id),
    )


def _still_url(env_id: str) -> str | None:
    return f"/api/environments/{env_id}/still" if has_still(env_id) else None


def _solved(row: RunRow, found: SolvedAt | None, threshold: float | None) -> Solved | None:
    if found is None or threshold is None:
        return None
    seconds = None if row.started_at is None else max(0.0, round(found.time - row.started_at, 3))
    return Solved(step=found.step, seconds=seconds, by=found.by, threshold=threshold)


def view_evaluation(row: EvaluationRow, kept: KeptFiles) -> Evaluation:
    url = f"/api/runs/{row.run_id}/artifacts/eval/{row.id}.mp4" if kept.video else None
    known = {"policy": PolicyChoice.LATEST, "video": True, **row.record}
    return Evaluation(**{**known, "video_url": url, "has_steps": kept.steps})


def view_steps_info(about: RecordsAbout, names: list[str]) -> StepsInfo:
    return StepsInfo(
        env_id=about.env_id,
        names=names,
        observation=_step_components(about.observation),
        action=_step_components(about.action),
        seeds=[episode.seed for episode in about.episodes],
        frames_every=about.frames_every,
        squashed=about.squashed,
        cut=about.cut,
        versions=about.versions,
    )


def _step_components(components: Components) -> StepComponents:
    layout = components.layout
    return StepComponents(
        kind=layout.kind,
        numbers=layout.numbers,
        labels=components.labels,
        units=components.units,
        starts=layout.starts if layout.kind == "Discrete" else None,
    )


def view_clip(clip: FoundClip) -> Clip:
    record, file = clip.record, f"/api/runs/{clip.run_id}/artifacts/film/clips/{clip.record.id}"
    return Clip(
        **record.model_dump(exclude={"schema_version"}),
        run_id=clip.run_id,
        status=clip.status,
        step=clip.step,
        video_url=f"{file}.mp4" if clip.has_video else None,
        thumbnail_url=f"{file}.webp" if clip.has_thumbnail else None,
    )


def view_value_slice(wanted: WantedSlice, found: ValueSlice) -> RunValueSlice:
    return RunValueSlice(
        **found.model_dump(exclude={"x", "y"}),
        run_id=wanted.run_id,
        step=wanted.step,
        x=_slice_axis(wanted.space, wanted.plan.x, found.x),
        y=_slice_axis(wanted.space, wanted.plan.y, found.y),
    )


def _slice_axis(space: Space, place: int, reach: SliceRange) -> SliceAxis:
    name = space.labels[place] if space.labels else str(place)
    return SliceAxis(place=place, name=name, unit=space.units[place] if space.units else "", **reach.model_dump())


def view_algorithm(algorithm: Algorithm) -> AlgorithmInfo:
    return AlgorithmInfo(
        id=algorithm.id,
        name=algorithm.name,
        title=algorithm.title,
        summary=algorithm.summary,
        observation_spaces=list(algorithm.observation_spaces),
        action_spaces=list(algorithm.action_spaces),
        metrics=[*LOGGED, *algorithm.metrics],
        hyperparameters=view_hyperparameters(algorithm.hyperparameters),
        rollout_factors=list(algorithm.hyperparameters.rollout_factors),
        presets=[view_preset(preset, algorithm) for preset in presets_for(algorithm.id)],
        total_timesteps=LIMITS.total_timesteps,
        seed=LIMITS.seed,
    )


@cache
def view_metric_definitions() -> MetricDefinitions:
    return MetricDefinitions(
        groups=[MetricGroupInfo(id=group, title=title) for group, title in GROUP_TITLES.items()],
        metrics=[
            MetricInfo(**definition.model_dump(), algorithms=algorithms)
            for definition, algorithms in metric_definitions(list(ALGORITHMS))
        ],
    )


@cache
def view_hyperparameters(kind: type[Hyperparameters]) -> list[HyperparameterField]:
    """Group by group, so that what belongs together stands together. Do not change the list: all share it."""
    properties = kind.model_json_schema()["properties"]
    fields = [_field(name, schema, kind.source_of(name)) for name, schema in properties.items()]
    return sorted(fields, key=lambda field: GROUPS.index(field.group))


def view_preset(preset: Preset, algorithm: Algorithm, env_id: str | None = None) -> PresetInfo:
    """``env_id``: where its figures were measured; a preset without an environment has none."""
    figures = measured(preset, env_id) if env_id is not None else None
    values = algorithm.validate(preset.hyperparameters, preset.total_timesteps)
    return PresetInfo(
        id=preset.id.value,
        title=preset.title,
        summary=preset.summary,
        source=preset.source,
        tradeoff=preset.tradeoff,
        measured=MeasuredPreset(**figures.model_dump()) if figures else None,
        total_timesteps=preset.total_timesteps,
        end_step=values.training_end(preset.total_timesteps),
        evaluation=preset.evaluation,
        hyperparameters=values.model_dump(mode="json"),
    )


def view_environment(environment: Environment, algorithms: list[Algorithm]) -> EnvironmentInfo:
    properties = type(environment.options).model_json_schema()["properties"] if environment.chosen else {}
    found = variants(environment)
    return EnvironmentInfo(
        id=environment.id,
        name=environment.name,
        family=environment.family.id,
        family_title=environment.family.title,
        summary=environment.summary,
        still_url=_still_url(environment.id),
        options=[_field(name, schema, "Gymnasium") for name, schema in properties.items()],
        sees=environment.sees,
        does=environment.does,
        available=environment.hint is None,
        install_hint=environment.hint,
        variants=[
            EnvironmentVariant(options=_matching(variant, found), **_facts(variant, algorithms)) for variant in found
        ],
        **_facts(environment, algorithms),
    )


def _facts(environment: Environment, algorithms: list[Algorithm]) -> dict[str, Any]:
    """What follows from the options that an environment holds."""
    suited = [algorithm for algorithm in algorithms if environment.suits(algorithm)]
    return {
        "observation_space": _space(environment.observation_space),
        "action_space": _space(environment.action_space),
        "controls": environment.controls,
        "reward_threshold": environment.reward_threshold,
        "random_return": _random_return(environment),
        "max_episode_steps": environment.max_episode_steps,
        "render_fps": environment.render_fps,
        "algorithms": [algorithm.id for algorithm in suited],
        "presets": {
            algorithm.id: [
                view_preset(preset, algorithm, environment.id)
                for preset in presets_for(algorithm.id, environment.id, environment.chosen)
            ]
            for algorithm in suited
        },
    }


def _random_return(environment: Environment) -> RandomReturnInfo | None:
    found = random_return_of(environment)
    return None if found is None else RandomReturnInfo(mean=found.mean, std=found.std, episodes=found.episodes)


def _matching(variant: Environment, among: list[Environment]) -> dict[str, Any]:
    """The options by which a variant differs from others."""
    return {
        name: value for name, value in variant.chosen.items() if any(other.chosen[name] != value for other in among)
    }


def view_event(event: EventRecord) -> RunEvent:
    told = tell(event)
    return RunEvent(
        seq=event.seq,
        time=event.time,
        step=told.step,
        kind=event.event,
        level=told.level,
        message=told.message,
        details=event.data,
    )


def view_hints(run_id: str, seen: Review) -> RunHints:
    return RunHints(
        run_id=run_id,
        hints=[Hint(**asdict(hint)) for hint in seen.hints],
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
        window=request.window,
        x=request.axis,
        steps=compared.curves.step.tolist(),
        runs=[_compared_run(one, compared.curves.values[one.row.id], queue) for one in compared.runs],
        environments=[RunGroup(**asdict(group)) for group in compared.environments],
        algorithms=[RunGroup(**asdict(group)) for group in compared.algorithms],
        figures=[FigureComparison(**asdict(figure)) for figure in compared.figures],
        verdict=None if compared.verdict is None else Verdict(**asdict(compared.verdict)),
        config_diff=[
            ConfigDifference.model_validate({**asdict(item), "group": item.group, "name": item.name})
            for item in compared.differences
        ],
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


def view_curve(curve: Curve) -> MetricCurve:
    smoothed = None if curve.smoothed is None else _view_smoothed(curve.smoothed)
    return MetricCurve.model_construct(x=curve.x, y=_gaps(curve.y), count=curve.count, smoothed=smoothed)


def _view_smoothed(found: SmoothedCurve) -> schemas.SmoothedCurve:
    [mean] = _gaps([found.mean])
    return schemas.SmoothedCurve.model_construct(y=_gaps(found.y), mean=mean, weight=found.weight)


def view_metric_curves(run_id: str, axis: Axis, found: Curves) -> MetricCurves:
    series = {name: view_curve(curve) for name, curve in found.curves.items()}
    return MetricCurves(run_id=run_id, x=axis, series=series, broken_lines=found.broken_lines, cursor=found.cursor)


def _gaps(values: list[float]) -> list[float | None]:
    """JSON knows no NaN."""
    return [None if math.isnan(value) else value for value in values]


def _space(space: Space) -> SpaceInfo:
    return SpaceInfo(
        kind=space.kind,
        shape=list(space.shape),
        n=space.n,
        labels=list(space.labels),
        units=list(space.units),
        is_real=space.is_real,
        is_picture=space.is_picture,
    )


def _field(name: str, schema: Mapping[str, Any], source: str) -> HyperparameterField:
    options = schema.get("anyOf", [schema])
    kind = next(option for option in options if option.get("type") != "null")
    return HyperparameterField(
        name=name,
        type=kind["type"],
        default=schema["default"],
        nullable=any(option.get("type") == "null" for option in options),
        minimum=kind.get("minimum"),
        maximum=kind.get("maximum"),
        exclusive_minimum=kind.get("exclusiveMinimum"),
        exclusive_maximum=kind.get("exclusiveMaximum"),
        choices=kind.get("enum"),
        help=schema["description"],
        group=schema.get("group", ""),
        needs=schema.get("needs"),
        source=source,
    )
