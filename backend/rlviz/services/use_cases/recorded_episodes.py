"""Reads what judging needs of an evaluation's step records, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rlviz.analysis.arrays import Floats
from rlviz.analysis.judging.moments import Moment, Usual, key_moments
from rlviz.analysis.judging.trajectory import Trajectory
from rlviz.domain.learned_rewards import LearnedRewards
from rlviz.records.reader import Column, StepFile

TYPICAL = 256
"""Number of states that ended nothing to sample of each evaluation; up to twice as many are taken."""

_VALUES = ("reading.value", "reading.q_values", "reading.action_value")
"""Columns with the value of a state, of which the first that exists is used; of Q-values, the maximum."""


@dataclass(frozen=True, eq=False)
class RecordedEnd:
    """How an episode ended: its position, from 0, its last record, and the state before."""

    episode: int
    state: Floats
    state_before: Floats
    reward: float
    terminated: bool


@dataclass(frozen=True, eq=False)
class RecordedEpisodes:
    """``moments`` by position of the episode, from 0. ``ends`` of the episodes that were recorded to their end.

    ``typical_state`` has shape (m, k), k = 0 for picture observations, and ``typical_reward`` shape (m,): samples of
    steps that ended nothing. ``names`` and ``units`` are of the k components.
    """

    moments: dict[int, list[Moment]]
    ends: list[RecordedEnd]
    typical_state: Floats
    typical_reward: Floats
    names: Sequence[str]
    units: Sequence[str]
    is_discrete: bool


def read_file(path: Path, folder: Path, learned: LearnedRewards) -> RecordedEpisodes:
    """As ``read_episodes``, of the file at ``path`` in the run folder ``folder``. Raises FileNotFoundError and
    RunFolderError, too."""
    with StepFile(path, folder) as file:
        return read_episodes(file, learned)


def read_episodes(file: StepFile, learned: LearnedRewards) -> RecordedEpisodes:
    """Read the file. ``learned`` as in ``key_moments``. Memory: about 50 bytes per step. Raises ValueError if the file
    is damaged."""
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
    size, said = rows.numbers, file.about.observation
    usual = Usual.of(list(whole.values()), learned)
    return RecordedEpisodes(
        moments={place: key_moments(played, learned, usual) for place, played in whole.items()},
        ends=ends,
        typical_state=np.array([rows.state[row] for row in ordinary]).reshape(len(ordinary), size),
        typical_reward=rows.reward[ordinary],
        names=said.labels if len(said.labels) == size else [f"component {place}" for place in range(size)],
        units=said.units if len(said.units) == size else [""] * size,
        is_discrete=said.layout.kind == "Discrete",
    )


class _Rows:
    """The columns that matter, read one row group after the other.

    ``state`` has, by row, the state of every ``stride``-th row and of the last two of each episode.
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
            kept[-1:] = True  # the next group may begin with an end
            for at in np.flatnonzero(kept).tolist():
                self.state[first + at] = _state(group["observation"], at) if seen else np.empty(0)
            first += count
        whole = {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in columns.items()}
        self.episode, self.reward = whole["episode"], whole["reward"]
        self.terminated, self.truncated = whole["terminated"].astype(bool), whole["truncated"].astype(bool)
        self.value = whole[value] if value else np.full(len(self.episode), np.nan)

    def episodes(self) -> Iterator[tuple[int, int]]:
        """First row of each episode, and the row after its last."""
        starts = np.flatnonzero(np.diff(self.episode, prepend=-1)).tolist()
        return zip(starts, [*starts[1:], len(self.episode)], strict=True)


def _plain(column: Column) -> NDArray[np.generic]:
    """Numbers with NaN for null; other types are never null."""
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
