"""Step records of an evaluation."""

from __future__ import annotations

from pydantic import Field, JsonValue

from rlviz.api.schemas.choices import StateFactorInfo
from rlviz.api.schemas.wire import Wire


class StepComponents(Wire):
    """What the numbers of an observation or of an action are."""

    kind: str = Field(description="The space's class name.")
    numbers: int = Field(description="How many numbers of each are recorded; 0: only a hash.")
    labels: list[str] = Field(description="Their names, or those of the actions; empty if nobody has named them.")
    units: list[str]
    low: list[float | None] | None = Field(
        description="The least of each number of a Box, in the environment's own units; null for one without bound."
    )
    high: list[float | None] | None = Field(description="And the greatest.")
    factors: list[StateFactorInfo] = Field(
        description="The quantities that states number, the last one changing from each state to the next; else empty."
    )
    starts: list[int] | None = Field(
        description="The least action of a Discrete space, which the first label names, or the least value of each "
        "number of a MultiDiscrete."
    )
    n: int | None = Field(description="How many elements a Discrete space has, named or not.")
    counts: list[int] = Field(description="How many values each number of a MultiDiscrete has; empty for other spaces.")


class StepsInfo(Wire):
    """What the file of step records says of itself."""

    env_id: str
    family: str = Field(description="Family of the environment, by which `GET /health` says what is kept.")
    names: list[str] = Field(description="Its columns.")
    observation: StepComponents
    action: StepComponents
    seeds: list[int] = Field(description="Of each episode.")
    frames_every: int = Field(description="Every so many frames were hashed, and the last of each episode.")
    squashed: bool = Field(description="Mean and deviation lie before the hyperbolic tangent.")
    cut: bool = Field(description="The file reached the size it may have: later steps are missing.")
    versions: dict[str, str]


class StepColumns(Wire):
    """Records that were found, a list a column."""

    run_id: str
    evaluation_id: str | None = Field(description="null: the records are those of a clip.")
    clip_id: str | None
    info: StepsInfo
    total: int = Field(description="Records that were found.")
    start: int = Field(description="Place of the first that is here among them.")
    stop: int = Field(description="Place after the last that is here: below `total` and what was asked for, ask on.")
    columns: dict[str, list[JsonValue]] = Field(
        description="By name, each of the same length, as in a step record. Numbers that are not finite are null."
    )
