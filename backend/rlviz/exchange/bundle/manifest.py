"""Manifest: what a bundle holds, and which files of a run folder go into one."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.storage_rules import StoredKind
from rlviz.rundir.contents import kind_of

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
MOST_FILES = 100_000

LEFT_OUT = ("control.json", "worker.lock", "heartbeat", "watch/", "sealed/", "film/clips/", "sinks/")
"""What belongs to the machine that trains, or can be made again."""

SNAPSHOTS = frozenset({StoredKind.SNAPSHOTS, StoredKind.REPLAY})

POLICIES = frozenset({StoredKind.POLICIES, StoredKind.FILM}) | SNAPSHOTS
"""Kinds of files that hold a policy: a policy is code, which whoever loads it runs."""


class Member(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, max_length=500)
    bytes: int = Field(ge=0)
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(LazyModel):
    """What a bundle holds."""

    model_config = ConfigDict(frozen=True)

    schema_version: int
    run_id: str
    made_by: str = Field(description="The version of RL Gym Visualizer that made it.")
    made_at: float = Field(description="Unix seconds.")
    files: list[Member] = Field(max_length=MOST_FILES)


def is_policy(path: str) -> bool:
    return kind_of(path) in POLICIES or (path.startswith("eval/") and path.endswith(".zip"))
