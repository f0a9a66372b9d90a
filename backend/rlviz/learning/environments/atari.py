"""Atari 2600 games through the Arcade Learning Environment (Bellemare et al., 2013, https://arxiv.org/abs/1207.4708).

The settings follow Machado et al. (2018, https://arxiv.org/abs/1709.06009). The wrappers are those of
Stable-Baselines3's AtariWrapper: four frames per step, and the last four grey pictures of 84 × 84 as observation.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from rlviz.domain.spaces import Space, box, discrete
from rlviz.learning.environments.base import (
    DOWN,
    LEFT,
    RIGHT,
    SPACE,
    UP,
    Environment,
    Family,
    KeysByAction,
    Options,
    discrete_controls,
)

CONSOLE_FPS = 60
"""Frames per second of an Atari 2600 on an NTSC television; Gymnasium's metadata say 30 regardless of frame skipping.
"""
FRAME_SKIP = 4
FRAME_STACK = 4
SIDE = 84
MOST_FRAMES = 108_000
"""Half an hour of play, after which the emulator ends the episode."""

_FAMILY = Family("atari", "Atari", requires=("ale_py", "cv2"), install="pip install ale-py opencv-python-headless")

_DIRECTIONS = ((UP,), (RIGHT,), (LEFT,), (DOWN,), (UP, RIGHT), (UP, LEFT), (DOWN, RIGHT), (DOWN, LEFT))
_DIRECTION_NAMES = ("up", "right", "left", "down", "up right", "up left", "down right", "down left")
_JOYSTICK = ("nothing", "fire", *_DIRECTION_NAMES, *(f"fire and {name}" for name in _DIRECTION_NAMES))
"""All positions, in the order of the Arcade Learning Environment's actions."""
_JOYSTICK_KEYS = discrete_controls(
    dict(enumerate(((SPACE,), *_DIRECTIONS, *((*keys, SPACE) for keys in _DIRECTIONS)), start=1)),
    _JOYSTICK,
    neutral=0,
)


class AtariOptions(Options):
    sticky_actions: float = Field(
        0.25,
        ge=0,
        lt=1,
        description="Probability in each frame that the last action is repeated, so that the agent cannot memorise a "
        "sequence of actions.",
    )
    full_action_space: bool = Field(
        False, description="All 18 positions of the joystick, not only those that the game uses."
    )
    life_loss_ends_episode: bool = Field(True, description="During training, a lost life ends the episode.")
    clip_reward: bool = Field(True, description="During training, only the sign of each reward counts.")

    def consequences(self) -> dict[str, Any]:
        return {"action_space": discrete(18, *_JOYSTICK), "controls": _JOYSTICK_KEYS} if self.full_action_space else {}

    @property
    def clips_rewards(self) -> bool:
        return self.clip_reward

    @property
    def ends_at_lost_life(self) -> bool:
        return self.life_loss_ends_episode

    def make_arguments(self) -> dict[str, Any]:
        """Turn off frame skipping and sticky actions in the emulator, because the wrappers do both.

        The emulator's copy of its state would not include the held action.
        """
        return {
            "frameskip": 1,
            "repeat_action_probability": 0.0,
            "full_action_space": self.full_action_space,
        }


def _game(
    name: str, summary: str, does: str, action_space: Space, keys: KeysByAction, *, has_lives: bool
) -> Environment:
    return Environment(
        id=f"ALE/{name}-v5",
        gymnasium_id=f"ale_py:ALE/{name}-v5",
        name=name,
        family=_FAMILY,
        summary=summary,
        sees="The last four frames of the screen, small and grey.",
        does=does,
        observation_space=box(shape=(FRAME_STACK, SIDE, SIDE), dtype="uint8"),
        action_space=action_space,
        controls=discrete_controls(keys, action_space.labels, neutral=0),
        reward_threshold=None,
        max_episode_steps=MOST_FRAMES // FRAME_SKIP,
        render_fps=CONSOLE_FPS // FRAME_SKIP,
        has_lives=has_lives,
        options=AtariOptions(),
        step_wrapper="rlviz.learning.environments.pictures:wrap_atari_steps",
        state_wrapper="rlviz.learning.environments.emulator:wrap_saved_emulator",
        observation_wrapper="rlviz.learning.environments.pictures:wrap_atari_view",
    )


PONG = _game(
    "Pong",
    "Table tennis against the machine, up to 21. Each ball won earns 1 point, each ball lost costs 1 point.",
    "Moves its paddle up or down, or serves.",
    discrete(6, "nothing", "fire", "up", "down", "fire and up", "fire and down"),
    {2: UP, 3: DOWN, 1: SPACE, 4: (UP, SPACE), 5: (DOWN, SPACE)},
    has_lives=False,
)

BREAKOUT = _game(
    "Breakout",
    "Clear a wall of bricks with a ball and five lives. Higher bricks earn more points.",
    "Moves its paddle left or right, or serves.",
    discrete(4, "nothing", "fire", "right", "left"),
    {3: LEFT, 2: RIGHT, 1: SPACE},
    has_lives=True,
)
