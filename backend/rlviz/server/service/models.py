"""The service itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from rlviz.domain.recording import Detail
from rlviz.server.wire import Wire


class StorageProfileInfo(Wire):
    title: str = Field(description="Of the family of environments.")
    detail: Detail = Field(description="How much is recorded, unless it is chosen for a run.")
    frames_every: int = Field(
        description="At standard detail every so many frames are hashed; the last of an episode always is."
    )
    pictures: bool = Field(description="Whether what the agent saw, if pictures, is kept beside the newest videos.")
    max_bytes: int = Field(description="Records of a run: above, the oldest go; no file grows above.")
    keep_frames_every: int = Field(description="At full detail every so many frames are kept as pictures.")
    keep_frames_bytes: int = Field(description="Frames kept as pictures, of a run: above, the oldest go.")
    most_cost: float = Field(
        description="Time that recording may take, as a share of the time without it: above, the detail is lowered."
    )
    most_cost_in_training: float = Field(description="The same where a policy is trained meanwhile.")
    keeps: dict[Detail, str] = Field(description="What is kept at each detail, in a sentence.")


class SettingInfo(Wire):
    """A setting that the service runs with."""

    name: str
    variable: str = Field(description="The environment variable that sets it.")
    value: JsonValue = Field(description="Secrets are hidden.")
    unit: Literal["bytes"] | None
    source: str = Field(description="Where it was set: flag, environment, .env, a file with the line, or default.")
    description: str


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
    storage_warnings: list[str] = Field(
        description="A sentence each: what was at 80 % of what it may take, or beyond, when that was last measured."
    )
    webhook: WebhookInfo | None = Field(description="Where notifications are sent; null: nowhere.")
    storage: dict[str, StorageProfileInfo] = Field(description="How much is kept of what is played, by family.")
