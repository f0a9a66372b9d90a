"""Represents custom environments as registry entries, and finds the environment of a run's configuration.

Also describes the rewards that a run's policy learned from.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.environment import CustomEnvironment, LearnedRewards, RewardScale, StateKept
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment, Family
from rlviz.learning.environments.gameboy.family import FAMILY as GAMES
from rlviz.learning.environments.gameboy.own import PREFIX, game_environment

FAMILY = Family("own", "Custom")

_STATE_WRAPPERS = {
    StateKept.ATTRIBUTES: None,
    StateKept.REPLAY: "rlviz.learning.environments.state:wrap_replayed",
    StateKept.NOTHING: "rlviz.learning.environments.state:wrap_without_state",
}


def custom_environment(env_id: str, custom: CustomEnvironment) -> Environment:
    """Return the entry for a probed custom environment: a class, or a game with its default options."""
    if custom.game is not None:
        return game_environment(env_id, custom)
    return Environment(
        id=env_id,
        name=env_id,
        family=FAMILY,
        summary=custom.summary,
        observation_space=custom.observation_space,
        action_space=custom.action_space,
        reward_threshold=custom.reward_threshold,
        max_episode_steps=custom.max_episode_steps,
        render_fps=custom.render_fps,
        sees=f"The observations of {custom.entry_point}.",
        does=f"The actions of {custom.entry_point}.",
        state_wrapper=_STATE_WRAPPERS[custom.state_kept_by],
        reward_components=custom.reward_components,
        custom=custom,
    )


def unknown_environment(
    env_id: str, summary: str = "", reason: str | None = None, family: Family = FAMILY
) -> Environment:
    """Return the entry for a custom environment that is unknown or cannot be used; ``reason`` says why."""
    return Environment(
        id=env_id,
        name=env_id,
        family=family,
        summary=summary,
        observation_space=Space("Unknown"),
        action_space=Space("Unknown"),
        reward_threshold=None,
        max_episode_steps=None,
        render_fps=30,
        unavailable_reason=reason or "It is not configured any more: name it in RLVIZ_ENVIRONMENTS.",
    )


def chosen_environment(env_id: str, custom: CustomEnvironment, env_options: Mapping[str, JsonValue]) -> Environment:
    """Return the entry for a custom environment with these options; only games have some."""
    environment = custom_environment(env_id, custom)
    return environment if custom.game is None else environment.resolve(env_options)


def find_environment(config: RunConfig) -> Environment:
    """Return the environment of a run, with its options. Raises UnknownName if it is not in the registry."""
    if config.custom_environment is not None:
        return chosen_environment(config.env_id, config.custom_environment, config.env_options)
    return ENVIRONMENTS.get(config.env_id).resolve(config.env_options)


def find_family(config: RunConfig) -> str:
    """Return the id of the family of a run's environment; empty if it is no longer in the registry."""
    if (custom := config.custom_environment) is not None:
        return FAMILY.id if custom.game is None else GAMES.id
    return ENVIRONMENTS.get(config.env_id).family.id if config.env_id in ENVIRONMENTS.names() else ""


def find_threshold(config: RunConfig) -> float | None:
    """Return the reward threshold of a run's environment with the run's options.

    None if it has none, or if the environment is not installed.
    """
    try:
        return find_environment(config).reward_threshold
    except InvalidRequest:
        return None


def families() -> dict[str, str]:
    """Return the title of every family of environments by id, custom environments last."""
    return {family.id: family.title for family in (*(entry.family for entry in ENVIRONMENTS), FAMILY)}


def find_family_by_id(env_id: str) -> str:
    """Return the family of the environment with that id; the family of custom ones if it is not in the registry."""
    if env_id in ENVIRONMENTS.names():
        return ENVIRONMENTS.get(env_id).family.id
    return GAMES.id if env_id.startswith(PREFIX) else FAMILY.id


_NORMALIZED = "Its values are in units of normalised rewards, so the actual return is not drawn beside them."
_LIVES = (
    "In training, a lost life ended the episode. Its values end there too, so the actual return of the whole game is "
    "not drawn beside them."
)
_EXPLORES = (
    "In training, rewards for exploration were added. Its values include them, so the actual return is not drawn "
    "beside them."
)
_WEIGHTED = (
    "In training, components of the reward had weights or caps. Its values are of that reward, so the actual return is "
    "not drawn beside them."
)
_SIGN = "In training, rewards were clipped to −1, 0 and 1; the actual return is computed in the same way."
_ENTROPY = "Its values include a bonus for the randomness of its actions (entropy), which the actual return lacks."


def learned_rewards(config: RunConfig) -> LearnedRewards:
    """Return how rewards were changed for learning in a run.

    They are unchanged if nothing learns in the run, or if its environment is no longer known.
    """
    if config.actor is not RunActor.POLICY:
        return LearnedRewards()
    try:
        environment, algorithm = find_environment(config), ALGORITHMS.get(config.algo)
    except InvalidRequest:
        return LearnedRewards()
    scale = RewardScale.SIGN if environment.options.clips_rewards else RewardScale.RAW
    if config.hyperparameters.get("normalize_rewards"):
        scale = RewardScale.NORMALIZED
    explores = config.exploration is not None and config.exploration.adds_reward
    weighted = config.reward is not None and config.reward.is_on
    lives = environment.has_lives and environment.options.ends_at_lost_life
    comparable = scale is not RewardScale.NORMALIZED and not lives and not explores and not weighted
    notes = {
        _NORMALIZED: scale is RewardScale.NORMALIZED,
        _LIVES: lives and scale is not RewardScale.NORMALIZED,
        _EXPLORES: explores and scale is not RewardScale.NORMALIZED and not lives,
        _WEIGHTED: weighted and scale is not RewardScale.NORMALIZED and not lives,
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
