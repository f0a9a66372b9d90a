"""The classic control family: small physical systems with a few numbers as observations."""

from __future__ import annotations

from pydantic import Field

from rlviz.domain.spaces import box, discrete
from rlviz.learning.environments.base import (
    LEFT,
    RIGHT,
    Environment,
    Family,
    Options,
    Push,
    box_controls,
    discrete_controls,
)
from rlviz.learning.environments.cells import car_world

_FAMILY = Family(
    "classic-control", "Classic control", requires=("pygame",), install="pip install 'gymnasium[classic-control]'"
)


class PendulumOptions(Options):
    g: float = Field(10.0, ge=0, le=30, description="Gravity in metres per second squared.")


CARTPOLE = Environment(
    id="CartPole-v1",
    name="CartPole",
    family=_FAMILY,
    summary="Balance a pole on a cart by pushing left or right. Each step that it stays up earns 1 point.",
    sees="The positions and speeds of cart and pole: four numbers.",
    does="Pushes the cart to the left or to the right.",
    observation_space=box(
        "cart position",
        "cart velocity",
        "pole angle",
        "pole angular velocity",
        units=("m", "m/s", "rad", "rad/s"),
    ),
    action_space=discrete(2, "push left", "push right"),
    controls=discrete_controls({0: LEFT, 1: RIGHT}, ("push left", "push right")),
    reward_threshold=475.0,
    max_episode_steps=500,
    render_fps=50,
)

ACROBOT = Environment(
    id="Acrobot-v1",
    name="Acrobot",
    family=_FAMILY,
    summary="Swing a two-link arm until its tip is above the bar. Each step costs 1 point.",
    sees="The angles of both links, as sine and cosine, and their speeds: six numbers.",
    does="Turns the joint between the links one way, the other way, or not at all.",
    observation_space=box(
        "cos θ1",
        "sin θ1",
        "cos θ2",
        "sin θ2",
        "angular velocity θ1",
        "angular velocity θ2",
        units=("", "", "", "", "rad/s", "rad/s"),
    ),
    action_space=discrete(3, "torque −1", "no torque", "torque +1"),
    controls=discrete_controls({0: LEFT, 2: RIGHT}, ("torque −1", "no torque", "torque +1"), neutral=1),
    reward_threshold=-100.0,
    max_episode_steps=500,
    render_fps=15,
)

MOUNTAIN_CAR = Environment(
    id="MountainCar-v0",
    name="MountainCar",
    family=_FAMILY,
    summary="Rock a car up a hill that is too steep for it. Each step costs 1 point.",
    sees="The position and speed of the car: two numbers.",
    does="Pushes left, coasts, or pushes right.",
    observation_space=box("position", "velocity", units=("", "1/step")),
    action_space=discrete(3, "push left", "coast", "push right"),
    controls=discrete_controls({0: LEFT, 2: RIGHT}, ("push left", "coast", "push right"), neutral=1),
    reward_threshold=-110.0,
    world=car_world(),
    max_episode_steps=200,
    render_fps=30,
)

MOUNTAIN_CAR_CONTINUOUS = Environment(
    id="MountainCarContinuous-v0",
    name="MountainCar Continuous",
    family=_FAMILY,
    summary="Rock a car up a hill with as little force as possible. 100 points at the top, minus the fuel used.",
    sees="The position and speed of the car: two numbers.",
    does="Pushes with any force from full left to full right.",
    observation_space=box("position", "velocity", units=("", "1/step")),
    action_space=box("force", units=("",)),
    controls=box_controls([Push(LEFT, -1, "push left"), Push(RIGHT, 1, "push right")]),
    reward_threshold=90.0,
    world=car_world(),
    max_episode_steps=999,
    render_fps=30,
    reward_components=("goal", "force"),
    reward_splitter="rlviz.learning.environments.split_rewards:MountainCarContinuousReward",
)

PENDULUM = Environment(
    id="Pendulum-v1",
    name="Pendulum",
    family=_FAMILY,
    summary="Swing a pendulum upright and hold it there. Angle, speed and torque cost points.",
    sees="The position of the tip and its speed: three numbers.",
    does="Turns the joint with any torque from −2 to 2.",
    observation_space=box("cos θ", "sin θ", "angular velocity", units=("", "", "rad/s")),
    action_space=box("torque", units=("N m",)),
    controls=box_controls([Push(LEFT, 2, "turn left"), Push(RIGHT, -2, "turn right")]),
    reward_threshold=None,
    max_episode_steps=200,
    render_fps=30,
    options=PendulumOptions(),
    reward_components=("angle", "speed", "torque"),
    reward_splitter="rlviz.learning.environments.split_rewards:PendulumReward",
)
