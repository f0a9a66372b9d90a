"""The service itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.wire import Wire


class StorageProfileInfo(Wire):
    title: str = Field(description="Of the family of environments.")
    records: bool = Field(description="Whether evaluations record their steps unless asked otherwise.")
    frames_every: int = Field(description="Every so many frames are hashed; the last of an episode always is.")
    pictures: bool = Field(description="Whether what the agent saw, if pictures, is kept beside the newest videos.")
    max_bytes: int = Field(description="Records of a run: above, the oldest go; no file grows above.")


class WebhookInfo(Wire):
    """Of what was sent since the service started."""

    address: str = Field(description="Scheme and host: the rest may be secret.")
    waiting: int
    sent: int
    given_up: int
    problem: str | None = Field(description="Of the last attempt; null if it succeeded.")


class Health(Wire):
    status: Literal["ok"] = "ok"
    version: str
    launcher: str
    active_runs: int = Field(description="Runs with a worker.")
    queued_runs: int
    max_concurrent_runs: int
    max_sessions: int = Field(description="Sessions at the same time, at most.")
    free_disk_bytes: int = Field(description="Free space where the runs folder lies.")
    webhook: WebhookInfo | None = Field(description="Where notifications are sent; null: nowhere.")
    missing_extras: list[str] = Field(
        description="Optional parts that are not installed and without which downloads are refused, as in "
        "`pip install 'rlviz[tensorboard]'`."
    )
    storage: dict[str, StorageProfileInfo] = Field(description="How much is kept of what is played, by family.")
