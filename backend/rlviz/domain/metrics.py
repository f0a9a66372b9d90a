"""What the metrics are: the name of each in words, what it means, and how it is best drawn.

Names are those under which Stable-Baselines3 logs them. A metric that only one algorithm logs may be defined in that
algorithm's file instead. One that is defined nowhere, of an environment or a script of the user's own, is shown under
its logged name.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class MetricGroup(StrEnum):
    EPISODES = "episodes"  # the episodes that training played
    EVALUATION = "evaluation"  # the greedy policy, played beside training
    EXPLORATION = "exploration"  # how much is left to chance
    POLICY = "policy"  # how the policy changes
    VALUE = "value"  # how well returns are predicted
    OPTIMIZER = "optimizer"  # settings and counts of the updates
    TIME = "time"  # how fast it went


GROUP_TITLES = {
    MetricGroup.EPISODES: "Episodes",
    MetricGroup.EVALUATION: "Evaluation",
    MetricGroup.EXPLORATION: "Exploration",
    MetricGroup.POLICY: "Policy updates",
    MetricGroup.VALUE: "Value estimates",
    MetricGroup.OPTIMIZER: "Optimizer",
    MetricGroup.TIME: "Speed",
}


class MetricKind(StrEnum):
    MEASURED = "measured"  # noisy: smoothing helps
    SCHEDULE = "schedule"  # set, not measured: exact, and often a straight line
    COUNT = "count"  # only ever grows


class ChartPlace(StrEnum):
    RETURN = "return"  # drawn in the chart of the return
    LENGTH = "length"  # drawn in the chart of episode lengths
    HEADLINE = "headline"  # worth a chart of its own
    DETAIL = "detail"  # a chart for those who look for it
    NONE = "none"  # no chart: it counts, or repeats another metric


class MetricDefinition(BaseModel):
    """``help`` says what the metric is, what is normal, and what is a sign of trouble."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="As it is logged.")
    label: str = Field(description="As people say it.")
    help: str = Field(description="What it is, what is normal, and what is a sign of trouble.")
    group: MetricGroup
    unit: str = Field("", description="Of its values; empty for a plain number.")
    kind: MetricKind = MetricKind.MEASURED
    place: ChartPlace = ChartPlace.DETAIL
    superseded_by: str | None = Field(
        None, description="Where this metric is logged too, the chart is no headline: it would repeat that one."
    )
    negate: bool = Field(False, description="Logged as the negative of what the label says.")
    log_scale: bool = Field(False, description="Spans magnitudes: a logarithmic axis reads well where it is positive.")
    minimum: float | None = Field(None, description="It is never below, as drawn; null: no bound.")
    maximum: float | None = Field(None, description="It is never above, as drawn; null: no bound.")


_EPISODES = (
    MetricDefinition(
        name="episode/reward",
        label="Episode return",
        help="Sum of the rewards of one training episode, exploration included. It is noisy: look at the average.",
        group=MetricGroup.EPISODES,
        place=ChartPlace.RETURN,
    ),
    MetricDefinition(
        name="rollout/ep_rew_mean",
        label="Mean return, as logged",
        help="Stable-Baselines3's own mean over the last 100 episodes, as of the row it was logged with.",
        group=MetricGroup.EPISODES,
        place=ChartPlace.RETURN,
    ),
    MetricDefinition(
        name="eval/mean_reward",
        label="Greedy evaluation",
        help="Mean return of the greedy policy on the same episodes each time, without exploration. "
        "Usually above the training return; far below it, greedy play is worse than chance helps it to be.",
        group=MetricGroup.EVALUATION,
        place=ChartPlace.RETURN,
    ),
    MetricDefinition(
        name="eval/std_reward",
        label="Spread of the greedy evaluation",
        help="Standard deviation of the returns of one evaluation. Large: the policy depends on how an episode starts.",
        group=MetricGroup.EVALUATION,
        place=ChartPlace.RETURN,
        minimum=0,
    ),
    MetricDefinition(
        name="episode/length",
        label="Episode length",
        help="Steps of one training episode. Where every step is paid the same, it repeats the return.",
        group=MetricGroup.EPISODES,
        unit="steps",
        place=ChartPlace.LENGTH,
        minimum=0,
    ),
    MetricDefinition(
        name="rollout/ep_len_mean",
        label="Mean length, as logged",
        help="Stable-Baselines3's own mean length of the last 100 episodes, as of the row it was logged with.",
        group=MetricGroup.EPISODES,
        unit="steps",
        place=ChartPlace.LENGTH,
        minimum=0,
    ),
    MetricDefinition(
        name="eval/mean_ep_length",
        label="Length in greedy evaluation",
        help="Mean length of the greedy policy's episodes. At the step limit it may be stuck, or doing well: "
        "the return tells.",
        group=MetricGroup.EVALUATION,
        unit="steps",
        place=ChartPlace.LENGTH,
        minimum=0,
    ),
    MetricDefinition(
        name="rollout/success_rate",
        label="Success rate",
        help="Share of the last 100 episodes that the environment itself calls a success.",
        group=MetricGroup.EPISODES,
        place=ChartPlace.HEADLINE,
        minimum=0,
        maximum=1,
    ),
    MetricDefinition(
        name="episode/index",
        label="Episodes",
        help="Episodes finished so far.",
        group=MetricGroup.EPISODES,
        kind=MetricKind.COUNT,
        place=ChartPlace.NONE,
        minimum=0,
    ),
    MetricDefinition(
        name="time/episodes",
        label="Episodes, as logged",
        help="Episodes finished so far, counted by the library.",
        group=MetricGroup.EPISODES,
        kind=MetricKind.COUNT,
        place=ChartPlace.NONE,
        minimum=0,
    ),
)

_UPDATES = (
    MetricDefinition(
        name="rollout/exploration_rate",
        label="Epsilon",
        help="Share of actions taken at random. It falls from its first to its last value over the exploration "
        "fraction; if it is still high when training ends, little of the return is the policy's own.",
        group=MetricGroup.EXPLORATION,
        kind=MetricKind.SCHEDULE,
        place=ChartPlace.HEADLINE,
        minimum=0,
        maximum=1,
    ),
    MetricDefinition(
        name="train/entropy_loss",
        label="Entropy",
        help="How undecided the policy is between its actions. It falls slowly as the policy makes up its mind; "
        "near 0 early in training it has stopped exploring. Logged as its negative, train/entropy_loss.",
        group=MetricGroup.EXPLORATION,
        unit="nats",
        place=ChartPlace.HEADLINE,
        negate=True,
    ),
    MetricDefinition(
        name="train/std",
        label="Action deviation",
        help="Mean standard deviation of the policy's continuous actions. It usually falls; growing without end means "
        "that no action pays more than another.",
        group=MetricGroup.EXPLORATION,
        log_scale=True,
        minimum=0,
    ),
    MetricDefinition(
        name="train/approx_kl",
        label="Approximate KL",
        help="How far one update moved the policy. Below about 0.02 is normal for PPO; spikes mean steps that are "
        "too large.",
        group=MetricGroup.POLICY,
        unit="nats",
        place=ChartPlace.HEADLINE,
        log_scale=True,
    ),
    MetricDefinition(
        name="train/kl_divergence_loss",
        label="KL divergence",
        help="How far one update moved the policy. TRPO keeps it below its target_kl.",
        group=MetricGroup.POLICY,
        unit="nats",
        place=ChartPlace.HEADLINE,
        log_scale=True,
    ),
    MetricDefinition(
        name="train/clip_fraction",
        label="Clip fraction",
        help="Share of samples whose probability ratio was clipped. Near 0 the clip does nothing; above about 0.3 "
        "the updates are too large.",
        group=MetricGroup.POLICY,
        place=ChartPlace.HEADLINE,
        minimum=0,
        maximum=1,
    ),
    MetricDefinition(
        name="train/explained_variance",
        label="Explained variance",
        help="How well the value function predicts the returns: 1 is perfect, 0 no better than their mean, below 0 "
        "worse. It should rise well above 0 within the first tenth of training.",
        group=MetricGroup.VALUE,
        place=ChartPlace.HEADLINE,
        maximum=1,
    ),
    MetricDefinition(
        name="train/value_loss",
        label="Value loss",
        help="Squared error of the value function. It grows with the square of the returns, so a rise while the "
        "return rises is normal; growing beyond that means estimates that run away.",
        group=MetricGroup.VALUE,
        place=ChartPlace.HEADLINE,
        log_scale=True,
        minimum=0,
    ),
    MetricDefinition(
        name="train/loss",
        label="Loss",
        help="What an update minimises. For DQN and QR-DQN it is the temporal-difference error: a steady climb means "
        "values that run away. For PPO it is the sum of policy, value and entropy losses in the last minibatch.",
        group=MetricGroup.VALUE,
        place=ChartPlace.HEADLINE,
        superseded_by="train/value_loss",
        log_scale=True,
    ),
    MetricDefinition(
        name="train/actor_loss",
        label="Actor loss",
        help="The negative of how good the critic finds the actor's actions. It falls as the actor improves; its size "
        "follows that of the returns.",
        group=MetricGroup.POLICY,
        place=ChartPlace.HEADLINE,
    ),
    MetricDefinition(
        name="train/critic_loss",
        label="Critic loss",
        help="Squared error of the critic against its own target. It may grow with the returns; a steady climb beyond "
        "that means values that run away.",
        group=MetricGroup.VALUE,
        place=ChartPlace.HEADLINE,
        log_scale=True,
        minimum=0,
    ),
    MetricDefinition(
        name="train/policy_loss",
        label="Policy loss",
        help="What A2C's policy update minimises. It hovers around 0 and its size says little; sudden jumps do.",
        group=MetricGroup.POLICY,
        place=ChartPlace.HEADLINE,
    ),
    MetricDefinition(
        name="train/policy_objective",
        label="Policy objective",
        help="What TRPO's update maximises: the advantage of its new actions over the old. Slightly above 0 is normal; "
        "0 again and again means that no step was found.",
        group=MetricGroup.POLICY,
        place=ChartPlace.HEADLINE,
    ),
    MetricDefinition(
        name="train/policy_gradient_loss",
        label="Policy gradient loss",
        help="PPO's clipped objective, negated. Slightly below 0 is normal; its size says little.",
        group=MetricGroup.POLICY,
    ),
    MetricDefinition(
        name="train/is_line_search_success",
        label="Line search succeeded",
        help="Whether TRPO found a step within its trust region: 1 if so. Mostly 0 means that updates are thrown away.",
        group=MetricGroup.POLICY,
        minimum=0,
        maximum=1,
    ),
    MetricDefinition(
        name="train/learning_rate",
        label="Learning rate",
        help="Step size of the optimizer. Constant, or falling along its schedule.",
        group=MetricGroup.OPTIMIZER,
        kind=MetricKind.SCHEDULE,
        log_scale=True,
        minimum=0,
    ),
    MetricDefinition(
        name="train/clip_range",
        label="Clip range",
        help="How far PPO lets a probability ratio move in one update. Constant, or falling along its schedule.",
        group=MetricGroup.OPTIMIZER,
        kind=MetricKind.SCHEDULE,
        minimum=0,
    ),
    MetricDefinition(
        name="train/n_updates",
        label="Updates",
        help="Gradient updates so far, as the library counts them.",
        group=MetricGroup.OPTIMIZER,
        kind=MetricKind.COUNT,
        minimum=0,
    ),
)

_TIME = (
    MetricDefinition(
        name="time/recent_fps",
        label="Steps per second",
        help="Environment steps per second since the row before. A fall means that the machine is busy, "
        "or that updates have become longer.",
        group=MetricGroup.TIME,
        unit="steps/s",
        minimum=0,
    ),
    MetricDefinition(
        name="time/fps",
        label="Steps per second, average",
        help="Environment steps per second since training began, evaluations left out.",
        group=MetricGroup.TIME,
        unit="steps/s",
        minimum=0,
    ),
    MetricDefinition(
        name="time/update_seconds",
        label="Seconds per update",
        help="Seconds that the last update took. A stop waits for one gradient step of it at most.",
        group=MetricGroup.TIME,
        unit="s",
        log_scale=True,
        minimum=0,
    ),
    MetricDefinition(
        name="time/time_elapsed",
        label="Training time",
        help="Seconds since training began, evaluations left out.",
        group=MetricGroup.TIME,
        unit="s",
        kind=MetricKind.COUNT,
        minimum=0,
    ),
    MetricDefinition(
        name="time/iterations",
        label="Rollouts",
        help="Rollouts collected so far.",
        group=MetricGroup.TIME,
        kind=MetricKind.COUNT,
        minimum=0,
    ),
    MetricDefinition(
        name="time/total_timesteps",
        label="Steps",
        help="Environment steps so far.",
        group=MetricGroup.TIME,
        unit="steps",
        kind=MetricKind.COUNT,
        place=ChartPlace.NONE,
        minimum=0,
    ),
)

METRICS: tuple[MetricDefinition, ...] = (*_EPISODES, *_UPDATES, *_TIME)
"""In the order in which they are read."""
