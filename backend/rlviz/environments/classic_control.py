"""Classic control: small physical systems with a handful of numbers to observe."""

from __future__ import annotations

from rlviz.environments.base import Environment, Family, Space

_FAMILY = Family("classic-control", "Classic control")

CARTPOLE = Environment(
    id="CartPole-v1",
    name="CartPole",
    family=_FAMILY,
    summary="Balance a pole on a cart by pushing left or right. One point for every step it stays up.",
    observation_space=Space(
        "Box", shape=(4,), labels=("cart position", "cart velocity", "pole angle", "pole angular velocity")
    ),
    action_space=Space("Discrete", n=2, labels=("push left", "push right")),
    reward_threshold=475.0,
    max_episode_steps=500,
    render_fps=50,
)

ACROBOT = Environment(
    id="Acrobot-v1",
    name="Acrobot",
    family=_FAMILY,
    summary="Swing a two-link arm until its tip is above the bar. One point lost for every step it takes.",
    observation_space=Space(
        "Box",
        shape=(6,),
        labels=("cos θ1", "sin θ1", "cos θ2", "sin θ2", "angular velocity θ1", "angular velocity θ2"),
    ),
    action_space=Space("Discrete", n=3, labels=("torque −1", "no torque", "torque +1")),
    reward_threshold=-100.0,
    max_episode_steps=500,
    render_fps=15,
)
