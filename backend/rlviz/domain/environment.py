"""CustomEnvironment: a custom environment, with all that a worker needs to make it again."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from rlviz.domain.spaces import Space


class CustomEnvironment(BaseModel):
    """What probing the class said. Written into ``config.json``, so that a run can be repeated from its folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry_point: str = Field(
        description="`module:Class`, or the absolute path of a file and the class: `/a/b.py:Class`."
    )
    summary: str
    observation_space: Space
    action_space: Space
    reward_threshold: float | None
    max_episode_steps: int | None
    render_fps: int
