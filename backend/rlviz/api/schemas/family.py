"""The relatives of a run."""

from __future__ import annotations

from pydantic import Field, JsonValue

from rlviz.api.schemas.wire import Wire
from rlviz.domain.status import RunStatus


class SettingChange(Wire):
    name: str = Field(description="A hyperparameter, an option of the environment, `seed` or `total_timesteps`.")
    before: JsonValue = Field(
        description="What the parent trained with where the fork begins; null where the parent is gone."
    )
    after: JsonValue
    in_parent: bool = Field(
        description="Whether it was changed while the parent trained, from `before`, and the fork went on with that."
    )


class Relative(Wire):
    run_id: str
    deleted: bool
    name: str | None = Field(description="null: it is deleted.")
    status: RunStatus | None
    best_moving_average: float | None
    parent_id: str | None = Field(description="The run that it was forked from; null: it was not.")
    forked_at: int | None = Field(description="The step at which it was.")
    changes: list[SettingChange] = Field(description="What was changed at that fork.")


class RunFamily(Wire):
    run_id: str
    members: list[Relative] = Field(
        description="The run itself, the runs that it was forked from, up to the first, and all that were forked from "
        "any of them. Each comes before its forks, these in the order in which they were made."
    )
    whole: bool = Field(description="Whether that is all of them; at most 100 are listed, the nearest and newest.")
