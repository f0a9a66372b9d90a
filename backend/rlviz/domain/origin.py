"""Origin: where a run came from that was imported."""

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel

ORIGIN = "origin.json"

MOST_LEFT_OUT = 50
"""Files that an origin names of those that were left out."""


class LeftOut(LazyModel):
    """A file of a bundle that the import did not take."""

    model_config = ConfigDict(frozen=True)

    path: str = Field(max_length=500)
    why: str = Field(max_length=300)


class Origin(LazyModel):
    """``origin.json``: written by the import of a bundle."""

    model_config = ConfigDict(frozen=True)

    file: str = Field(max_length=300, description="Name of the file that was imported.")
    run_id: str = Field(max_length=200, description="Id of the run where it was made.")
    made_by: str = Field(max_length=200, description="Version that wrote the file.")
    exported_at: float = Field(description="Unix seconds.")
    imported_at: float = Field(description="Unix seconds.")
    config_sha256: str = Field(max_length=64, description="Of its config.json as it was bundled.")
    entry_points: dict[str, str] = Field(
        default_factory=dict,
        description="Environments that its configurations name by a Python file or module, by the path of the "
        "configuration. They are taken out of it until the run is trusted.",
    )
    left_out: list[LeftOut] = Field(
        default_factory=list, max_length=MOST_LEFT_OUT, description="Files that were not taken, the first ones."
    )
    left_out_count: int = Field(0, description="How many were not taken.")
