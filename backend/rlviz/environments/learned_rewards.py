"""The rewards that the policy of a run learned from, as its configuration says."""

from __future__ import annotations

from rlviz.algorithms import ALGORITHMS
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.learned_rewards import LearnedRewards, RewardScale
from rlviz.domain.run_actor import RunActor
from rlviz.environments.custom import environment_of

_NORMALIZED = "It expects in units of normalised rewards, so the return that came is not drawn beside it."
_LIVES = (
    "While it learned, a lost life ended the episode: what it expects ends there too, so the return that came over the "
    "whole game is not drawn beside it."
)
_SIGN = "While it learned, rewards were clipped to −1, 0 and 1; the return that came is counted so as well."
_ENTROPY = "It expects a bonus for the randomness of its actions (entropy) too, which the return that came has not."


def learned_rewards(config: RunConfig) -> LearnedRewards:
    """Of a run in which nothing learns, and of an environment that is not known (any more), those of the environment
    itself."""
    if config.actor is not RunActor.POLICY:
        return LearnedRewards()
    try:
        environment, algorithm = environment_of(config), ALGORITHMS.get(config.algo)
    except InvalidRequest:
        return LearnedRewards()
    scale = RewardScale.SIGN if environment.options.clips_rewards else RewardScale.RAW
    if config.hyperparameters.get("normalize_rewards"):
        scale = RewardScale.NORMALIZED
    lives = environment.has_lives and environment.options.ends_at_lost_life
    comparable = scale is not RewardScale.NORMALIZED and not lives
    notes = {
        _NORMALIZED: scale is RewardScale.NORMALIZED,
        _LIVES: lives and scale is not RewardScale.NORMALIZED,
        _SIGN: comparable and scale is RewardScale.SIGN,
        _ENTROPY: comparable and algorithm.entropy_bonus,
    }
    gamma = config.hyperparameters.get("gamma")
    return LearnedRewards(
        gamma=gamma if isinstance(gamma, float | int) else None,
        scale=scale,
        lives_end_episodes=lives,
        entropy_bonus=algorithm.entropy_bonus,
        comparable=comparable,
        note=" ".join(note for note, holds in notes.items() if holds) or None,
    )
