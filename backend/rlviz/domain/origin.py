"""Origin: where an imported run came from."""

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel

ORIGIN = "origin.json"

MOST_LEFT_OUT = 50
"""Maximum number of skipped files that an origin lists."""


class LeftOut(LazyModel):
    """A file of a bundle that the import skipped."""

    model_config = ConfigDict(frozen=True)

    path: str = Field(max_length=500)
    why: str = Field(max_length=300)


class Origin(LazyModel):
    """``origin.json``, written when a bundle is imported."""

    model_config = ConfigDict(frozen=True)

    file: str = Field(max_length=300, description="Name of the imported file.")
    run_id: str = Field(max_length=200, description="Id of the original run.")
    made_by: str = Field(max_length=200, description="Version that wrote the file.")
    exported_at: float = Field(description="Unix seconds.")
    imported_at: float = Field(description="Unix seconds.")
    config_sha256: str = Field(max_length=64, description="SHA-256 of config.json in the bundle.")
    entry_points: dict[str, str] = Field(
        default_factory=dict,
        description="Python files or modules that its configurations name as environments, by the path of the "
        "configuration. They are removed from it until you trust the run.",
    )
    left_out: list[LeftOut] = Field(
        default_factory=list, max_length=MOST_LEFT_OUT, description="The first skipped files."
    )
    left_out_count: int = Field(0, description="Number of skipped files.")
