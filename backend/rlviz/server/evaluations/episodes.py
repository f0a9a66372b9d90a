"""Search the episodes of evaluations, and read the episode data that other modules need from step records and journals.

``EpisodeService`` searches episodes in the catalogue. ``read_file`` reads for judging, in one pass over the records.
``last_episodes`` returns the episodes before a fork, which the first means of the fork include.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.config import LastEpisode, RunConfig
from rlviz.domain.environment import LearnedRewards
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.metrics import EPISODE_LENGTH, EPISODE_REWARD
from rlviz.learning.records.reader import Column, StepFile
from rlviz.rundir.files import list_names
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_backwards
from rlviz.rundir.metric_rows import is_counted, superseded_rows
from rlviz.rundir.snapshots import Snapshot
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import completed_evaluations
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.evaluations.models import FoundEpisode, FoundEpisodes
from rlviz.settings import Settings
from rlviz.stats.arrays import Floats
from rlviz.stats.conditions import QueryError
from rlviz.stats.judging import Columns, Moment, Trajectory, Usual, key_moments, parse_query
from rlviz.stats.returns import MEAN_EPISODES


@dataclass(frozen=True)
class EpisodeSearch:
    """A search. ``where``: a condition in the language of ``stats/judging.py``. ``sort``: one of its fields, with a
    leading ``-`` for descending order."""

    run_ids: Sequence[str]
    where: str = ""
    sort: str = "return"
    limit: int = 100


@dataclass(frozen=True)
class _Candidate:
    """An episode with its run and evaluation. ``result``: an ``EpisodeResult`` as JSON."""

    run_id: str
    evaluation_id: str
    checkpoint_step: int | None
    deterministic: bool
    has_video: bool
    result: dict[str, Any]


class EpisodeService:
    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings, self._database = settings, database

    def search(self, wanted: EpisodeSearch) -> FoundEpisodes:
        """Return the first matching episodes, and the number of all matches. Raises RunNotFound or InvalidRequest."""
        try:
            condition = parse_query(wanted.where)
        except QueryError as error:
            raise InvalidRequest.field("/where", str(error)) from error
        with self._database.read() as session:
            for run_id in wanted.run_ids:
                get_run(session, run_id)
            rows = completed_evaluations(session, wanted.run_ids)
        candidates = self._episodes(rows)
        columns = _columns(candidates)
        kept = np.flatnonzero(condition(columns))
        name = wanted.sort.removeprefix("-")
        key = columns[name][kept]
        order = kept[np.argsort(-key if wanted.sort.startswith("-") else key, kind="stable")]
        first = [candidates[int(at)] for at in order[: wanted.limit]]
        return FoundEpisodes(
            where=wanted.where,
            evaluations=len(rows),
            searched=len(candidates),
            found=len(kept),
            episodes=[FoundEpisode.model_validate(vars(one)) for one in first],
        )

    def _episodes(self, rows: Sequence[EvaluationRow]) -> list[_Candidate]:
        videos = {run_id: self._videos(run_id) for run_id in {row.run_id for row in rows}}
        return [
            _Candidate(
                run_id=row.run_id,
                evaluation_id=row.id,
                checkpoint_step=row.record.get("checkpoint_step"),
                deterministic=row.record.get("deterministic", True),
                has_video=f"{row.id}.mp4" in videos[row.run_id],
                result=result,
            )
            for row in rows
            for result in row.record["summary"]["episodes"]
        ]

    def _videos(self, run_id: str) -> frozenset[str]:
        folder = RunFolder(self._settings.runs_dir, run_id)
        return frozenset(list_names(folder.evaluations.path, folder.path, "eval_*.mp4"))


def _columns(episodes: Sequence[_Candidate]) -> Columns:
    """Return a column of shape (n,) for each field and flag of the query language."""
    results = [episode.result for episode in episodes]
    numbers = {
        "return": [result["episode_return"] for result in results],
        "length": [result["episode_length"] for result in results],
        "step": [episode.checkpoint_step for episode in episodes],
        "episode": [result["index"] for result in results],
        "seed": [result["seed"] for result in results],
    }
    flags = {
        "terminated": [result["terminated"] for result in results],
        "truncated": [result["truncated"] for result in results],
        "deterministic": [episode.deterministic for episode in episodes],
        "video": [episode.has_video for episode in episodes],
    }
    return {name: np.array(values, dtype=np.float64) for name, values in numbers.items()} | {
        name: np.array(values, dtype=np.bool_) for name, values in flags.items()
    }


TYPICAL = 256
"""Least number of ordinary states, which ended no episode, to sample from each evaluation; at most twice as many."""

_VALUES = ("reading.value", "reading.q_values", "reading.action_value")
"""Columns with the value of a state; the first existing one is used. For Q-values, use the maximum."""


@dataclass(frozen=True, eq=False)
class RecordedEnd:
    """How an episode ended: its index from 0, its last record, and the state before."""

    episode: int
    state: Floats
    state_before: Floats
    reward: float
    terminated: bool


@dataclass(frozen=True, eq=False)
class RecordedEpisodes:
    """What the step records of an evaluation say about its episodes.

    Attributes:
        moments: Key moments by index of the episode, from 0.
        ends: Ends of the episodes that were recorded to their end.
        typical_state: Sampled states that ended no episode, shape (m, k); k = 0 for pictures.
        typical_reward: Rewards of these steps, shape (m,).
        names: Names of the k components.
        units: Their units.
        is_discrete: Whether a state is one number of a Discrete space.
    """

    moments: dict[int, list[Moment]]
    ends: list[RecordedEnd]
    typical_state: Floats
    typical_reward: Floats
    names: Sequence[str]
    units: Sequence[str]
    is_discrete: bool


def read_file(path: Path, folder: Path, learned: LearnedRewards) -> RecordedEpisodes:
    """Call ``read_episodes`` for the file ``path`` in the run folder ``folder``.

    Raises FileNotFoundError, RunFolderError, or ValueError if the file is damaged.
    """
    with StepFile(path, folder) as file:
        return read_episodes(file, learned)


def read_episodes(file: StepFile, learned: LearnedRewards) -> RecordedEpisodes:
    """Read the episodes of a file. Needs about 50 bytes of memory per step.

    ``learned``: the rewards that the policy's values refer to. Raises ValueError if the file is damaged.
    """
    rows = _Rows(file)
    whole, ends = {}, []
    for start, stop in rows.episodes():
        last, place = stop - 1, int(rows.episode[start])
        terminated, truncated = bool(rows.terminated[last]), bool(rows.truncated[last])
        if not (terminated or truncated):
            continue  # the file was cut before the episode ended
        whole[place] = Trajectory(rows.reward[start:stop], rows.value[start:stop], terminated, truncated)
        ends.append(
            RecordedEnd(place, rows.state[last], rows.state[max(start, last - 1)], float(rows.reward[last]), terminated)
        )
    sampled = range(0, len(rows.episode), rows.stride)
    ordinary = [row for row in sampled if not (rows.terminated[row] or rows.truncated[row])]
    size, described = rows.numbers, file.about.observation
    usual = Usual.from_episodes(list(whole.values()), learned)
    return RecordedEpisodes(
        moments={place: key_moments(played, learned, usual) for place, played in whole.items()},
        ends=ends,
        typical_state=np.array([rows.state[row] for row in ordinary]).reshape(len(ordinary), size),
        typical_reward=rows.reward[ordinary],
        names=described.labels if len(described.labels) == size else [f"component {place}" for place in range(size)],
        units=described.units if len(described.units) == size else [""] * size,
        is_discrete=described.layout.kind == "Discrete",
    )


class _Rows:
    """The needed columns, read one row group at a time.

    ``state``: by row, the states of every ``stride``-th row and of the last two rows of each episode.
    """

    def __init__(self, file: StepFile) -> None:
        value = next((name for name in _VALUES if name in file.names), None)
        names = ["episode", "reward", "terminated", "truncated", *([value] if value else [])]
        seen = "observation" in file.names
        self.state: dict[int, Floats] = {}
        self.numbers = file.about.observation.layout.numbers if seen else 0
        columns: dict[str, list[NDArray[np.generic]]] = {name: [] for name in names}
        first, self.stride = 0, max(1, file.rows // TYPICAL)
        for group in file.by_group([*names, *(["observation"] if seen else [])]):
            for name in names:
                columns[name].append(_greatest(group[name]) if name in _VALUES else _plain(group[name]))
            count = len(group["episode"].numbers)
            ends = group["terminated"].numbers | group["truncated"].numbers
            kept = ends | (np.arange(first, first + count) % self.stride == 0)
            kept[:-1] |= ends[1:]
            kept[-1:] = True  # the next group may start with an end
            for at in np.flatnonzero(kept).tolist():
                self.state[first + at] = _state(group["observation"], at) if seen else np.empty(0)
            first += count
        whole = {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in columns.items()}
        self.episode, self.reward = whole["episode"], whole["reward"]
        self.terminated, self.truncated = whole["terminated"].astype(bool), whole["truncated"].astype(bool)
        self.value = whole[value] if value else np.full(len(self.episode), np.nan)

    def episodes(self) -> Iterator[tuple[int, int]]:
        """Return for each episode its first row and the row after its last."""
        starts = np.flatnonzero(np.diff(self.episode, prepend=-1)).tolist()
        return zip(starts, [*starts[1:], len(self.episode)], strict=True)


def _plain(column: Column) -> NDArray[np.generic]:
    """Return the column with NaN for null. Only columns of numbers have nulls."""
    if column.present.all():
        return column.numbers
    return np.where(column.present, column.numbers.astype(np.float64), np.nan)


def _greatest(column: Column) -> Floats:
    numbers = column.numbers.astype(np.float64)
    if numbers.ndim > 1:
        numbers = numbers.max(axis=1) if numbers.shape[1] else np.full(len(numbers), np.nan)
    return np.where(column.present, numbers, np.nan)


def _state(column: Column, at: int) -> Floats:
    return np.asarray(column.numbers[at], dtype=np.float64).reshape(-1)


def last_episodes(folder: RunFolder, config: RunConfig, snapshot: Snapshot | None, until: int) -> list[LastEpisode]:
    """Return the last MEAN_EPISODES episodes before a fork, oldest first.

    If the run is a fork itself, they include episodes of its parent.

    Args:
        folder: The run that is forked.
        config: Its configuration.
        snapshot: The snapshot at or before the fork; None: the beginning of the run.
        until: Step at which the fork starts.

    Raises RunFolderError.
    """
    now = superseded_rows(folder)
    step, last_row, then = 0, 0, now
    if snapshot is not None:
        taken = snapshot.manifest
        step, last_row, then = taken.step, taken.last_row, now.by(taken.attempt)
    found: list[LastEpisode] = []
    for line in read_backwards(folder.metrics_path):
        row = line.record
        if row is None:
            continue
        led_to_snapshot = row["seq"] <= last_row
        if not is_counted(row, then if led_to_snapshot else now) or (not led_to_snapshot and until == step):
            continue
        values = row["values"]
        if row["step"] > until or EPISODE_REWARD not in values:
            continue
        found.append(
            LastEpisode(episode_return=_number(values[EPISODE_REWARD]), length=_number(values.get(EPISODE_LENGTH)))
        )
        if len(found) == MEAN_EPISODES:
            break
    before = config.parent.last_episodes or [] if config.parent is not None else []
    return [*before, *found[::-1]][-MEAN_EPISODES:]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
