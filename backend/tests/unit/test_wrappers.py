"""Each environment wrapper, on an environment that counts."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from rlviz.learning.environments.wrappers import FrameSkip, NumberedTuple, RawOutcome, StackedPictures, WholeEpisodes


class Counting(gymnasium.Env[Any, Any]):
    """Shows its step count as a grey picture, gives 5 points a step, and ends after ten steps."""

    observation_space = spaces.Box(0, 255, (40, 40, 1), np.uint8)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.count = 0
        return self._picture(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.count += 1
        return self._picture(), 5.0, self.count == 10, False, {}

    def _picture(self) -> Any:
        return np.full((40, 40, 1), self.count, np.uint8)


class Lives(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A learning wrapper: one point a step, an end every fourth step, and no real reset before the real end."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, _, self.over, truncated, info = self.env.step(action)
        return observation, 1.0, self.over or self.env.unwrapped.count % 4 == 0, truncated, info  # type: ignore[attr-defined]

    def reset(self, **keywords: Any) -> tuple[Any, dict[str, Any]]:
        if getattr(self, "over", True):
            return self.env.reset(**keywords)
        return self.env.step(0)[0], {}


def test_complete_episodes_have_the_rewards_and_the_end_of_the_environment() -> None:
    raw = RawOutcome(Counting())
    env = WholeEpisodes(Lives(raw), raw)
    env.reset()
    rewards, over, steps = [], False, 0
    while not over:
        _, reward, over, _, _ = env.step(0)
        rewards.append(reward)
        steps += 1
    assert sum(rewards) == 50, "What the hidden steps of a restart earn counts too"
    assert steps == 8, "Two restarts took a step each"


def test_skipped_frames_add_up_and_end_with_the_episode() -> None:
    env = FrameSkip(Counting(), 4)
    env.reset()
    outcomes = [env.step(0)[1:3] for _ in range(3)]
    assert outcomes == [(20.0, False), (20.0, False), (10.0, True)]


def test_stacked_pictures_are_the_last_ones_with_the_oldest_first() -> None:
    env = StackedPictures(Counting(), 3)
    first, _ = env.reset()
    assert first.shape == env.observation_space.shape == (3, 40, 40)
    env.step(0)
    later = env.step(0)[0]
    assert later[:, 0, 0].tolist() == [0, 1, 2]
    assert first[:, 0, 0].tolist() == [0, 0, 0], "An observation does not change once it was given"
    assert env.reset()[0][:, 0, 0].tolist() == [0, 0, 0]


def test_every_tuple_has_its_own_number() -> None:
    blackjack = NumberedTuple(gymnasium.make("Blackjack-v1"))
    assert blackjack.observation_space == spaces.Discrete(32 * 11 * 2)
    numbers = {blackjack.observation((a, b, c)) for a in range(32) for b in range(11) for c in range(2)}
    assert numbers == set(range(704))
