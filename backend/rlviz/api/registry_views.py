"""Converts algorithms, environments and metrics of the registries into API schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.base import LOGGED, Algorithm, Hyperparameters
from rlviz.algorithms.fields import GROUPS
from rlviz.algorithms.knobs import Knob, Range, range_of
from rlviz.algorithms.metrics import metric_definitions
from rlviz.algorithms.random_actions import RANDOM, RANDOM_TIMESTEPS
from rlviz.analysis.mean_return import MEAN_EPISODES
from rlviz.analysis.return_curve import WINDOW
from rlviz.api.schemas.choices import (
    AlgorithmInfo,
    EnvironmentInfo,
    EnvironmentVariant,
    HyperparameterField,
    MetricDefinitions,
    MetricGroupInfo,
    MetricInfo,
    PresetInfo,
    RandomReturnInfo,
    SearchSuggestion,
    SpaceInfo,
    StateFactorInfo,
)
from rlviz.api.schemas.rules import KnobInfo
from rlviz.api.views import address_of_still, still_url
from rlviz.domain.limits import LIMITS, Bounds
from rlviz.domain.metrics import GROUP_TITLES, MetricDefinition
from rlviz.domain.presets import MeasuredPreset, OwnPreset, Preset, PresetId
from rlviz.domain.run_actor import actor_of
from rlviz.domain.spaces import Space, StateFactor
from rlviz.environments.base import Environment
from rlviz.environments.random_returns import random_return_of
from rlviz.presets.catalog import figures_key, known_curves, measured, own_presets_for, presets_for
from rlviz.presets.recommended import recommended_algorithm
from rlviz.services.use_cases.configuration import recommended_preset_of
from rlviz.services.use_cases.environments import variants


def view_algorithm(algorithm: Algorithm) -> AlgorithmInfo:
    return AlgorithmInfo(
        id=algorithm.id,
        actor=actor_of(algorithm.id),
        name=algorithm.name,
        title=algorithm.title,
        summary=algorithm.summary,
        observation_spaces=list(algorithm.observation_spaces),
        action_spaces=list(algorithm.action_spaces),
        metrics=[*LOGGED, *algorithm.metrics],
        artifacts=list(algorithm.artifacts),
        hyperparameters=view_hyperparameters(algorithm.hyperparameters),
        rollout_factors=list(algorithm.hyperparameters.rollout_factors),
        knobs=[view_knob(knob, range_of(knob, algorithm)) for knob in algorithm.knobs],
        search=[
            SearchSuggestion(name=name, parameter=suggested.parameter, source=suggested.source)
            for name, suggested in algorithm.search.items()
        ],
        presets=[view_preset(preset, algorithm) for preset in presets_for(algorithm.id)],
        total_timesteps=_timesteps_of(algorithm),
        seed=LIMITS.seed,
    )


def _timesteps_of(algorithm: Algorithm) -> Bounds:
    """Chance has no presets to bring them."""
    bounds = LIMITS.total_timesteps
    return bounds.model_copy(update={"default": RANDOM_TIMESTEPS}) if algorithm is RANDOM else bounds


def view_knob(knob: Knob, bounds: Range) -> KnobInfo:
    return KnobInfo(
        name=knob.name,
        label=knob.label,
        minimum=bounds.minimum,
        maximum=bounds.maximum,
        excludes_minimum=bounds.excludes_minimum,
        metric=knob.metric,
    )


def _loggers_of_metrics() -> list[tuple[MetricDefinition, list[str]]]:
    """Every metric with the ids of the algorithms that log it. Random actions log what every run logs."""
    return [
        (definition, [*algorithms, *([RANDOM.id] if definition.name in (*LOGGED, *RANDOM.metrics) else [])])
        for definition, algorithms in metric_definitions(list(ALGORITHMS))
    ]


@cache
def view_metric_definitions() -> MetricDefinitions:
    return MetricDefinitions(
        groups=[MetricGroupInfo(id=group, title=title) for group, title in GROUP_TITLES.items()],
        metrics=[
            MetricInfo(**definition.model_dump(), algorithms=algorithms)
            for definition, algorithms in _loggers_of_metrics()
        ],
        mean_episodes=MEAN_EPISODES,
        average_episodes=WINDOW,
    )


@cache
def view_hyperparameters(kind: type[Hyperparameters]) -> list[HyperparameterField]:
    """Ordered by group. The list is cached and shared: do not change it."""
    properties = kind.model_json_schema()["properties"]
    fields = [_field(name, schema, kind.source_of(name)) for name, schema in properties.items()]
    return sorted(fields, key=lambda field: GROUPS.index(field.group))


def view_preset(
    preset: Preset | OwnPreset,
    algorithm: Algorithm,
    env_id: str | None = None,
    recommended: PresetId = PresetId.FAST,
) -> PresetInfo:
    """``env_id``: the environment of its measured results; None for a general preset. ``recommended``: the preset of
    the algorithm to begin with."""
    own = preset if isinstance(preset, OwnPreset) else None
    values = algorithm.validate(preset.hyperparameters, preset.total_timesteps)
    return PresetInfo(
        id=str(preset.id),
        title=preset.title,
        recommended=preset.id == recommended,
        is_own=own is not None,
        experiment_id=own.experiment_id if own is not None else None,
        summary=preset.summary,
        source=preset.source,
        tradeoff=preset.tradeoff,
        measured=_figures(preset, env_id),
        curve=_curve(preset, env_id),
        total_timesteps=preset.total_timesteps,
        end_step=values.training_end(preset.total_timesteps),
        evaluation=preset.evaluation,
        hyperparameters=values.model_dump(mode="json"),
    )


def _figures(preset: Preset | OwnPreset, env_id: str | None) -> MeasuredPreset | None:
    if isinstance(preset, OwnPreset):
        return preset.measured
    return measured(preset, env_id) if env_id is not None else None


def _curve(preset: Preset | OwnPreset, env_id: str | None) -> str | None:
    if isinstance(preset, OwnPreset):
        return preset.curve_id
    if env_id is None:
        return None
    found = figures_key(preset, env_id)
    return found if found in known_curves() else None


def view_environment(
    environment: Environment, algorithms: list[Algorithm], own: Sequence[OwnPreset] = (), *, has_own_still: bool = False
) -> EnvironmentInfo:
    """``own``: the user's presets, of which those that fit come last. ``has_own_still``: a still was made when the
    custom environment was probed."""
    properties = type(environment.options).model_json_schema()["properties"] if environment.chosen else {}
    found = variants(environment)
    return EnvironmentInfo(
        id=environment.id,
        name=environment.name,
        family=environment.family.id,
        family_title=environment.family.title,
        summary=environment.summary,
        still_url=address_of_still(environment.id) if has_own_still else still_url(environment.id),
        options=[_field(name, schema, "Gymnasium") for name, schema in properties.items()],
        sees=environment.sees,
        does=environment.does,
        not_exact_because=environment.custom.state_problem if environment.custom is not None else None,
        warnings=list(environment.custom.warnings) if environment.custom is not None else [],
        available=environment.hint is None,
        install_hint=environment.hint,
        variants=[
            EnvironmentVariant(options=_matching(variant, found), **_facts(variant, algorithms, own))
            for variant in found
        ],
        **_facts(environment, algorithms, own),
    )


def _facts(environment: Environment, algorithms: list[Algorithm], own: Sequence[OwnPreset]) -> dict[str, Any]:
    """What follows from the options of the environment."""
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
        "recommended_algorithm": recommended_algorithm(
            [algorithm.id for algorithm in suited], environment.id, environment.chosen, environment.reward_threshold
        ),
        "presets": {
            algorithm.id: [
                view_preset(preset, algorithm, environment.id, recommended_preset_of(algorithm.id, environment))
                for preset in _presets(algorithm, environment, own)
            ]
            for algorithm in suited
        },
    }


def _presets(algorithm: Algorithm, environment: Environment, own: Sequence[OwnPreset]) -> list[Preset | OwnPreset]:
    of = algorithm.id, environment.id, environment.chosen
    return [*presets_for(*of), *own_presets_for(own, *of)]


def _random_return(environment: Environment) -> RandomReturnInfo | None:
    found = random_return_of(environment)
    return None if found is None else RandomReturnInfo(mean=found.mean, std=found.std, episodes=found.episodes)


def _matching(variant: Environment, among: list[Environment]) -> dict[str, Any]:
    """The options in which a variant differs from others."""
    return {
        name: value for name, value in variant.chosen.items() if any(other.chosen[name] != value for other in among)
    }


def _space(space: Space) -> SpaceInfo:
    return SpaceInfo(
        kind=space.kind,
        shape=list(space.shape),
        n=space.n,
        labels=list(space.labels),
        units=list(space.units),
        is_real=space.is_real,
        is_picture=space.is_picture,
        factors=view_factors(space.factors),
        counts=list(space.counts),
        starts=list(space.starts),
    )


def view_factors(factors: Iterable[StateFactor]) -> list[StateFactorInfo]:
    return [
        StateFactorInfo(name=factor.name, n=factor.n, start=factor.start, labels=list(factor.labels))
        for factor in factors
    ]


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
