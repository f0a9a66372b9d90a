"""The answer of ``GET /health``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.domain.recording import Detail
from rlviz.server.notifications.notifier import WebhookInfo
from rlviz.server.wire import Wire


class StorageProfileInfo(Wire):
    title: str = Field(description="Title of the family of environments.")
    detail: Detail = Field(description="Default recording detail of a run.")
    frames_every: int = Field(
        description="At standard detail, one of this many frames is hashed; the last frame of an episode always is."
    )
    pictures: bool = Field(description="Whether the agent's observations, if images, are kept with the newest videos.")
    max_bytes: int = Field(
        description="Limit for the records of a run, and for each file. Above it the oldest records are deleted."
    )
    keep_frames_every: int = Field(description="At full detail, one of this many frames is kept as an image.")
    keep_frames_bytes: int = Field(
        description="Limit for the frames of a run that are kept as images. Above it the oldest are deleted."
    )
    most_cost: float = Field(
        description="Limit for recording time, as a share of the time without it. Above it the detail is lowered."
    )
    most_cost_in_training: float = Field(description="The same limit while a policy trains.")
    keeps: dict[Detail, str] = Field(description="One sentence for each detail on what is kept.")


class Health(Wire):
    status: Literal["ok"] = "ok"
    version: str
    launcher: str
    active_runs: int = Field(description="Runs with a worker.")
    queued_runs: int
    max_concurrent_runs: int
    max_sessions: int = Field(description="Maximum number of sessions at the same time.")
    free_disk_bytes: int = Field(description="Free space on the disk of the runs folder.")
    storage_warnings: list[str] = Field(
        description="One sentence for each limit of storage that was at 80 % or more when last measured."
    )
    settings_problem: str | None = Field(
        description="What is wrong with settings.json of the runs folder, and what to do; null if nothing is."
    )
    webhook: WebhookInfo | None = Field(description="Where notifications are sent; null if nowhere.")
    storage: dict[str, StorageProfileInfo] = Field(description="How much of played episodes is kept, by family.")
