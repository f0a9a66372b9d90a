"""Reward components: their names, labels and facts.

An environment may split its reward: ``info["reward_components"] = {"name": value, …}``, whose sum is the reward. A run
then has a metric ``reward/<name>`` for each component, with the component's sum over an episode.

Bonuses that training adds, such as rewards for exploration, are components too, with ``of_environment=False``: they are
not part of the episode's return, and evaluations do not have them.
``rlviz.learning.environments.reward_components`` says how an environment and a bonus report their parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

REWARD = "reward/"
"""Prefix of the metrics of components."""

OWN = "reward"
"""The component that stands for the whole reward of an environment that does not split it."""

WEIGHTING = "weighting"
"""The component that stands for the difference that weights and caps make (``rlviz.domain.reward_plan``)."""

MOST_COMPONENTS = 32
"""Largest number of components of one environment."""

Components = Mapping[str, float]
"""Values or sums by name."""


class RewardComponent(NamedTuple):
    """The facts of a component.

    Attributes:
        name: Name in ``info["reward_components"]``.
        label: Name to display.
        help: What it rewards or costs.
        of_environment: Whether it is part of the environment's reward. False: training adds it.
        is_task: Whether it rewards the task itself, rather than a step on the way.
        is_bounded: Whether an episode cannot earn it again and again, as with a difference of potentials.
    """

    name: str
    label: str
    help: str
    of_environment: bool = True
    is_task: bool = False
    is_bounded: bool = False

    @property
    def metric(self) -> str:
        return REWARD + self.name


KNOWN: tuple[RewardComponent, ...] = (
    RewardComponent(
        OWN, "Environment's reward", "The reward of an environment that does not split it.", is_task=True
    ),
    RewardComponent(
        "approach",
        "Approach",
        "Points for coming closer to the pad, slower and more upright, and for legs on the ground. They are taken back "
        "when the lander moves away again.",
        is_bounded=True,
    ),
    RewardComponent("landing", "Landing", "100 points for coming to rest.", is_task=True, is_bounded=True),
    RewardComponent("crash", "Crash", "Lost points: 100 for a crash, and for leaving the view."),
    RewardComponent("main_engine", "Main engine", "Fuel of the main engine, which costs points."),
    RewardComponent("side_engine", "Side engines", "Fuel of the side engines, which costs points."),
    RewardComponent("tiles", "Track tiles", "Points for each tile of the track on its first visit.", is_task=True,
                    is_bounded=True),
    RewardComponent("time", "Time", "Lost points for each frame."),
    RewardComponent("off_track", "Left the field", "100 lost points for leaving the field."),
    RewardComponent("progress", "Progress", "Points for moving forward, taken back when moving backward.", is_task=True,
                    is_bounded=True),
    RewardComponent("posture", "Posture", "Points for a level hull, taken back when it tilts.", is_bounded=True),
    RewardComponent("torque", "Torque", "Lost points for the torque of the motors."),
    RewardComponent("fall", "Fall", "100 lost points for a fall."),
    RewardComponent("angle", "Angle", "Lost points for the distance from upright."),
    RewardComponent("speed", "Speed", "Lost points for the angular velocity."),
    RewardComponent("goal", "Goal", "Points for the end of the task.", is_task=True, is_bounded=True),
    RewardComponent("force", "Force", "Lost points for the force of the engine."),
    RewardComponent("rooms", "Rooms", "Points for each room on its first visit.", is_bounded=True),
    RewardComponent("items", "Items", "Points for the sword and the key.", is_bounded=True),
    RewardComponent("ways", "Ways opened", "Points for the brambles, the grate and the door.", is_bounded=True),
    RewardComponent("hearts", "Hearts", "Lost points for each lost heart."),
    RewardComponent(
        "coverage", "Coverage bonus", "A bonus for places that are new in the episode.", of_environment=False
    ),
    RewardComponent(
        "novelty", "Novelty bonus", "A bonus for observations that are hard to predict.", of_environment=False
    ),
    RewardComponent(
        WEIGHTING, "Weights and caps", "What the weights and caps of the run add to the reward, or take away.",
        of_environment=False, is_bounded=True,
    ),
)  # fmt: skip
"""Components with facts of their own. A new bonus needs a line here; any other component may have one."""

_BY_NAME: Mapping[str, RewardComponent] = {component.name: component for component in KNOWN}


def find_component(name: str) -> RewardComponent:
    """Return the facts of a component. One without a line in ``KNOWN`` is the environment's, with a label made of its
    name."""
    known = _BY_NAME.get(name)
    return known if known is not None else RewardComponent(name, label_of(name), "")


def label_of(name: str) -> str:
    """Return a label for a name: ``main_engine`` becomes ``Main engine``."""
    words = name.replace("_", " ").strip() or name
    return words[:1].upper() + words[1:]


def component_of(metric: str) -> RewardComponent | None:
    """Return the component whose metric has that name, or None for other metrics."""
    return find_component(metric.removeprefix(REWARD)) if metric.startswith(REWARD) else None


def component_metrics(sums: Components, episode_return: float) -> dict[str, float]:
    """Return the metrics of an episode's sums: empty unless the reward has more than one component.

    If training adds bonuses to an environment that does not split its reward, the environment's return is the component
    ``reward``.
    """
    if sums and not any(find_component(name).of_environment for name in sums):
        sums = {OWN: episode_return, **sums}
    return {REWARD + name: value for name, value in sums.items()} if len(sums) > 1 else {}
