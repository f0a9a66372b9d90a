"""The requests and answers of the API about sessions."""

from __future__ import annotations

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
    greedy: bool = Field(True, description="Take the best action instead of exploring as in training.")


class Session(Wire):
    id: str
    socket: str = Field(description="Path of its WebSocket.")
    mode: SessionMode
    run_id: str | None
    env_id: str
    created_at: Instant
    watched: bool = Field(description="Whether it has a viewer.")
