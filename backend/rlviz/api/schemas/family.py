"""The relatives of a run."""

from __future__ import annotations

from pydantic import Field, JsonValue

from rlviz.api.schemas.wire import Wire
from rlviz.domain.status import RunStatus


class SettingChange(Wire):
    name: str = Field(description="A hyperparameter, `seed` or `total_timesteps`.")
    before: JsonValue = Field(description="The parent's; null where the parent is gone.")
    after: JsonValue


class Relative(Wire):
    run_id: str
    deleted: bool
    name: str | None = Field(description="null: it is deleted.")
    status: RunStatus | None
    best_moving_average: float | None
    forked_at: int | None = Field(description="Step at which it left its own parent; null: it has none.")
    changes: list[SettingChange] = Field(description="What was changed at that fork.")


class RunFamily(Wire):
    own: Relative = Field(description="The run itself.")
    parent: Relative | None
    siblings: list[Relative] = Field(description="The other forks of its parent, oldest first; 50 at most.")
    children: list[Relative] = Field(description="Its own forks, oldest first; 50 at most.")
