"""Trust: what a run from elsewhere holds, and whether it may be used."""

from __future__ import annotations

from pydantic import Field

from rlviz.domain.ids import Instant
from rlviz.domain.origin import LeftOut
from rlviz.rundir.standing import Standing
from rlviz.server.wire import Body, Wire


class CameFrom(Wire):
    """The bundle that a run was imported from."""

    file: str = Field(description="Name of the file.")
    run_id: str = Field(description="Id of the run where it was made.")
    made_by: str = Field(description="Version that wrote it.")
    exported_at: Instant
    imported_at: Instant
    left_out: list[LeftOut] = Field(description="Files that were not taken, the first 50.")
    left_out_count: int = Field(description="How many were not taken.")


class RunTrust(Wire):
    run_id: str
    standing: Standing = Field(
        description="own: made here; trusted: made elsewhere, and you said that it may be used; found: in the runs "
        "folder without your mark, and yours once you use it; untrusted: made elsewhere, and nothing that it holds is "
        "used."
    )
    content_hash: str | None = Field(
        description="SHA-256 of the whole content, to be sent when it is trusted; null for one that was made here."
    )
    files: int = Field(description="Files of that content.")
    size_bytes: int
    entry_points: list[str] = Field(description="Python files or modules that are imported to make its environment.")
    policies: int = Field(description="Files of policies, which hold pickled Python.")
    snapshots: int = Field(description="Files of snapshots, which hold pickled Python.")
    came_from: CameFrom | None = Field(description="null: it was not imported from a bundle.")


class TrustRun(Body):
    content_hash: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="Of what was looked at: trusted is that, and nothing else."
    )
