"""What can be chosen: algorithms, environments, presets."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from rlviz.algorithms.fields import Need
from rlviz.api.schemas.rules import KnobInfo
from rlviz.api.schemas.wire import Wire
from rlviz.domain.evaluation_plan import EvaluationPlan
from rlviz.domain.key_bindings import Controls
from rlviz.domain.limits import Bounds
from rlviz.domain.metrics import MetricDefinition, MetricGroup
from rlviz.domain.presets import MeasuredPreset
from rlviz.domain.run_actor import RunActor
from rlviz.domain.sweep import Parameter


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
