"""Converts algorithms, environments and metrics of the registries into API schemas.

A knob.

What can be chosen: algorithms, environments, presets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import Field, JsonValue

from rlviz.domain.config import EvaluationPlan, RunActor, actor_of
from rlviz.domain.environment import Controls
from rlviz.domain.experiments import Parameter
from rlviz.domain.limits import LIMITS, Bounds
from rlviz.domain.metrics import GROUP_TITLES, MetricDefinition, MetricGroup
from rlviz.domain.presets import MeasuredPreset, OwnPreset, Preset, PresetId
from rlviz.domain.spaces import Space, StateFactor
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import LOGGED, Algorithm, Hyperparameters, metric_definitions
from rlviz.learning.algorithms.fields import GROUPS, Need
from rlviz.learning.algorithms.knobs import Knob, Range, range_of
from rlviz.learning.algorithms.random_actions import RANDOM, RANDOM_TIMESTEPS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.random_returns import random_return_of
from rlviz.learning.environments.stills import has_still
from rlviz.learning.presets.catalog import figures_key, known_curves, measured, own_presets_for, presets_for
from rlviz.learning.presets.recommended import recommended_algorithm
from rlviz.server.proxy import link
from rlviz.server.runs.configuration import recommended_preset_of
from rlviz.server.runs.environments import variants
from rlviz.server.wire import Wire
from rlviz.stats.return_curve import WINDOW
from rlviz.stats.returns import MEAN_EPISODES


class KnobInfo(Wire):
    """A hyperparameter that can be adjusted while a run trains."""

    name: str
    label: str
    minimum: float
    maximum: float
    excludes_minimum: bool
    metric: str | None = Field(description="What its value is logged as; null: it is not.")


class HyperparameterField(Wire):
    name: str
    type: Literal["integer", "number", "boolean", "string", "array"]
    default: JsonValue
    nullable: bool
    minimum: float | None
    maximum: float | None
    exclusive_minimum: float | None
    exclusive_maximum: float | None
    choices: list[str] | None
    help: str
    group: str = Field("", description="What it belongs to: learning, experience, memory, exploration or network.")
    needs: Need | None = Field(None, description="Not to be offered for environments without it.")
    source: str = Field("", description="Whose default this is.")


class PresetInfo(Wire):
    id: str
    title: str
    summary: str
    source: str = Field(description="Where the values come from.")
    tradeoff: str = Field(description="What it gives up, and for what.")
    recommended: bool = Field(
        False, description="Whether to begin with it: by what was measured it works, or works best."
    )
    is_own: bool = Field(False, description="Whether the user kept it from an experiment.")
    experiment_id: str | None = Field(None, description="The experiment that an own preset was kept from.")
    measured: MeasuredPreset | None
    curve: str | None = Field(None, description="Id of its measured curve, for `GET /presets/curves/{curve_id}`.")
    total_timesteps: int
    end_step: int = Field(description="Step at which training ends: `total_timesteps` rounded up to whole rollouts.")
    evaluation: EvaluationPlan | None = Field(description="Evaluation while it trains, as the preset wants it.")
    hyperparameters: dict[str, JsonValue] = Field(description="Every hyperparameter, with the preset's values.")


class SearchSuggestion(Wire):
    name: str = Field(description="Of the hyperparameter.")
    parameter: Parameter
    source: str = Field(description="Where the range comes from.")


class AlgorithmInfo(Wire):
    id: str
    actor: RunActor = Field(description="`policy`: it learns. `random`: actions by chance, to compare with.")
    name: str
    title: str
    summary: str
    observation_spaces: list[str] = Field(description="Kinds of observation space that it can train with.")
    action_spaces: list[str] = Field(description="Kinds of action space that it can train with.")
    metrics: list[str] = Field(description="Names of the metrics that it logs.")
    artifacts: list[str] = Field(
        description="Files that its runs have beside the policy, for instance `q_table.json` of a table of values."
    )
    hyperparameters: list[HyperparameterField]
    rollout_factors: list[str] = Field(
        description="Hyperparameters whose product is the environment steps of a rollout. Training always ends with a "
        "whole rollout, so `total_timesteps` is rounded up to a multiple of that."
    )
    knobs: list[KnobInfo] = Field(description="Hyperparameters that can be adjusted while it trains.")
    search: list[SearchSuggestion] = Field(
        description="What a search for hyperparameters varies unless told otherwise. A hyperparameter that an "
        "environment does not need is not to be offered for it."
    )
    presets: list[PresetInfo]
    total_timesteps: Bounds
    seed: Bounds


class MetricInfo(MetricDefinition):
    """A metric, and who logs it."""

    algorithms: list[str] = Field(description="Ids of the algorithms that log it.")


class MetricGroupInfo(Wire):
    id: MetricGroup
    title: str


class MetricDefinitions(Wire):
    groups: list[MetricGroupInfo]
    metrics: list[MetricInfo] = Field(description="In the order in which they are read.")
    mean_episodes: int = Field(description="Episodes in the mean return and in the mean length.")
    average_episodes: int = Field(description="Episodes in the moving average whose best value is the best average.")


class StateFactorInfo(Wire):
    """One of several quantities that the number of a state stands for."""

    name: str
    n: int = Field(description="How many values it has.")
    start: int = Field(description="The least of them.")
    labels: list[str] = Field(description="Names of its values, from the least; empty: the numbers themselves.")


class SpaceInfo(Wire):
    kind: str
    shape: list[int]
    n: int | None
    labels: list[str] = Field(description="Names of its numbers, or of its actions; empty if nobody has named them.")
    units: list[str] = Field(description="Units of its numbers, in the same order; an empty text where there is none.")
    is_real: bool = Field(description="Made of real numbers; pictures and counted states are of whole ones.")
    is_picture: bool = Field(description="Made of pictures.")
    factors: list[StateFactorInfo] = Field(
        description="The quantities that states number, the last one changing from each state to the next; else empty."
    )
    counts: list[int] = Field(description="How many values each number of a MultiDiscrete has; empty for other spaces.")
    starts: list[int] = Field(
        description="The least value of a Discrete, or of each number of a MultiDiscrete; empty if all are 0."
    )


class RandomReturnInfo(Wire):
    """What random actions earn: the mean over whole episodes with the environment's default options."""

    mean: float
    std: float = Field(description="Standard deviation of the returns.")
    episodes: int


class EnvironmentFacts(Wire):
    """What depends on the options of an environment."""

    observation_space: SpaceInfo
    action_space: SpaceInfo
    controls: Controls | None = Field(
        description="The keys a person plays it with; null for custom environments, whose sessions say them."
    )
    reward_threshold: float | None
    random_return: RandomReturnInfo | None = Field(
        description="What random actions earn; null for other than default options, and for custom environments."
    )
    max_episode_steps: int | None
    render_fps: float = Field(description="Frames a second of its videos.")
    algorithms: list[str] = Field(description="Ids of the algorithms that can train on it.")
    recommended_algorithm: str | None = Field(
        description="The algorithm to begin with, by what was measured; null: none can train on it."
    )
    presets: dict[str, list[PresetInfo]] = Field(description="Presets by algorithm, as they apply here.")


class EnvironmentVariant(EnvironmentFacts):
    """An environment with some of its options set."""

    options: dict[str, JsonValue] = Field(description="Values for which this holds; others do not matter to it.")


class EnvironmentInfo(EnvironmentFacts):
    id: str
    name: str
    family: str
    family_title: str
    summary: str
    still_url: str | None = Field(description="A small picture of it (WebP, 320 pixels wide); null: there is none.")
    options: list[HyperparameterField] = Field(description="Options of the environment; empty if it has none.")
    sees: str = Field(description="What the agent sees, in a sentence.")
    does: str = Field(description="What the agent does, in a sentence.")
    not_exact_because: str | None = Field(
        description="Why a run on it cannot be resumed exactly: what each test found; null: it can."
    )
    warnings: list[str] = Field(
        description="What is odd about a custom environment that can be used all the same, in sentences."
    )
    available: bool = Field(description="Whether it can be used here.")
    install_hint: str | None = Field(description="Why it cannot be used, and what to do; null: it can.")
    variants: list[EnvironmentVariant] = Field(
        description="Every combination of the options that matter to any of this; empty if none does."
    )


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


def still_url(env_id: str) -> str | None:
    return address_of_still(env_id) if has_still(env_id) else None


def address_of_still(env_id: str) -> str:
    return link(f"/api/environments/{env_id}/still")
