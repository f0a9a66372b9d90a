"""Q-learning on a table (Watkins, 1989; Watkins and Dayan, 1992, https://doi.org/10.1007/BF00992698)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from rlviz.domain.errors import FieldError
from rlviz.domain.experiments import Choice, FloatRange, Suggested
from rlviz.domain.metrics import ChartPlace, MetricDefinition, MetricGroup, MetricKind
from rlviz.learning.algorithms.base import HERE, Algorithm, Hyperparameters, Layout, MemoryNeed
from rlviz.learning.algorithms.fields import (
    EnvironmentCount,
    ExplorationFraction,
    FinalEpsilon,
    Gamma,
    Group,
    InitialEpsilon,
    LearningRateSchedule,
    scheduled,
    setting,
)
from rlviz.learning.algorithms.knobs import EXPLORATION_RATE, LEARNING_RATE
from rlviz.learning.algorithms.off_policy import epsilon_problems

LOG_STEPS = 1_000
"""Steps per environment between two rows of metrics. These steps count as one rollout."""


class QLearningHyperparameters(Hyperparameters):
    defaults_of: ClassVar[str] = HERE
    rollout_factors: ClassVar[tuple[str, ...]] = ("n_envs",)

    learning_rate: Annotated[
        float,
        setting(Group.LEARNING, "How far a value moves towards its target; use 1 if nothing is random.", gt=0, le=1),
    ] = 0.1
    learning_rate_schedule: LearningRateSchedule = "constant"
    gamma: Gamma = 0.99
    n_envs: EnvironmentCount = 1
    exploration_fraction: ExplorationFraction = 0.5
    exploration_initial_eps: InitialEpsilon = 1.0
    exploration_final_eps: FinalEpsilon = 0.05
    initial_value: Annotated[
        float,
        setting(
            Group.EXPLORATION,
            "Initial value of every action; a value above any possible return makes the agent try everything.",
            ge=-1_000,
            le=1_000,
        ),
    ] = 0.0

    @property
    def environments(self) -> int:
        return self.n_envs

    @property
    def boundary_steps(self) -> int:
        return LOG_STEPS * self.n_envs

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        return {
            **self.model_dump(exclude={"n_envs", "learning_rate_schedule"}),
            "learning_rate": scheduled(self.learning_rate, self.learning_rate_schedule),
        }

    def memory(self, observation: Layout, action: Layout) -> MemoryNeed:
        """Return the size of the table: a value and a visit count for each action in each state."""
        return MemoryNeed(None, 1, observation.values * (action.values * (8 + 8) + 1))

    def problems(self, total_timesteps: int) -> list[FieldError]:
        return epsilon_problems(self.exploration_initial_eps, self.exploration_final_eps)


Q_LEARNING = Algorithm(
    id="q-learning",
    name="Q-learning",
    title="Tabular Q-learning",
    summary="Keeps a table with a value for each action in each state, which you can inspect. For small environments.",
    observation_spaces=("Discrete", "MultiDiscrete"),
    action_spaces=("Discrete",),
    model_class="rlviz.learning.algorithms.tabular:QLearning",
    reader="rlviz.learning.algorithms.policy:read_table",
    td_errors="rlviz.learning.algorithms.experience:compute_table_errors",
    hyperparameters=QLearningHyperparameters,
    knobs=(LEARNING_RATE, EXPLORATION_RATE),
    search={
        "learning_rate": Suggested(FloatRange(low=0.01, high=1.0, log=True), HERE),
        "gamma": Suggested(Choice(choices=[0.9, 0.95, 0.98, 0.99, 0.995, 0.999]), HERE),
        "exploration_fraction": Suggested(FloatRange(low=0.05, high=1.0), HERE),
        "exploration_final_eps": Suggested(FloatRange(low=0.0, high=0.2), HERE),
        "initial_value": Suggested(FloatRange(low=-10.0, high=10.0), HERE),
    },
    metrics=(
        "rollout/exploration_rate",
        "train/learning_rate",
        "train/td_error",
        "train/states_visited",
        "train/n_updates",
        "time/episodes",
    ),
    policy="TablePolicy",
    export="rlviz.learning.training.live_weights:write_q_table",
    artifacts=("q_table.json",),
    definitions=(
        MetricDefinition(
            name="train/td_error",
            label="TD error",
            help="Mean temporal-difference error: how far new experience is from the table. It falls as the "
            "values settle; in a random environment it stays above 0.",
            group=MetricGroup.VALUE,
            place=ChartPlace.HEADLINE,
            log_scale=True,
            minimum=0,
        ),
        MetricDefinition(
            name="train/states_visited",
            label="States visited",
            help="How many states were tried at least once. If it stalls far below the number of states that can be "
            "reached, the agent explores too little.",
            group=MetricGroup.EXPLORATION,
            unit="states",
            kind=MetricKind.COUNT,
            place=ChartPlace.HEADLINE,
            minimum=0,
        ),
    ),
)
