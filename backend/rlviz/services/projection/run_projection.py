"""What a run's journals say, folded into its row of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.return_curve import ReturnCurve
from rlviz.analysis.solved import SolvedAt, SolvedBy, earlier, shown_by_evaluation
from rlviz.catalog.models import RunRow
from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import (
    BestData,
    CheckpointData,
    Ending,
    ErrorData,
    EventRecord,
    FinishedData,
    InterruptedData,
    StartedData,
    StoppedData,
    WarningData,
    parse_event,
)
from rlviz.domain.records import (
    EP_LEN_MEAN,
    EP_REW_MEAN,
    EPISODE_INDEX,
    EPISODE_LENGTH,
    EPISODE_REWARD,
    FPS,
    MAX_STEP,
    RECENT_FPS,
    UPDATE_SECONDS,
    is_metric,
)
from rlviz.domain.status import RunStatus
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import READ_BYTES, JournalTail, Line, read_journal

ENDED_FROM_OUTSIDE = "Not this app but something else told the worker to end (SIGTERM); it saved its policy and did."

_COLUMNS = {EP_REW_MEAN: "ep_rew_mean", EP_LEN_MEAN: "ep_len_mean", UPDATE_SECONDS: "update_seconds"}


def parse_events(lines: Iterable[Line]) -> tuple[list[EventRecord], list[Line]]:
    """Events, and the lines that are none."""
    events, broken = [], []
    for line in lines:
        if (event := parse_event(line.record)) is not None:
            events.append(event)
        else:
            broken.append(line)
    return events, broken


def fold_event(row: RunRow, event: EventRecord) -> None:
    """Note in ``row`` what ``event`` says, except for the status."""
    _advance(row, event.step, event.time)
    match event.data:
        case StartedData() as started:
            row.started_at = event.time
            row.worker_pid, row.worker_started_at = started.pid, started.process_started_at
            row.boot_id = started.boot_id
        case CheckpointData():
            row.policy_step = event.step
        case BestData() as best:
            row.best_policy = {"step": event.step, **best.model_dump(include={"mean_return", "std_return", "episodes"})}
            note_solved(row, shown_by_evaluation(row.reward_threshold, event.step, event.time, best.mean_return))
        case WarningData() as warning:
            warn(row, warning.message)
        case FinishedData() as finished:
            row.policy_step = event.step if finished.path else row.policy_step
            row.ended_early = finished.ended_early
        case StoppedData() as stopped:
            row.policy_step = event.step if stopped.path else row.policy_step
        case ErrorData() as error:
            row.cause, row.traceback = f"{error.type}: {error.message}", error.traceback
        case InterruptedData() as interrupted:
            row.cause = interrupted.cause
    if isinstance(event.data, Ending):
        row.ended_at = max(event.time, row.started_at or 0.0)  # the clock may have been set back
        row.fps = average_fps(row) or row.fps


def fold_metrics(row: RunRow, name: str, lines: Iterable[Line]) -> None:
    """Note the newest step, episode and means. ``name`` is the journal's, for the report of a broken line."""
    for line in lines:
        if line.record is None or not is_metric(line.record):
            warn(row, f"{name}: the line at byte {line.start} is not a record and was left out.")
            continue
        values: Mapping[str, Any] = line.record["values"]
        _advance(row, int(line.record["step"]), _float(line.record.get("time")))
        index = _float(values.get(EPISODE_INDEX))
        if index is not None and 0 <= index <= MAX_STEP:
            row.episodes = int(index)
        for metric, column in _COLUMNS.items():
            if metric in values:
                setattr(row, column, _float(values[metric]))
        if RECENT_FPS in values or row.fps is None:
            row.fps = _float(values.get(RECENT_FPS, values.get(FPS)))


def fold_curve(row: RunRow, curve: ReturnCurve) -> None:
    row.best_moving_average, row.best_moving_average_step = curve.best, curve.best_step
    row.sparkline = curve.sparkline()
    if curve.count:  # otherwise what the library logged has to do
        row.ep_rew_mean, row.ep_len_mean = curve.mean, curve.mean_length
    note_solved(row, curve.solved)


def note_solved(row: RunRow, found: SolvedAt | None) -> None:
    """Keep the earlier of what ``row`` knows and ``found``, in whatever order the journals are read."""
    solved = earlier(solved_of(row), found)
    if solved is not None:
        row.solved_step, row.solved_by, row.solved_at = solved.step, solved.by.value, solved.time


def solved_of(row: RunRow) -> SolvedAt | None:
    """What ``row`` says of when its run was solved."""
    if row.solved_step is None or row.solved_by is None or row.solved_at is None:
        return None
    return SolvedAt(row.solved_step, SolvedBy(row.solved_by), row.solved_at)


def best_policies(folder: RunFolder) -> Iterator[tuple[int, float, float]]:
    """Step, time and mean return on fresh episodes of each policy that was the best of its run for a while."""
    with suppress(RunFolderError):
        for event in parse_events(read_journal(folder.events_path))[0]:
            if isinstance(event.data, BestData):
                yield event.step, event.time, event.data.mean_return


def average_fps(row: RunRow) -> float | None:
    """Environment steps a second from the start up to the newest step that is known of."""
    if row.started_at is None or row.step_at is None or row.step_at <= row.started_at:
        return None
    return round(row.step / (row.step_at - row.started_at), 1)


def _advance(row: RunRow, step: int, time: float | None) -> None:
    if step >= row.step:
        row.step, row.step_at = step, time if time is not None else row.step_at


def extend_curve(curve: ReturnCurve, records: Sequence[Mapping[str, Any] | None]) -> None:
    """Take in the episodes among ``records`` (None: a broken line); what is no record is left out."""
    try:
        ends = [(record["step"], record["time"], record["values"]) for record in records if _ends_episode(record)]  # type: ignore[index]
        steps = _numbers([step for step, _, _ in ends], {int})
        times = _numbers([time for _, time, _ in ends], {int, float})
        returns = _numbers([values[EPISODE_REWARD] for _, _, values in ends], {int, float, type(None)})
        lengths = _numbers([values.get(EPISODE_LENGTH) for _, _, values in ends], {int, float, type(None)})
    except (LookupError, TypeError):
        if len(records) > 1:
            for record in records:
                extend_curve(curve, [record])
        return
    curve.extend(steps, times, returns, lengths)


def _ends_episode(record: Mapping[str, Any] | None) -> bool:
    """Raises TypeError or LookupError for what is no record."""
    return EPISODE_REWARD in record["values"]  # type: ignore[index]


def _numbers(values: Sequence[Any], kinds: set[type]) -> Floats:
    """NaN for null. Raises TypeError if there is a value of none of ``kinds``."""
    if not set(map(type, values)) <= kinds:
        raise TypeError(f"Expected only {kinds}.")
    return np.array(values, dtype=np.float64)


def curve_of_journal(path: Path, threshold: float | None, end: int | None = None) -> ReturnCurve:
    """The curve of the metrics journal at ``path``: all of it, or what stands before byte ``end``."""
    curve, tail = ReturnCurve(threshold), JournalTail(path)
    while end is None or tail.offset < end:
        before = tail.offset
        records, _ = tail.read_records(READ_BYTES if end is None else min(READ_BYTES, end - before))
        if tail.offset == before:
            break
        extend_curve(curve, records)
    return curve


def cause_of_stop(status: RunStatus, folder: RunFolder) -> str | None:
    """Why a run that ended well was stopped, if somebody has to be told: not for one that was stopped by its user."""
    if status is not RunStatus.STOPPED:
        return None
    try:
        control = folder.read_control()
    except (OSError, RunFolderError):
        return None
    return control.reason if control.desired is Desired.STOP else ENDED_FROM_OUTSIDE


def fold_best(row: RunRow, folder: RunFolder) -> None:
    """Note the best policy as its file has it: a worker may have died before it could tell."""
    with suppress(RunFolderError):
        best = folder.best_policy()
        row.best_policy = best.model_dump() if best is not None else None


def warn_of_broken_events(row: RunRow, name: str, lines: Iterable[Line]) -> None:
    """``name`` is the journal's."""
    for line in lines:
        warn(row, f"{name}: the line at byte {line.start} is not an event.")


def warn(row: RunRow, message: str) -> None:
    row.warnings += 1
    row.last_warning = message


def _float(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
