"""Manifest: what a bundle holds, and which files of a run folder go into one."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.storage_rules import StoredKind
from rlviz.rundir.contents import Role, kind_of, role_of

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
MOST_FILES = 100_000

SNAPSHOTS = frozenset({StoredKind.SNAPSHOTS, StoredKind.REPLAY})


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
    made_by: str = Field(max_length=200, description="The version of RL Gym Visualizer that made it.")
    made_at: float = Field(description="Unix seconds.")
    files: list[Member] = Field(max_length=MOST_FILES)


def is_local(path: str) -> bool:
    """Whether a file is an order to the machine that trains, belongs to that machine, or can be made again."""
    return role_of(path) in (Role.ORDER, Role.LOCAL)


def is_policy(path: str) -> bool:
    """Whether a file holds a policy, or is of use only together with one."""
    return role_of(path) is Role.CODE or kind_of(path) in SNAPSHOTS
