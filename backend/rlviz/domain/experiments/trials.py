"""The trials of an experiment: the lines of ``trials.jsonl``, and what they add up to."""

import re
import secrets
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal

from pydantic import ConfigDict, Field

from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.lazy_model import LazyModel

_EXPERIMENT_ID = re.compile(r"exp-[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")


class ExperimentStatus(StrEnum):
    """*stopped* by hand, and can be resumed; *failed*: a trial failed and ``fast-fail`` was asked for."""

    RUNNING = "running"
    STOPPED = "stopped"
    COMPLETED = "completed"
    FAILED = "failed"


class TrialState(StrEnum):
    """What a line says. *begun*: it is about to have that run. *retried*, *lost*: that attempt failed, or was cut off
    from outside, and the trial begins anew. The others are final."""

    BEGUN = "begun"
    SCORED = "scored"
    FAILED = "failed"
    PRUNED = "pruned"
    RETRIED = "retried"
    LOST = "lost"

    @property
    def is_final(self) -> bool:
        return self in (TrialState.SCORED, TrialState.FAILED, TrialState.PRUNED)


class CellStatus(StrEnum):
    """What a trial does now."""

    WAITING = "waiting"
    TRAINING = "training"
    PAUSED = "paused"
    SCORING = "scoring"
    SCORED = "scored"
    FAILED = "failed"
    PRUNED = "pruned"
    SKIPPED = "skipped"


class TrialLine(LazyModel):
    """One line of ``trials.jsonl``; ``seq`` and ``time`` come from the journal."""

    model_config = ConfigDict(frozen=True)

    seq: int = 0
    time: float = 0.0
    trial: int = Field(ge=0)
    variant: str
    label: str = ""
    seed: int
    run_id: str
    attempt: int = Field(ge=1)
    state: TrialState
    score: float | None = None
    policy: PolicyChoice | None = None
    """Which policy of its run the score is of; None: there is no score, or an older version wrote the line."""
    cause: str | None = None


class ExperimentControl(LazyModel):
    """What an experiment shall do: replaced as a whole."""

    model_config = ConfigDict(frozen=True)

    desired: Literal["run", "stop", "end"] = "run"
    cause: str | None = None
    """Why it failed, or was stopped."""
    skipped: str | None = None
    """Why trials that were never begun were left out."""


def new_experiment_id(now: datetime) -> str:
    """For instance ``exp-20261121-014312-7f3a1b``: sorts by time."""
    return f"exp-{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def is_experiment_id(text: str) -> bool:
    return _EXPERIMENT_ID.fullmatch(text) is not None
