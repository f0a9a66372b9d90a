"""Hyperparameters that several algorithms share, with bounds and help texts. Each algorithm sets its own defaults.

Forms are ordered by a field's group: learning, experience, memory, exploration, network.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from rlviz.domain.registry import load


class Group(StrEnum):
    LEARNING = "learning"
    EXPERIENCE = "experience"
    MEMORY = "memory"
    EXPLORATION = "exploration"
    NETWORK = "network"


GROUPS = tuple(group.value for group in Group)


class Need(StrEnum):
    """A property of an environment that a hyperparameter requires. Forms offer the hyperparameter only with it."""

    REAL_OBSERVATIONS = "real-observations"
    CONTINUOUS_ACTIONS = "continuous-actions"


def setting(group: Group, description: str, *, needs: Need | None = None, **bounds: Any) -> Any:
    """Return a field with the bounds and the help text of a hyperparameter."""
    return Field(description=description, json_schema_extra={"group": group.value, "needs": needs}, **bounds)


# Learning

Schedule = Literal["constant", "linear"]
LearningRate = Annotated[float, setting(Group.LEARNING, "Step size of the optimizer.", gt=0, le=1)]
LearningRateSchedule = Annotated[Schedule, setting(Group.LEARNING, "Constant, or falling linearly to zero.")]
BatchSize = Annotated[int, setting(Group.LEARNING, "Transitions drawn for each gradient step.", ge=1, le=8_192)]
Minibatch = Annotated[int, setting(Group.LEARNING, "Transitions in a minibatch.", ge=2, le=65_536)]
Gamma = Annotated[float, setting(Group.LEARNING, "Discount factor.", ge=0, le=1)]
GaeLambda = Annotated[
    float,
    setting(
        Group.LEARNING,
        "Trade-off in the advantage estimate: lower values have less variance, higher values less bias.",
        ge=0,
        le=1,
    ),
]
NormalizeAdvantage = Annotated[bool, setting(Group.LEARNING, "Scale advantages to zero mean and unit variance.")]
ValueWeight = Annotated[float, setting(Group.LEARNING, "Weight of the value loss.", ge=0, le=10)]
MaxGradNorm = Annotated[
    float, setting(Group.LEARNING, "Maximum norm of a gradient; longer gradients are scaled down.", gt=0, le=100)
]
ReturnSteps = Annotated[
    int,
    setting(
        Group.LEARNING,
        "Steps whose rewards a target sums before it adds the target network's estimate (n-step return).",
        ge=1,
        le=100,
    ),
]
Tau = Annotated[
    float,
    setting(
        Group.LEARNING, "How much of the online network is blended into the target network at each update.", gt=0, le=1
    ),
]
TargetUpdateInterval = Annotated[
    int,
    setting(Group.LEARNING, "Environment steps between two updates of the target network.", ge=1, le=1_000_000),
]
GradientSteps = Annotated[
    int,
    setting(
        Group.LEARNING,
        "Gradient steps per update round; -1: as many as environment steps since the last round.",
        ge=-1,
        le=10_000,
    ),
]

# Experience

EnvironmentCount = Annotated[
    int, setting(Group.EXPERIENCE, "Number of environments that run in parallel.", ge=1, le=64)
]
RolloutSteps = Annotated[
    int, setting(Group.EXPERIENCE, "Steps collected per environment before each update.", ge=2, le=65_536)
]
TrainFreq = Annotated[
    int, setting(Group.EXPERIENCE, "Steps of each environment between update rounds.", ge=1, le=10_000)
]
LearningStarts = Annotated[
    int, setting(Group.EXPERIENCE, "Steps collected before learning begins.", ge=0, le=1_000_000)
]
NormalizeObservations = Annotated[
    bool,
    setting(
        Group.EXPERIENCE,
        "Scale each number of an observation to zero mean and unit variance, over all observations so far; "
        "values beyond ±10 are clipped. The scale is saved with the policy.",
        needs=Need.REAL_OBSERVATIONS,
    ),
]
NormalizeRewards = Annotated[
    bool,
    setting(
        Group.EXPERIENCE,
        "Learn from rewards divided by the standard deviation of the discounted return so far, clipped to ±10. "
        "Returns are shown without this scaling.",
    ),
]

# Memory

BufferSize = Annotated[
    int, setting(Group.MEMORY, "Maximum number of transitions in the replay buffer.", ge=100, le=1_000_000)
]
OptimizeMemory = Annotated[
    bool,
    setting(
        Group.MEMORY,
        "Store each observation once, which halves the memory. An episode that reaches the time limit is then treated "
        "as terminated.",
    ),
]

# Exploration

EntropyWeight = Annotated[
    float,
    setting(Group.EXPLORATION, "Weight of the entropy bonus. Higher values keep the policy exploring.", ge=0, le=1),
]
ExplorationFraction = Annotated[
    float,
    setting(Group.EXPLORATION, "Share of training during which epsilon falls to its final value.", gt=0, le=1),
]
InitialEpsilon = Annotated[
    float, setting(Group.EXPLORATION, "Initial epsilon: share of random actions at the start.", ge=0, le=1)
]
FinalEpsilon = Annotated[
    float, setting(Group.EXPLORATION, "Final epsilon: share of random actions after the decay.", ge=0, le=1)
]
UseSde = Annotated[
    bool,
    setting(
        Group.EXPLORATION,
        "Explore with noise that depends on the state (gSDE). It is smoother than new noise at every step. "
        "For continuous actions.",
        needs=Need.CONTINUOUS_ACTIONS,
    ),
]
SdeSampleFreq = Annotated[
    int,
    setting(
        Group.EXPLORATION,
        "Steps between new gSDE noise; -1: once a rollout.",
        needs=Need.CONTINUOUS_ACTIONS,
        ge=-1,
        le=65_536,
    ),
]
LogStdInit = Annotated[
    float,
    setting(
        Group.EXPLORATION,
        "Logarithm of the policy's standard deviation at the start. For continuous actions.",
        needs=Need.CONTINUOUS_ACTIONS,
        ge=-10,
        le=3,
    ),
]

# Network

NetArch = Annotated[
    list[Annotated[int, Field(ge=4, le=1024)]],
    Field(
        max_length=4,
        description="Units in each hidden layer. Empty: no hidden layers.",
        json_schema_extra={"group": Group.NETWORK.value},
    ),
]
Activation = Annotated[Literal["tanh", "relu"], setting(Group.NETWORK, "Non-linearity between layers.")]
ACTIVATION_CLASSES: Mapping[str, str] = {"tanh": "torch.nn:Tanh", "relu": "torch.nn:ReLU"}


def scheduled(value: float, schedule: Schedule) -> Any:
    """Return a constant, or Stable-Baselines3's linear schedule to zero, so that models load without this package."""
    if schedule == "constant":
        return value
    return load("stable_baselines3.common.utils:LinearSchedule")(value, 0.0, 1.0)
