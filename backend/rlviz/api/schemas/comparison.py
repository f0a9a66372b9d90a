"""Runs side by side."""

from __future__ import annotations

from pydantic import Field, JsonValue

from rlviz.api.schemas.runs import Run
from rlviz.api.schemas.wire import Wire


class ComparedRun(Wire):
    run: Run
    y: list[float | None] = Field(description="Moving average of the return on the common steps; null outside.")
    episodes: int
    best_moving_average: float | None
    best_moving_average_step: int | None
    final_moving_average: float | None
    steps_to_threshold: int | None
    seconds_to_threshold: float | None = Field(description="Seconds of training.")
    stability: float | None = Field(description="Standard deviation of the last 20 returns.")


class ConfigDifference(Wire):
    path: str = Field(description="JSON pointer into config.json.")
    values: dict[str, JsonValue] = Field(description="Value by run id; a run without this setting is left out.")


class Comparison(Wire):
    threshold: float | None
    window: int
    steps: list[float] = Field(description="Common grid of environment steps.")
    runs: list[ComparedRun]
    config_diff: list[ConfigDifference]
