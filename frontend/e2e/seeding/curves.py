"""Learning curves that look like those of real runs, without training."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

Values = dict[str, float | None]


@dataclass(frozen=True)
class Skill:
    """Growth of returns from ``low`` to ``high``, with the midpoint at ``middle`` (a share of the training)."""

    low: float
    high: float
    middle: float = 0.4
    noise: float = 0.18
    """Initial spread of returns, as a share of the whole range."""

    def draw(self, share: float, random: Random) -> float:
        learned = 1 / (1 + math.exp(-14 * (share - self.middle)))
        mean = self.low + (self.high - self.low) * learned
        spread = self.noise * abs(self.high - self.low) * (1 - 0.85 * learned)
        return min(max(self.high, self.low), max(min(self.high, self.low), random.gauss(mean, spread)))


CARTPOLE = Skill(18, 500)


def rows(
    algo: str, skill: Skill, steps: int, total: int, random: Random, first: int = 0
) -> Iterator[tuple[int, Values]]:
    """Yield (step, values) of the metrics journal for environment steps ``first`` to ``steps`` of ``total``."""
    step, index, next_log = first, 0, first
    returns: list[float] = []
    lengths: list[int] = []
    while True:
        share = step / total
        gained = round(skill.draw(share, random), 1 if skill.low < 0 else 0)
        length = max(1, round(abs(gained)))
        step += length
        if step > steps:
            return
        index += 1
        returns, lengths = [*returns[-99:], gained], [*lengths[-99:], length]
        yield step, {"episode/reward": gained, "episode/length": length, "episode/index": index}
        if step >= next_log:
            next_log = step + max(1_000, total // 40)
            yield step, {**_means(returns, lengths), **_LEARNING[algo](step / total, random)}


def _means(returns: list[float], lengths: list[int]) -> Values:
    return {
        "rollout/ep_rew_mean": sum(returns) / len(returns),
        "rollout/ep_len_mean": sum(lengths) / len(lengths),
    }


def _ppo(share: float, random: Random) -> Values:
    return {
        "time/fps": 4_100 + random.uniform(-50, 50),
        "time/recent_fps": 4_000 + random.uniform(-300, 300),
        "train/loss": 20 * math.exp(-3 * share) * random.uniform(0.5, 1.5),
        "train/entropy_loss": -0.69 + 0.35 * share + random.uniform(-0.02, 0.02),
        "train/approx_kl": random.uniform(0.002, 0.012),
        "train/clip_fraction": random.uniform(0.02, 0.14),
        "train/explained_variance": 1 - math.exp(-4 * share) + random.uniform(-0.05, 0.05),
        "train/value_loss": 40 * math.exp(-2 * share) * random.uniform(0.5, 1.5),
        "train/learning_rate": 0.001 * (1 - share),
    }


def _dqn(share: float, random: Random) -> Values:
    return {
        "time/fps": 1_900 + random.uniform(-50, 50),
        "time/recent_fps": 1_850 + random.uniform(-200, 200),
        "rollout/exploration_rate": max(0.04, 1 - share / 0.16),
        "train/loss": 0.02 + random.expovariate(4),
        "train/learning_rate": 0.0023,
        "train/n_updates": float(round(share * 25_000)),
    }


_LEARNING = {"ppo": _ppo, "dqn": _dqn}
