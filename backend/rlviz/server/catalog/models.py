"""The catalogue's two tables, runs and evaluations. Times are Unix seconds (UTC). See docs/storage.md."""

from __future__ import annotations

from typing import Any, Self

from sqlalchemy import JSON, Column, Index, text
from sqlmodel import Field, SQLModel

from rlviz.domain.config import LastEpisode, Parent, RunActor, actor_of
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, Origin
from rlviz.domain.events import RuleMessages
from rlviz.domain.status import RunStatus
from rlviz.stats.returns import TrainingClock
from rlviz.stats.solved import SolvedAt, SolvedBy


def _json(default: str) -> Column[Any]:
    """Return a column that a later migration added; existing rows get the default."""
    return Column(JSON, nullable=False, server_default=default)


NO_MESSAGES: dict[str, Any] = RuleMessages().model_dump(mode="json")


class RunRow(SQLModel, table=True):
    """One run: an index of its folder for lists, updated while it trains."""

    __tablename__ = "run"
    __table_args__ = (
        Index("ix_run_created_at_id", "created_at", "id"),
        Index("ix_run_status_queued_at", "status", "queued_at"),
        Index("ix_run_algo_created_at", "algo", "created_at"),
        Index("ix_run_env_id_created_at", "env_id", "created_at"),
        Index("ix_run_ep_rew_mean_id", "ep_rew_mean", "id"),
        Index("ix_run_best_moving_average_id", "best_moving_average", "id"),
        Index("ix_run_group_id", "group_id"),
        Index("ix_run_experiment_id_group_id_id", "experiment_id", "group_id", "id"),
    )

    id: str = Field(primary_key=True)
    name: str
    algo: str
    env_id: str
    preset: str | None = None
    seed: int
    group_id: str = Field(default="", sa_column_kwargs={"server_default": text("''")})
    """Id of the first run in a group of runs that differ only in their seed; the run's own id if it is alone."""
    experiment_id: str | None = None
    """The experiment that the run is a trial of."""
    total_timesteps: int
    env_options: dict[str, Any] = Field(default_factory=dict, sa_column=_json(default="{}"))
    tags: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    notes: str = ""

    status: str = RunStatus.CREATED.value
    cause: str | None = None
    traceback: str | None = None
    warnings: int = 0
    last_warning: str | None = None
    rule_messages: dict[str, Any] = Field(default_factory=NO_MESSAGES.copy, sa_column=_json(default='{"count":0}'))
    damage: list[dict[str, Any]] = Field(default_factory=list, sa_column=_json(default="[]"))

    attempt: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    attempts: list[list[float | None]] = Field(default_factory=list, sa_column=_json(default="[]"))
    """Start and end of each attempt; the end is None while it trains. ``clock`` uses it."""
    trained_before: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """Seconds that earlier attempts have trained."""
    core_seconds_before: float | None = None
    """Processor seconds of the attempts that have ended; None if they were not counted. See ``core_seconds``."""
    core_seconds_now: float | None = None
    """Processor seconds of a run that trains, as last measured; None if its worker cannot be measured."""
    parent: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    resumed: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    saves_at: int | None = None
    superseded: list[dict[str, Any]] = Field(default_factory=list, sa_column=_json(default="[]"))
    last_event: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """``seq`` of the newest event."""
    created_at: float
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None

    step: int = 0
    step_at: float | None = None
    end_step: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    update_seconds: float | None = None
    episodes: int = 0
    ep_rew_mean: float | None = None
    ep_len_mean: float | None = None
    fps: float | None = None
    best_moving_average: float | None = None
    best_moving_average_step: int | None = None
    sparkline: list[float] = Field(default_factory=list, sa_column=_json(default="[]"))
    policy_step: int | None = None
    best_policy: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    ended_early: str | None = None
    reward_threshold: float | None = None
    solved_step: int | None = None
    solved_at: float | None = None
    solved_by: str | None = None
    solved_seconds: float | None = None

    worker: str | None = None
    """Worker identity; only the launcher interprets it."""

    is_foreign: bool = Field(default=False, sa_column_kwargs={"server_default": text("0")})

    @property
    def actor(self) -> RunActor:
        return RunActor.FOREIGN if self.is_foreign else actor_of(self.algo)

    @property
    def episodes_before(self) -> list[LastEpisode]:
        """The last episodes before the fork, if the run is one; means over 100 episodes include them."""
        if self.parent is None:
            return []
        return Parent.model_validate(self.parent).last_episodes or []

    @property
    def clock(self) -> TrainingClock:
        return TrainingClock(tuple((start or 0.0, end) for start, end in self.attempts))

    def core_seconds(self, now: float) -> float:
        """Return the processor seconds of training until ``now`` (Unix seconds).

        The current attempt counts with its wall-clock time if its worker cannot be measured. So do all attempts of a
        run that was catalogued before processor seconds were counted.
        """
        if not self.attempts:
            return 0.0
        if self.core_seconds_before is None:
            return self.clock.at(now)
        began, ended = self.attempts[-1]
        if ended is not None:
            return self.core_seconds_before
        if self.core_seconds_now is not None:
            return self.core_seconds_now
        return self.core_seconds_before + max(0.0, now - (began or now))

    @property
    def processor_seconds(self) -> float | None:
        """Processor seconds of the current attempt, as last measured; None if never measured."""
        if self.core_seconds_now is None:
            return None
        return max(0.0, self.core_seconds_now - (self.core_seconds_before or 0.0))

    @property
    def state(self) -> RunStatus:
        return RunStatus(self.status)

    @property
    def solved(self) -> SolvedAt | None:
        """When the run was solved."""
        if self.solved_step is None or self.solved_by is None or self.solved_at is None:
            return None
        return SolvedAt(self.solved_step, SolvedBy(self.solved_by), self.solved_at)


class EvaluationRow(SQLModel, table=True):
    """One evaluation: ``record`` is its JSON file, the other columns are for queries."""

    __tablename__ = "evaluation"
    __table_args__ = (Index("ix_evaluation_status", "status"),)

    run_id: str = Field(primary_key=True, foreign_key="run.id", ondelete="CASCADE")
    id: str = Field(primary_key=True)
    status: str = EvaluationStatus.QUEUED.value
    created_at: float
    return_mean: float | None = None
    length_mean: float | None = None
    record: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    worker: str | None = None
    """Worker identity of its evaluator."""

    @classmethod
    def from_record(cls, record: EvaluationRecord) -> Self:
        row = cls(run_id=record.run_id, id=record.id, created_at=record.created_at.timestamp(), record={})
        row.update_from(record)
        return row

    def update_from(self, record: EvaluationRecord) -> None:
        """Copy ``record`` into the columns."""
        self.status = record.status.value
        self.record = record.model_dump(mode="json")
        if (summary := record.summary) is not None:
            self.return_mean = None if summary.episode_return is None else summary.episode_return.mean
            self.length_mean = None if summary.episode_length is None else summary.episode_length.mean

    @property
    def is_by_run(self) -> bool:
        """Whether the run recorded it without a request."""
        return bool(self.record.get("origin") == Origin.RUN.value)

    def parsed(self) -> EvaluationRecord:
        return EvaluationRecord.model_validate(self.record)
