"""The requests and answers of the API about sessions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from rlviz.domain.config import Seed
from rlviz.domain.ids import Instant
from rlviz.domain.limits import DEFAULT_EVALUATION_SEED
from rlviz.domain.sessions import SessionMode
from rlviz.server.wire import Body, Wire


class SessionCreate(Body):
    mode: SessionMode
    run_id: str | None = Field(None, description="A run, for its environment and policies. Give this or env_id.")
    env_id: str | None = Field(None, description="An environment without a run: random actions or a person plays.")
    rom: str | None = Field(
        None, description="With mode `describe`: a game of `GET /games`, played to describe it. Give nothing else."
    )
    env_options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Options of env_id that differ from their defaults."
    )
    checkpoint_step: int | None = Field(
        None, ge=0, description="Play the last saved policy at or before this step; null: always the newest."
    )
    seed: Seed | None = Field(
        None, description=f"Seed of the first episode; each further episode adds 1. null: {DEFAULT_EVALUATION_SEED:,}."
    )
    greedy: bool | None = Field(
        None,
        description="Take the best action instead of exploring as in training; null: as the run evaluates during "
        "training, and greedy without a run.",
    )
    cell: int | None = Field(
        None,
        ge=0,
        description="Cell of the run's map in which each episode begins; null: at the environment's own start. "
        "Episodes that begin in a cell are not stored.",
    )


class CellStart(Wire):
    """Where episodes begin that begin in a cell."""

    kind: Literal["episode", "archive"] = Field(
        description="A step of a recorded episode, which is replayed; or a state in the archive of a snapshot."
    )
    evaluation_id: str | None = Field(None, description="Null for a state in the archive.")
    episode: int | None = Field(None, description="Number of the episode in the evaluation, from 0.")
    index: int | None = Field(None, description="The step that reaches the cell.")
    snapshot: str | None = Field(None, description="Name of the snapshot; null for a recorded episode.")
    is_certain: bool = Field(
        True,
        description="False if the snapshot may be older than the first visit to the cell, so that its archive may have "
        "no state of it.",
    )


class MapCellDetails(Wire):
    """What a run knows of a cell of its map."""

    run_id: str
    id: int = Field(description="Cells are counted from 0, row by row.")
    x: int = Field(description="Column, from the left.")
    y: int = Field(description="Row, from the top.")
    room: int = Field(description="Place of its room in the map's `rooms`.")
    visits: int = Field(description="Steps of training that ended there, and episodes that began there.")
    episodes: int = Field(description="Episodes of training that visited it.")
    first_visit_after: int | None = Field(
        description="Step of the last map without a visit; null: none, or never visited."
    )
    first_visit_by: int | None = Field(description="Step of the first map with a visit; null: never visited.")
    is_archived: bool = Field(description="Whether the archive has a state of it, in which a fork can begin at once.")
    start: CellStart | None = Field(description="Where a session begins there; null: no state of the cell is known.")
    why_no_start: str | None = Field(description="Why there is none, and what helps.")


class Session(Wire):
    id: str
    socket: str = Field(description="Path of its WebSocket.")
    mode: SessionMode
    run_id: str | None
    env_id: str
    created_at: Instant
    watched: bool = Field(description="Whether it has a viewer.")
