"""The Box2D family: rigid bodies with thrusters, legs and wheels."""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field

from rlviz.domain.spaces import box, discrete
from rlviz.learning.environments.base import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    Environment,
    Family,
    Options,
    Push,
    box_controls,
    discrete_controls,
)

_FAMILY = Family(
    "box2d",
    "Box2D",
    requires=("Box2D", "pygame", "cv2"),
    install="pip install 'gymnasium[box2d]' opencv-python-headless",
)
_LANDER_DOES = ("no engine", "left engine", "main engine", "right engine")
_LEGS = ("left", "right")
_WALKER_SEES = (
    "hull angle",
    "hull angular velocity",
    "x velocity",
    "y velocity",
    *(
        f"{leg} {part}"
        for leg in _LEGS
        for part in ("hip angle", "hip speed", "knee angle", "knee speed", "leg touches")
    ),
    *(f"lidar {ray}" for ray in range(1, 11)),
)
_WALKER_UNITS = ("rad", "× 25 rad/s", "", "", *(("rad", "", "rad", "", "") * 2), *("of its range",) * 10)
_RACE_FRAMES = 1_000
_RACE_FPS = 50


class LunarLanderOptions(Options):
    continuous: bool = Field(False, description="Continuous engine power from −1 to 1 instead of on/off engines.")
    gravity: float = Field(-10.0, gt=-12, lt=0, description="Gravity, downwards.")
    enable_wind: bool = Field(False, description="Wind and turbulence push the lander.")
    wind_power: float = Field(15.0, ge=0, le=20, description="Strength of the wind, if there is wind.")
    turbulence_power: float = Field(1.5, ge=0, le=2, description="Strength of the turbulence, if there is wind.")

    def consequences(self) -> dict[str, Any]:
        if not self.continuous:
            return {}
        return {
            "action_space": box("main engine", "side engines", units=("", "")),
            "controls": box_controls(
                [Push(UP, 1, "main engine")],
                [Push(LEFT, -1, "left engine"), Push(RIGHT, 1, "right engine")],
                neutral=(-1, 0),  # at 0 and below, the main engine is off
            ),
        }


class BipedalWalkerOptions(Options):
    hardcore: bool = Field(False, description="Ladders, stumps and pitfalls in the way.")

    def consequences(self) -> dict[str, Any]:
        return {"max_episode_steps": 2_000} if self.hardcore else {}

    def make_arguments(self) -> dict[str, Any]:
        return {**self.model_dump(), "max_episode_steps": 2_000 if self.hardcore else 1_600}


class CarRacingOptions(Options):
    continuous: bool = Field(True, description="Continuous steering, gas and brake. If off: five discrete actions.")
    domain_randomize: bool = Field(False, description="New colours of track and grass in each episode.")
    lap_complete_percent: float = Field(
        0.95, gt=0, le=1, description="Share of the track tiles that must be visited to complete a lap."
    )
    frame_skip: int = Field(2, ge=1, le=8, description="Frames for which each action is held.")
    frame_stack: int = Field(
        2, ge=1, le=8, description="Number of stacked frames in an observation. Stacking makes speed visible."
    )
    picture_size: int = Field(64, ge=36, le=96, description="Width and height of each frame in pixels.")

    def consequences(self) -> dict[str, Any]:
        changed: dict[str, Any] = {
            "observation_space": box(shape=(self.frame_stack, self.picture_size, self.picture_size), dtype="uint8"),
            "max_episode_steps": math.ceil(_RACE_FRAMES / self.frame_skip),
            "render_fps": max(1, round(_RACE_FPS / self.frame_skip)),
        }
        if not self.continuous:
            does = ("coast", "steer right", "steer left", "gas", "brake")
            changed["action_space"] = discrete(5, *does)
            changed["controls"] = discrete_controls({1: RIGHT, 2: LEFT, 3: UP, 4: DOWN}, does, neutral=0)
        return changed

    def make_arguments(self) -> dict[str, Any]:
        return self.model_dump(include={"continuous", "domain_randomize", "lap_complete_percent"})


LUNAR_LANDER = Environment(
    id="LunarLander-v3",
    name="LunarLander",
    family=_FAMILY,
    summary="Land between two flags, softly and upright. Points for approach and landing. "
    "Fuel and crashes cost points.",
    sees="Position, speed, tilt and whether each leg touches the ground: eight numbers.",
    does="Fires its main engine, one of its side engines, or none.",
    observation_space=box(
        "x",
        "y",
        "x velocity",
        "y velocity",
        "angle",
        "angular velocity",
        "left leg touches",
        "right leg touches",
        units=("half widths", "half heights", "", "", "rad", "× 2.5 rad/s", "", ""),
    ),
    action_space=discrete(4, *_LANDER_DOES),
    controls=discrete_controls({1: LEFT, 2: UP, 3: RIGHT}, _LANDER_DOES, neutral=0),
    reward_threshold=200.0,
    max_episode_steps=1_000,
    render_fps=50,
    options=LunarLanderOptions(),
    reward_components=("approach", "main_engine", "side_engine", "landing", "crash"),
    reward_splitter="rlviz.learning.environments.split_rewards:LunarLanderReward",
    step_wrapper="rlviz.learning.environments.worlds:wrap_aging_exhaust",
    state_wrapper="rlviz.learning.environments.state:wrap_replayed",
)

BIPEDAL_WALKER = Environment(
    id="BipedalWalker-v3",
    name="BipedalWalker",
    family=_FAMILY,
    summary="Teach two legs to walk. Points for moving forward. Motor torque costs points, and a fall costs 100.",
    sees="The state of hull and joints, and ten distances measured ahead: 24 numbers.",
    does="Turns both hips and both knees with any torque from −1 to 1.",
    observation_space=box(*_WALKER_SEES, units=_WALKER_UNITS),
    action_space=box("left hip", "left knee", "right hip", "right knee", units=("",) * 4),
    controls=box_controls(
        [Push("KeyQ", 1, "left hip +"), Push("KeyA", -1, "left hip −")],
        [Push("KeyW", 1, "left knee +"), Push("KeyS", -1, "left knee −")],
        [Push("KeyI", 1, "right hip +"), Push("KeyK", -1, "right hip −")],
        [Push("KeyO", 1, "right knee +"), Push("KeyL", -1, "right knee −")],
    ),
    reward_threshold=300.0,
    max_episode_steps=1_600,
    render_fps=50,
    options=BipedalWalkerOptions(),
    reward_components=("progress", "posture", "torque", "fall"),
    reward_splitter="rlviz.learning.environments.split_rewards:BipedalWalkerReward",
    step_wrapper="rlviz.learning.environments.worlds:wrap_new_world",
    state_wrapper="rlviz.learning.environments.state:wrap_replayed",
)

CAR_RACING = Environment(
    id="CarRacing-v3",
    name="CarRacing",
    family=_FAMILY,
    summary="Drive a lap, seen from above. Points for each track tile visited. Time costs points.",
    sees="Small grey images of the track around the car: the newest few frames, stacked.",
    does="Steers, accelerates and brakes.",
    observation_space=box(shape=(2, 64, 64), dtype="uint8"),
    action_space=box("steering", "gas", "brake", units=("",) * 3),
    controls=box_controls(
        [Push(LEFT, -1, "steer left"), Push(RIGHT, 1, "steer right")],
        [Push(UP, 1, "gas")],
        [Push(DOWN, 1, "brake")],
    ),
    reward_threshold=900.0,
    max_episode_steps=_RACE_FRAMES // 2,
    render_fps=_RACE_FPS // 2,
    options=CarRacingOptions(),
    reward_components=("tiles", "time", "off_track"),
    reward_splitter="rlviz.learning.environments.split_rewards:CarRacingReward",
    step_wrapper="rlviz.learning.environments.pictures:wrap_car_racing_steps",
    state_wrapper="rlviz.learning.environments.state:wrap_replayed_unseen",
    observation_wrapper="rlviz.learning.environments.pictures:wrap_car_racing_view",
)
