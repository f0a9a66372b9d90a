"""Wraps games whose observations are images. Only workers import this."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.atari_wrappers import (
    ClipRewardEnv,
    EpisodicLifeEnv,
    FireResetEnv,
    MaxAndSkipEnv,
    NoopResetEnv,
    StickyActionEnv,
    WarpFrame,
)

from rlviz.learning.environments.atari import FRAME_SKIP, FRAME_STACK, SIDE, AtariOptions
from rlviz.learning.environments.box2d import CarRacingOptions
from rlviz.learning.environments.worlds import NewWorld
from rlviz.learning.environments.wrappers import Env, FrameSkip, StackedPictures


def wrap_atari_steps(env: Env, options: AtariOptions) -> Env:
    """Add the first half of Stable-Baselines3's AtariWrapper: sticky actions, no-ops at the start, four frames each."""
    if options.sticky_actions > 0:
        env = StickyActionEnv(env, options.sticky_actions)
    return MaxAndSkipEnv(NoopResetEnv(env, noop_max=30), skip=FRAME_SKIP)


def wrap_atari_view(env: Env, options: AtariOptions) -> Env:
    """Add its second half (lives as episodes, fire to start, grey 84 × 84 images, clipped rewards) and stack frames."""
    if options.life_loss_ends_episode:
        env = EpisodicLifeEnv(env)
    meanings: list[str] = env.get_wrapper_attr("get_action_meanings")()
    if "FIRE" in meanings:
        env = FireResetEnv(env)
    env = StackedPictures(WarpFrame(env, width=SIDE, height=SIDE), FRAME_STACK)
    return ClipRewardEnv(env) if options.clip_reward else env


def wrap_car_racing_steps(env: Env, options: CarRacingOptions) -> Any:
    return FrameSkip(NewWorld(env), options.frame_skip)


def wrap_car_racing_view(env: Env, options: CarRacingOptions) -> Any:
    side = options.picture_size
    return StackedPictures(WarpFrame(env, width=side, height=side), options.frame_stack)
