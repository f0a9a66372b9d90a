"""The answers of the API about trust: which code a run contains, and whether it may be used here."""

from __future__ import annotations

from pydantic import Field

from rlviz.domain.ids import Instant
from rlviz.domain.origin import LeftOut
from rlviz.rundir.standing import Standing
from rlviz.server.wire import Body, Wire


class CameFrom(Wire):
    """The bundle that a run was imported from."""

    file: str = Field(description="Name of the file.")
    run_id: str = Field(description="Id of the run on the machine that made it.")
    made_by: str = Field(description="Version that wrote the bundle.")
    exported_at: Instant
    imported_at: Instant
    left_out: list[LeftOut] = Field(description="The first 50 files that were not imported.")
    left_out_count: int = Field(description="Number of files that were not imported.")


class RunTrust(Wire):
    run_id: str
    standing: Standing = Field(
        description="own: made here; trusted: made elsewhere, and you trust it; found: in the runs folder without your "
        "mark, which it gets when you use it; untrusted: made elsewhere, and its code is not used."
    )
    content_hash: str | None = Field(
        description="SHA-256 of the whole content. Send it to trust the run. null for a run that was made here."
    )
    files: int = Field(description="Number of files in that content.")
    size_bytes: int
    entry_points: list[str] = Field(description="Python files or modules that are imported for its environment.")
    policies: int = Field(description="Number of policy files, which contain pickled Python.")
    snapshots: int = Field(description="Number of snapshot files, which contain pickled Python.")
    came_from: CameFrom | None = Field(description="null if it was not imported from a bundle.")


class TrustRun(Body):
    content_hash: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="Hash of the content that you inspected. Only this content is trusted."
    )
