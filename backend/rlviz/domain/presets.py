"""A preset: a named starting point for hyperparameters and training length."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict, JsonValue

from rlviz.domain.config import TotalTimesteps


class PresetId(StrEnum):
    FAST = "fast"
    STABLE = "stable"
    HIGH_SCORE = "high-score"


PRESET_TITLES: Mapping[PresetId, str] = MappingProxyType(
    {PresetId.FAST: "Fast", PresetId.STABLE: "Stable", PresetId.HIGH_SCORE: "High Score"}
)


class Preset(BaseModel):
    """Hyperparameters that differ from the algorithm's defaults, with how long to train."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: PresetId
    summary: str
    total_timesteps: TotalTimesteps
    hyperparameters: dict[str, JsonValue]

    @property
    def title(self) -> str:
        return PRESET_TITLES[self.id]
