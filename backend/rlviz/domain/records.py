"""What the journals hold: one metric record or one event a line."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from rlviz.domain.status import RunStatus

EPISODE_REWARD = "episode/reward"
EPISODE_LENGTH = "episode/length"
EPISODE_INDEX = "episode/index"
EP_REW_MEAN = "rollout/ep_rew_mean"
EP_LEN_MEAN = "rollout/ep_len_mean"
FPS = "time/fps"
RECENT_FPS = "time/recent_fps"
UPDATE_SECONDS = "time/update_seconds"
EVAL_REWARD = "eval/mean_reward"
EVAL_REWARD_STD = "eval/std_reward"
EVAL_EP_LENGTH = "eval/mean_ep_length"


class MetricRecord(BaseModel):
    """A line of ``metrics.jsonl``: the values that were logged at one step."""

    model_config = ConfigDict(frozen=True)

    seq: int = Field(ge=1, description="Position in the journal, from 1, without gaps.")
    time: float = Field(description="Unix time, seconds.")
    step: int = Field(ge=0, description="Environment steps done.")
    values: dict[str, float | None] = Field(
        description="Value by Stable-Baselines3 logger name; null stands for NaN or infinity."
    )


def is_metric(record: Mapping[str, Any] | None) -> bool:
    """Whether a line of ``metrics.jsonl`` says what readers count on. Cheap: looks at no single value."""
    return record is not None and type(record.get("step")) is int and isinstance(record.get("values"), dict)


class EventKind(StrEnum):
    STARTED = "started"  # the worker has read its configuration; data: pid, process_started_at, boot_id
    CHECKPOINT = "checkpoint"  # a policy was saved; data: path, requests
    BEST = "best"  # the best policy so far was kept; data: path, mean_return, std_return, episodes
    WARNING = "warning"  # something the user should know; data: message
    STOPPED = "stopped"  # ended on request; data: path of the model or null
    FINISHED = "finished"  # all timesteps done, or its aim reached; data: path of the model, ended_early if so
    ERROR = "error"  # training raised; data: type, message, traceback
    INTERRUPTED = "interrupted"  # written by the service for a worker that went away; data: cause


ENDINGS: Mapping[EventKind, RunStatus] = {
    EventKind.FINISHED: RunStatus.COMPLETED,
    EventKind.STOPPED: RunStatus.STOPPED,
    EventKind.ERROR: RunStatus.FAILED,
    EventKind.INTERRUPTED: RunStatus.INTERRUPTED,
}
"""Events that end a run, and the status it then has."""


class EventRecord(BaseModel):
    """A line of ``events.jsonl``: one lifecycle event."""

    model_config = ConfigDict(frozen=True)

    seq: int = Field(ge=1)
    time: float = Field(description="Unix time, seconds.")
    event: EventKind
    step: int = Field(ge=0)
    data: dict[str, JsonValue] = Field(default_factory=dict)
