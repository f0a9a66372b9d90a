"""What is delivered of a run, read from its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.plain_text import one_line, visible
from rlviz.exchange.sinks.sink import Row, RunToDeliver
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail
from rlviz.services.projection.folder_projection import Indexed, index_folder

_CONFIGURED = ("algo", "env_id", "preset", "seed", "total_timesteps", "actor", "group_id", "git_revision", "created_at")

_SUMMARY = (
    *("status", "cause", "step", "episodes", "ep_rew_mean", "ep_len_mean", "fps"),
    *("best_moving_average", "best_moving_average_step", "solved_step", "solved_seconds"),
)


def read_run(folder: RunFolder) -> RunToDeliver:
    """The run beside its metrics. Raises RunFolderError for one that cannot be read."""
    config = folder.read_config()
    found = Indexed()
    index_folder(folder, found)
    if not found.runs:
        raise found.unreadable[0]
    row = found.runs[0]
    document = config.model_dump(mode="json")
    settings = {name: document[name] for name in _CONFIGURED if document[name] is not None}
    settings |= {f"hyperparameters/{name}": value for name, value in config.hyperparameters.items()}
    settings |= {f"env_options/{name}": value for name, value in config.env_options.items()}
    settings |= {f"versions/{name}": value for name, value in config.versions.items()}
    newest = _newest_evaluation(found.evaluations)
    return RunToDeliver(
        id=row.id,
        name=one_line(row.name),
        group=config.experiment.id if config.experiment is not None else row.group_id,
        status=row.status,
        has_ended=row.state.has_ended,
        started_at=row.started_at or row.created_at,
        ended_at=row.ended_at,
        tags=list(map(one_line, row.tags)),
        notes=visible(row.notes),
        settings=settings,
        config_json=json.dumps(document, indent=1),
        rows_before=partial(_count_rows, folder),
        summary=_summary(row, newest),
        video=_video(folder, newest),
    )


def read_rows(tail: JournalTail) -> Iterator[list[Row]]:
    """All rows from where ``tail`` stands, some at a time, superseded ones too: what was delivered is not taken back.

    What is not finite is left out. A line that cannot be read is, too: the run says so itself. Raises RunFolderError.
    """
    for records, _broken in tail.record_batches():
        yield [row for record in records if (row := _row(record)) is not None]


def _count_rows(folder: RunFolder, seq: int) -> int:
    """Those that ``read_rows`` gives with a smaller ``seq``. Raises RunFolderError."""
    return sum(row.seq < seq for rows in read_rows(JournalTail(folder.metrics_path)) for row in rows)


def _row(record: dict[str, Any]) -> Row | None:
    try:
        values = {name: float(value) for name, value in record["values"].items() if value is not None}
        return Row(int(record["seq"]), float(record["time"]), int(record["step"]), values)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _newest_evaluation(rows: list[EvaluationRow]) -> EvaluationRecord | None:
    """Of those that somebody asked for or played."""
    scored = [record for row in rows if not row.is_by_run and (record := row.parsed()).summary is not None]
    return max(scored, key=lambda record: record.created_at, default=None)


def _summary(row: RunRow, newest: EvaluationRecord | None) -> dict[str, Any]:
    summary = {name: value for name in _SUMMARY if (value := getattr(row, name)) is not None}
    if row.best_policy:
        summary["best_policy_return"] = row.best_policy.get("mean_return")
    spread = None if newest is None or newest.summary is None else newest.summary.episode_return
    if spread is not None:
        summary |= {"evaluation_return_mean": spread.mean, "evaluation_return_std": spread.std}
    return summary


def _video(folder: RunFolder, newest: EvaluationRecord | None) -> Any:
    if newest is None or newest.summary is None or newest.summary.video is None:
        return None
    path = folder.evaluations.video_path(newest.id)
    return path if is_file(path, folder.path) else None
