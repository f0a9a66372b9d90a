"""The row of a damaged run folder: what can still be read of it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from rlviz.catalog.models import RunRow
from rlviz.domain.config import RunName, Seed, TotalTimesteps
from rlviz.domain.damage import Damage
from rlviz.domain.errors import RunFolderError
from rlviz.domain.ids import created_at_of
from rlviz.domain.records import is_metric
from rlviz.domain.run_actor import RunActor
from rlviz.domain.status import RunStatus
from rlviz.domain.times import Instant
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.inspection import damaged_lines, has_trained, inspect_folder
from rlviz.rundir.repair import broken_lines, is_event
from rlviz.services.projection.run_projection import columns_by_journal, lost

UNKNOWN = "unknown"
"""Stands for an algorithm or environment that cannot be read."""

ENDING_LOST = "How the run ended is not known any more: what its events said of it is lost."

COLUMNS_FROM: dict[str, Collection[str]] = {
    "config.json": (
        *("algo", "env_id", "env_options", "preset", "seed", "total_timesteps", "end_step", "created_at"),
        "reward_threshold",
    ),
    "labels.json": ("name", "tags", "notes"),
    **columns_by_journal(),
    "best_model.zip": ("best_policy",),
}
"""The columns that each file provides."""

_NO_RECORD = "It is not a record, and was left out."
_NO_EVENT = "It is not an event, and was left out."


def find_damage(folder: RunFolder, *, lines: bool = True) -> list[Damage]:
    """All damage of ``folder``; with ``lines`` also that of lines of its journals, which are read for it."""
    found = inspect_folder(folder)
    if not lines:
        return found
    for path, is_readable, problem in (
        (folder.events_path, is_event, _NO_EVENT),
        (folder.metrics_path, is_metric, _NO_RECORD),
    ):
        try:
            found += damaged_lines(path, broken_lines(path, is_readable), problem)
        except (FileNotFoundError, RunFolderError):  # reported already, or missing
            continue
    return found


def note_damage(row: RunRow, damage: list[Damage]) -> None:
    row.damage = [one.model_dump() for one in damage]


def rescued_row(folder: RunFolder) -> RunRow:
    """A new row for a run whose configuration is invalid, with each of its values that is valid by itself."""
    values = _values(folder)
    total_timesteps = _valid(TotalTimesteps, values.get("total_timesteps"), 0)
    return RunRow(
        id=folder.run_id,
        is_foreign=values.get("actor") == RunActor.FOREIGN,
        name=_valid(RunName, values.get("name"), folder.run_id),
        algo=_valid(RunName, values.get("algo"), UNKNOWN),
        env_id=_valid(RunName, values.get("env_id"), UNKNOWN),
        seed=_valid(Seed, values.get("seed"), 0),
        group_id=folder.run_id,
        total_timesteps=total_timesteps,
        end_step=total_timesteps,
        created_at=_created_at(folder, values.get("created_at")),
    )


def readable_labels(folder: RunFolder, name: str) -> Labels:
    """The labels of a run; only ``name`` if they cannot be read."""
    try:
        return folder.read_labels()
    except RunFolderError:
        return Labels(name=name)


def keep_known(now: RunRow, before: RunRow) -> None:
    """Columns that a damaged folder cannot provide any more are kept from ``before``, the row in the catalogue."""
    damaged = {one["file"] for one in now.damage if one["line"] is None and not one.get("newer")}
    kept = {name for file, names in COLUMNS_FROM.items() if file in damaged or "." in damaged for name in names}
    now.sqlmodel_update({name: value for name in kept if (value := getattr(before, name)) is not None})


def settle_damaged(row: RunRow, folder: RunFolder) -> None:
    """A damaged run that seems not to have begun must not be started: it may have, or cannot be."""
    if row.state not in (RunStatus.CREATED, RunStatus.QUEUED):
        return
    damage = [Damage.model_validate(one) for one in row.damage]
    in_the_way = [one for one in damage if one.file in ("config.json", "events.jsonl") and not one.newer]
    if in_the_way or has_trained(folder):
        cause = f"The run folder is damaged. {in_the_way[0]}" if in_the_way else ENDING_LOST
        row.sqlmodel_update(lost(cause))


def _values(folder: RunFolder) -> dict[str, Any]:
    """The configuration without validation; empty if it is no JSON object."""
    try:
        found = orjson.loads(read_small(folder.config_path))
    except (FileNotFoundError, RunFolderError, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _valid(kind: Any, value: Any, otherwise: Any) -> Any:
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return otherwise


def _created_at(folder: RunFolder, value: Any) -> float:
    """Creation time by the configuration, else by the run's id, else by the folder's own time; Unix seconds."""
    created: datetime | None = _valid(Instant, value, None) or created_at_of(folder.run_id)
    return created.astimezone(UTC).timestamp() if created is not None else folder.path.lstat().st_mtime
