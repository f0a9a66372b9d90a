"""Models of the metadata in a step records file."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.spaces import SpaceLayout, StateFactor

METADATA = b"rlviz"
"""Key of the Parquet file's metadata, whose value is JSON."""

READING = "reading."
"""Prefix of columns that hold the fields of ``PolicyReading``."""

COMPONENT = "reward."
"""Prefix of columns that hold the components of the reward."""


class RecordedEpisode(LazyModel):
    """The start of an episode: everything to reset the environment in the same way."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    seed: int
    generator: JsonValue = Field(
        None, description="State of the environment's NumPy generator after the reset; null: it has none."
    )


class Components(LazyModel):
    """Names and units of the components of an observation or an action; empty if unknown."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    layout: SpaceLayout
    labels: list[str] = Field([])
    units: list[str] = Field([])
    factors: list[StateFactor] = Field([], description="The quantities that make up the states of a Discrete space.")


class RecordsAbout(LazyModel):
    """The metadata. Episodes are added when they begin; the rest is known before the first row is written."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    schema_version: Literal[1] = 1
    run_id: str
    evaluation_id: str | None = Field(None, description="null: records of a clip.")
    clip_id: str | None = None
    env_id: str
    env_options: dict[str, JsonValue] = Field({})
    deterministic: bool
    frames_every: int = Field(1, ge=1, description="Every n-th frame was hashed.")
    max_steps: int = Field(description="Actions after which an episode is cut off, even if the environment continues.")
    observation: Components
    action: Components
    versions: dict[str, str] = Field({}, description="Versions of the packages that played.")
    episodes: list[RecordedEpisode] = Field([])
    squashed: bool = Field(False, description="Mean and deviation apply before the hyperbolic tangent.")
    quantiles: int | None = Field(None, description="Number of quantiles of each action's return.")
    cut: bool = Field(False, description="The file reached its size limit: later steps were not recorded.")
