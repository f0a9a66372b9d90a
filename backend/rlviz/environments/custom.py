"""Custom environments as registry entries, and looking up the environment of a configuration."""

from __future__ import annotations

from rlviz.domain.config import RunConfig
from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.errors import InvalidRequest
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment, Family, Space

FAMILY = Family("own", "Custom")

_STATE_WRAPPERS = {
    StateKept.ATTRIBUTES: None,
    StateKept.REPLAY: "rlviz.environments.state.replay:replayed",
    StateKept.NOTHING: "rlviz.environments.state.replay:without_state",
}


def custom_environment(env_id: str, custom: CustomEnvironment) -> Environment:
    """The entry for a custom environment that was probed."""
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
        sees=f"What {custom.entry_point} shows it.",
        does=f"What {custom.entry_point} lets it do.",
        state_wrapper=_STATE_WRAPPERS[custom.state_kept_by],
        custom=custom,
    )


def unknown_environment(env_id: str, summary: str = "", reason: str | None = None) -> Environment:
    """The entry for a custom environment that is unknown or cannot be used; ``reason`` says why."""
    return Environment(
        id=env_id,
        name=env_id,
        family=FAMILY,
        summary=summary,
        observation_space=Space("Unknown"),
        action_space=Space("Unknown"),
        reward_threshold=None,
        max_episode_steps=None,
        render_fps=30,
        unavailable_reason=reason or "It is not configured any more: name it in RLVIZ_ENVIRONMENTS.",
    )


def environment_of(config: RunConfig) -> Environment:
    """The environment of a run, with its options. Raises UnknownName if it is not in the registry."""
    if config.custom_environment is not None:
        return custom_environment(config.env_id, config.custom_environment)
    return ENVIRONMENTS.get(config.env_id).resolve(config.env_options)


def family_of(config: RunConfig) -> str:
    """The family of a run's environment; empty if it is not in the registry (any more)."""
    if config.custom_environment is not None:
        return FAMILY.id
    return ENVIRONMENTS.get(config.env_id).family.id if config.env_id in ENVIRONMENTS.names() else ""


def threshold_of(config: RunConfig) -> float | None:
    """The reward threshold of a run's environment with the run's options; None if it has none, and for an environment
    that is not installed (any more)."""
    try:
        return environment_of(config).reward_threshold
    except InvalidRequest:
        return None


def families() -> dict[str, str]:
    """Title of every family of environments by its id, custom ones last."""
    return {family.id: family.title for family in (*(entry.family for entry in ENVIRONMENTS), FAMILY)}


def family_of_id(env_id: str) -> str:
    """The family of the environment with that id; that of custom ones if none is registered under it."""
    return ENVIRONMENTS.get(env_id).family.id if env_id in ENVIRONMENTS.names() else FAMILY.id
