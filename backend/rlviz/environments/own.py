"""A user's own environment as an Environment like any other, and the Environment that a configuration means."""

from __future__ import annotations

from rlviz.domain.config import RunConfig
from rlviz.domain.environment import OwnEnvironment
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment, Family

FAMILY = Family("own", "Your own")


def own_environment(env_id: str, own: OwnEnvironment) -> Environment:
    """The entry of an environment that was probed."""
    return Environment(
        id=env_id,
        name=env_id,
        family=FAMILY,
        summary=own.summary,
        observation_space=own.observation_space,
        action_space=own.action_space,
        reward_threshold=own.reward_threshold,
        max_episode_steps=own.max_episode_steps,
        render_fps=own.render_fps,
        sees=f"What {own.entry_point} shows it.",
        does=f"What {own.entry_point} lets it do.",
        own=own,
    )


def environment_of(config: RunConfig) -> Environment:
    """The environment of a run, with its options. Raises UnknownName for one that is not in the registry."""
    if config.own_environment is not None:
        return own_environment(config.env_id, config.own_environment)
    return ENVIRONMENTS.get(config.env_id).resolve(config.env_options)
