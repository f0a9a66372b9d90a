"""API models of algorithms, environments, presets and metrics, built from the registries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Literal

from pydantic import Field, JsonValue

from rlviz.domain.config import EvaluationPlan, ExplorationPlan, RunActor, actor_of
from rlviz.domain.environment import Controls
from rlviz.domain.experiments import Parameter
from rlviz.domain.limits import LIMITS, Bounds
from rlviz.domain.metrics import GROUP_TITLES, MetricDefinition, MetricGroup
from rlviz.domain.presets import MeasuredPreset, OwnPreset, Preset, PresetId
from rlviz.domain.reward_components import find_component
from rlviz.domain.spaces import Space, StateFactor
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import LOGGED, Algorithm, Hyperparameters, metric_definitions
from rlviz.learning.algorithms.fields import GROUPS, Need
from rlviz.learning.algorithms.knobs import Knob, Range, allowed_range
from rlviz.learning.algorithms.random_actions import RANDOM, RANDOM_TIMESTEPS
from rlviz.learning.algorithms.updates import FEWEST_UPDATES, learns_from_rollouts, warnings_for
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.cells import World
from rlviz.learning.environments.random_returns import find_random_return
from rlviz.learning.environments.stills import has_still
from rlviz.learning.presets.catalog import figures_key, known_curves, measured, own_presets_for, presets_for
from rlviz.learning.presets.recommended import preset_works, recommended_algorithm
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
    metric: str | None = Field(description="Metric under which its value is logged; null: it is not logged.")


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
    group: str = Field("", description="Group in forms: learning, experience, memory, exploration or network.")
    needs: Need | None = Field(None, description="Property that an environment must have for this to apply.")
    source: str = Field("", description="Source of the default.")
    by_hand: JsonValue = Field(
        None,
        exclude_if=lambda value: value is None,
        description="Value with which the page *Play* begins instead of the default; null: the default.",
    )


class PresetInfo(Wire):
    id: str
    title: str
    summary: str
    source: str = Field(description="Source of the values.")
    tradeoff: str = Field(description="What the preset trades for what.")
    recommended: bool = Field(
        False, description="Whether this is the preset to start with: measurements show that it works, or works best."
    )
    works: bool | None = Field(
        None,
        description="Whether it works by its measurements: at least 80 % of its seeds held the reward threshold; "
        "without a threshold, its return is not clearly lower than the best. null: not measured.",
    )
    is_own: bool = Field(False, description="Whether you saved it from an experiment.")
    experiment_id: str | None = Field(None, description="The experiment that it was saved from.")
    measured: MeasuredPreset | None
    curve: str | None = Field(None, description="Id of its measured curve, for `GET /presets/curves/{curve_id}`.")
    total_timesteps: int
    end_step: int = Field(description="Step at which training ends: `total_timesteps` rounded up to whole rollouts.")
    evaluation: EvaluationPlan | None = Field(description="Evaluation during training, as the preset sets it.")
    exploration: ExplorationPlan | None = Field(description="Exploration, as the preset sets it; null: none.")
    hyperparameters: dict[str, JsonValue] = Field(description="Every hyperparameter, with the preset's values.")


class SearchSuggestion(Wire):
    name: str = Field(description="Name of the hyperparameter.")
    parameter: Parameter
    source: str = Field(description="Source of the range.")


class ShortTraining(Wire):
    """When to warn that a run is too short to learn, and the warnings.

    Placeholders: `{rollout}`: steps of a rollout; `{enough}`: `fewest_updates` times as many; `{updates}`: number of
    updates.
    """

    fewest_updates: int = Field(description="Warn if training has fewer rollouts, with one round of updates each.")
    few: str = Field(description="The warning for more than one rollout.")
    single: str = Field(description="The warning for a single rollout.")
    nothing: str = Field(description="The warning for a single rollout if `learning_rate_schedule` is `linear`.")


class AlgorithmInfo(Wire):
    id: str
    actor: RunActor = Field(description="`policy`: it learns. `random`: random actions, as a baseline.")
    name: str
    title: str
    summary: str
    observation_spaces: list[str] = Field(description="Kinds of observation space that it supports.")
    action_spaces: list[str] = Field(description="Kinds of action space that it supports.")
    metrics: list[str] = Field(description="Names of the metrics that it logs.")
    artifacts: list[str] = Field(
        description="Files that its runs save beside the policy, such as `q_table.json` for a table of values."
    )
    imitates: bool = Field(description="Whether it can imitate the best episodes of its own training.")
    hyperparameters: list[HyperparameterField]
    rollout_factors: list[str] = Field(
        description="Hyperparameters whose product is the environment steps of a rollout. Training always ends with a "
        "whole rollout, so `total_timesteps` is rounded up to a multiple of that."
    )
    short_training: ShortTraining | None = Field(
        description="Warnings about runs with few rollouts; null: it does not learn from rollouts."
    )
    knobs: list[KnobInfo] = Field(description="Hyperparameters that can be adjusted while it trains.")
    search: list[SearchSuggestion] = Field(
        description="What a hyperparameter search varies by default. Leave out hyperparameters whose `needs` the "
        "environment does not have."
    )
    presets: list[PresetInfo]
    total_timesteps: Bounds
    seed: Bounds


class MetricInfo(MetricDefinition):
    """A metric and the algorithms that log it."""

    algorithms: list[str] = Field(description="Ids of the algorithms that log it.")


class MetricGroupInfo(Wire):
    id: MetricGroup
    title: str


class MetricDefinitions(Wire):
    groups: list[MetricGroupInfo]
    metrics: list[MetricInfo] = Field(description="In reading order.")
    mean_episodes: int = Field(description="Episodes in the mean return and in the mean length.")
    average_episodes: int = Field(description="Episodes in the moving average whose best value is the best average.")


class StateFactorInfo(Wire):
    """One of several quantities that are encoded in the number of a state."""

    name: str
    n: int = Field(description="Number of values.")
    start: int = Field(description="Smallest value.")
    labels: list[str] = Field(description="Names of its values in ascending order; empty: use the numbers.")


class SpaceInfo(Wire):
    kind: str
    shape: list[int]
    n: int | None
    labels: list[str] = Field(description="Names of its components or actions; empty if they have none.")
    units: list[str] = Field(
        description="Units of its components, in the same order; an empty string where there is none."
    )
    is_real: bool = Field(description="Whether its values are real numbers; pictures and numbered states are integers.")
    is_picture: bool = Field(description="Whether observations are pictures.")
    factors: list[StateFactorInfo] = Field(
        description="The quantities encoded in a state's number, the last one varying fastest; otherwise empty."
    )
    counts: list[int] = Field(
        description="Number of values of each component of a MultiDiscrete; empty for other spaces."
    )
    starts: list[int] = Field(
        description="Smallest value of a Discrete, or of each component of a MultiDiscrete; empty if all are 0."
    )


class RandomReturnInfo(Wire):
    """Mean return of random actions over complete episodes with the environment's default options."""

    mean: float
    std: float = Field(description="Standard deviation of the returns.")
    episodes: int


class AxisInfo(Wire):
    """What the columns or the rows of a world stand for, if they are bins of a quantity."""

    label: str
    low: float = Field(description="Lower end of the first bin from the left, or of the last one from the top.")
    high: float
    unit: str = Field(description="Empty if it has none.")


class WorldInfo(Wire):
    """The cells of an environment: a grid, which may consist of rooms of equal size."""

    columns: int = Field(description="Cells from left to right, over all rooms.")
    rows: int = Field(description="Cells from top to bottom, over all rooms.")
    rooms_across: int
    rooms_down: int
    rooms: list[str] = Field(description="Names of the rooms, row by row; empty if the world is one room.")
    across: AxisInfo | None = Field(description="The quantity of the columns; null: they are places.")
    down: AxisInfo | None = Field(description="The quantity of the rows; null: they are places.")
    marks: str = Field(
        description="A letter for each cell, row by row: S start, G goal, F free, H hole, C cliff; empty if there are "
        "none."
    )
    stages: int = Field(
        description="Stages of progress that coverage and the archive tell apart; the map shows them together."
    )


class RewardComponentInfo(Wire):
    name: str
    label: str = Field(description="Name to display.")
    help: str = Field(description="What it rewards or costs; may be empty.")


class EnvironmentFacts(Wire):
    """The facts that depend on the options of an environment."""

    observation_space: SpaceInfo
    action_space: SpaceInfo
    controls: Controls | None = Field(
        description="The keys that you play it with; null for custom environments, whose sessions report them."
    )
    reward_threshold: float | None
    random_return: RandomReturnInfo | None = Field(
        description="Return of random actions; null for non-default options and for custom environments."
    )
    max_episode_steps: int | None
    render_fps: float = Field(description="Frames per second of its videos.")
    world: WorldInfo | None = Field(
        description="The cells that it consists of, for its map and for exploration; null: it has none."
    )
    algorithms: list[str] = Field(description="Ids of the algorithms that can train here.")
    recommended_algorithm: str | None = Field(
        description="The algorithm to start with, by measurements; null: none can train here."
    )
    presets: dict[str, list[PresetInfo]] = Field(description="Presets that apply here, by algorithm.")


class EnvironmentVariant(EnvironmentFacts):
    """The facts of an environment for some values of its options."""

    options: dict[str, JsonValue] = Field(
        description="Option values to which these facts apply; other options make no difference."
    )


class EnvironmentInfo(EnvironmentFacts):
    id: str
    name: str
    family: str
    family_title: str
    summary: str
    still_url: str | None = Field(description="URL of a small picture (WebP, 320 pixels wide); null: there is none.")
    options: list[HyperparameterField] = Field(description="Options of the environment; empty if it has none.")
    sees: str = Field(description="What the agent sees, in a sentence.")
    does: str = Field(description="What the agent does, in a sentence.")
    reward_components: list[RewardComponentInfo] = Field(
        description="The components of its reward, which `reward` of a run can weight and cap; empty: it has none."
    )
    not_exact_because: str | None = Field(
        description="Why runs here cannot be resumed exactly, with the result of each test; null: they can."
    )
    warnings: list[str] = Field(description="Warnings about a custom environment that can still be used, as sentences.")
    available: bool = Field(description="Whether it can be used on this machine.")
    install_hint: str | None = Field(description="Why it cannot be used, and how to fix that; null: it can.")
    variants: list[EnvironmentVariant] = Field(
        description="Every combination of the options that change any of these facts; empty if none does."
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
        imitates=algorithm.imitates,
        hyperparameters=view_hyperparameters(algorithm.hyperparameters),
        rollout_factors=list(algorithm.hyperparameters.rollout_factors),
        short_training=ShortTraining(fewest_updates=FEWEST_UPDATES, **asdict(warnings_for("run")))
        if learns_from_rollouts(algorithm.id)
        else None,
        knobs=[view_knob(knob, allowed_range(knob, algorithm)) for knob in algorithm.knobs],
        search=[
            SearchSuggestion(name=name, parameter=suggested.parameter, source=suggested.source)
            for name, suggested in algorithm.search.items()
        ],
        presets=[view_preset(preset, algorithm) for preset in presets_for(algorithm.id)],
        total_timesteps=_timesteps_of(algorithm),
        seed=LIMITS.seed,
    )


def find_algorithm(algo: str) -> AlgorithmInfo | None:
    """Return the API model of an algorithm; None if it is not offered: in the run of a person, there is none."""
    return next((view_algorithm(one) for one in (*ALGORITHMS, RANDOM) if one.id == algo), None)


def _timesteps_of(algorithm: Algorithm) -> Bounds:
    """Return the default number of steps; random actions have their own, since they have no presets."""
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
    """Return every metric with the ids of the algorithms that log it. Random actions log the metrics of every run."""
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
    """Return the fields of a form, ordered by group. The list is cached and shared: do not change it."""
    properties = kind.model_json_schema()["properties"]
    fields = [_field(name, schema, kind.source_of(name)) for name, schema in properties.items()]
    return sorted(fields, key=lambda field: GROUPS.index(field.group))


def view_preset(
    preset: Preset | OwnPreset,
    algorithm: Algorithm,
    env_id: str | None = None,
    recommended: PresetId = PresetId.FAST,
    works: bool | None = None,
) -> PresetInfo:
    """Return the API model of a preset.

    ``env_id`` selects the measured results; None for a general preset. ``recommended`` is the id of the recommended
    preset of the algorithm, ``works`` whether this one works by its measurements.
    """
    own = preset if isinstance(preset, OwnPreset) else None
    values = algorithm.validate(preset.hyperparameters, preset.total_timesteps)
    return PresetInfo(
        id=str(preset.id),
        title=preset.title,
        recommended=preset.id == recommended,
        works=works,
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
        exploration=preset.exploration,
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
    """Return the API model of an environment.

    ``own``: the user's presets; those that apply come last. ``has_own_still``: the probe of a custom environment made a
    picture.
    """
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
        reward_components=[
            RewardComponentInfo(name=one.name, label=one.label, help=one.help)
            for one in map(find_component, environment.reward_components)
        ],
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


def find_environment(env_id: str, own: Sequence[OwnPreset] = ()) -> EnvironmentInfo | None:
    """Return the API model of a registered environment; None for others. ``own``: the user's presets."""
    if env_id not in ENVIRONMENTS.names():
        return None
    return view_environment(ENVIRONMENTS.get(env_id), [*ALGORITHMS, RANDOM], own)


def _facts(environment: Environment, algorithms: list[Algorithm], own: Sequence[OwnPreset]) -> dict[str, Any]:
    """Return the facts that depend on the options of the environment."""
    suited = [algorithm for algorithm in algorithms if environment.suits(algorithm)]
    return {
        "observation_space": _space(environment.observation_space),
        "action_space": _space(environment.action_space),
        "controls": environment.controls,
        "reward_threshold": environment.reward_threshold,
        "random_return": _random_return(environment),
        "max_episode_steps": environment.max_episode_steps,
        "render_fps": environment.render_fps,
        "world": view_world(environment.world),
        "algorithms": [algorithm.id for algorithm in suited],
        "recommended_algorithm": recommended_algorithm(
            [algorithm.id for algorithm in suited], environment.id, environment.chosen, environment.reward_threshold
        ),
        "presets": {
            algorithm.id: [
                view_preset(
                    preset,
                    algorithm,
                    environment.id,
                    recommended_preset_of(algorithm.id, environment),
                    _works(preset, algorithm, environment),
                )
                for preset in _presets(algorithm, environment, own)
            ]
            for algorithm in suited
        },
    }


def view_world(world: World | None) -> WorldInfo | None:
    return None if world is None else WorldInfo.model_validate(asdict(world))


def _works(preset: Preset | OwnPreset, algorithm: Algorithm, environment: Environment) -> bool | None:
    figures = _figures(preset, environment.id)
    if figures is None:
        return None
    return preset_works(figures, algorithm.id, environment.id, environment.chosen, environment.reward_threshold)


def _presets(algorithm: Algorithm, environment: Environment, own: Sequence[OwnPreset]) -> list[Preset | OwnPreset]:
    of = algorithm.id, environment.id, environment.chosen
    return [*presets_for(*of), *own_presets_for(own, *of)]


def _random_return(environment: Environment) -> RandomReturnInfo | None:
    found = find_random_return(environment)
    return None if found is None else RandomReturnInfo(mean=found.mean, std=found.std, episodes=found.episodes)


def _matching(variant: Environment, among: list[Environment]) -> dict[str, Any]:
    """Return the options that distinguish a variant from the other variants."""
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
        by_hand=schema.get("by_hand"),
    )


def still_url(env_id: str) -> str | None:
    return address_of_still(env_id) if has_still(env_id) else None


def address_of_still(env_id: str) -> str:
    return link(f"/api/environments/{env_id}/still")
