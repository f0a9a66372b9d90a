"""What a file of step records says of itself, in its metadata."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from rlviz.domain.space_layout import SpaceLayout

METADATA = b"rlviz"
"""Under which key of the Parquet file's metadata it stands, as JSON."""

READING = "reading."
"""Columns whose names begin so hold the fields of ``PolicyReading``."""


class RecordedEpisode(BaseModel):
    """How an episode begins again."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    seed: int
    generator: JsonValue = Field(
        None, description="State of the environment's NumPy generator after the reset; null: it has none."
    )


class Components(BaseModel):
    """What the numbers of an observation or an action are called, and in what units; empty: nobody has said."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    layout: SpaceLayout
    labels: list[str] = []
    units: list[str] = []


class RecordsAbout(BaseModel):
    """Besides the episodes, which are added as they begin, it stands before the first row is written."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    schema_version: Literal[1] = 1
    run_id: str
    evaluation_id: str
    env_id: str
    env_options: dict[str, JsonValue] = {}
    deterministic: bool
    frames_every: int = Field(1, ge=1, description="Every so many frames were hashed.")
    max_steps: int = Field(description="Actions after which an episode is cut off, whatever the environment says.")
    observation: Components
    action: Components
    versions: dict[str, str] = Field({}, description="Of the packages that played.")
    episodes: list[RecordedEpisode] = []
    squashed: bool = Field(False, description="Mean and deviation lie before the hyperbolic tangent.")
    quantiles: int | None = Field(None, description="How many there are of each action's return.")
    cut: bool = Field(False, description="The file reached the size it may have: later steps were not recorded.")
