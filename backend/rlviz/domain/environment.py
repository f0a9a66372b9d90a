"""CustomEnvironment: a custom environment, with all that a worker needs to make it again."""

from enum import StrEnum

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.spaces import Space


class StateKept(StrEnum):
    """What the state of an environment is copied by, so that training goes on from it bit for bit."""

    ATTRIBUTES = "attributes"
    """They are all of it."""
    REPLAY = "replay"
    """The actions of its episode are taken again."""
    NOTHING = "nothing"
    """Where training goes on, its episode begins anew."""


class CustomEnvironment(LazyModel):
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
    render_fps: int | float
    state_kept_by: StateKept = Field(
        StateKept.ATTRIBUTES, description="What was found to copy its state, so that training can go on exactly."
    )
    state_problem: str | None = Field(
        None, description="What the tests found, if nothing copies its state; null if something does."
    )
    is_single: bool = Field(False, description="Whether a second one cannot be made beside the first.")
    warnings: tuple[str, ...] = Field(
        (), description="What is odd about it, in sentences. It can be used all the same."
    )


class ProbedEnvironment(LazyModel):
    """What came of probing a class. ``still``: a small picture from within an episode (WebP); None if none was made.
    ``sources``: the files of the user's own code that were imported for it."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    environment: CustomEnvironment
    still: bytes | None = None
    sources: tuple[str, ...] = ()
