"""FoundRun: a run as another tool has logged it, its rows bounded and checked, before anything is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rlviz.domain.errors import ImportRefused
from rlviz.domain.records import EPISODE_INDEX, EPISODE_REWARD, MAX_STEP
from rlviz.domain.times import MAX_TIME
from rlviz.exchange.imports.names import ALIASES

MOST_VALUES = 5_000_000
VALUES_A_ROW = 3
"""A row takes memory beside its values: as much as so many."""
MOST_METRICS = 1_000
MOST_NAME_CHARACTERS = 200


class Row(NamedTuple):
    """``time`` in Unix seconds; None: not known. None among ``values`` stands for NaN or infinity."""

    step: int
    time: float | None
    values: dict[str, float | None]


class Rows:
    """Rows of one run in the order of their steps, under this product's names."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._names: dict[str, str] = {}
        self._values = 0
        self.warnings: dict[str, None] = {}
        """What the run shall say of what could not be taken as it was; each once."""

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, step: int, time: float | None, values: Mapping[str, float]) -> None:
        """Raises ImportRefused for a step that is none, and beyond the bounds."""
        if not 0 <= step <= MAX_STEP:
            raise ImportRefused(f"It has a row at step {step}. Steps are whole numbers, 0 or more.")
        if time is not None and not (math.isfinite(time) and 0 <= time <= MAX_TIME):
            time = None
        taken = {self._name(name): self._finite(name, value, step) for name, value in values.items()}
        self._values += len(taken) + VALUES_A_ROW
        if self._values > MOST_VALUES:
            raise ImportRefused(f"It has more than {MOST_VALUES:,} values. Import it in parts, or thin it out first.")
        if taken:
            self._rows.append(Row(step, time, taken))

    def warn(self, message: str) -> None:
        self.warnings[message] = None

    def has(self, name: str) -> bool:
        return name in self._names.values()

    def finished(self, began: float) -> list[Row]:
        """By step, each with a time, that of the row before where it has none; episodes are counted where they are not.

        ``began``: Unix seconds, of rows before the first that has a time. Raises ImportRefused if there are none.
        """
        if not self._rows:
            raise ImportRefused("There is no number in it that could be drawn. Is it the log of a run?")
        known, episodes = began, 0
        counted = self.has(EPISODE_INDEX)
        found = []
        for row in sorted(self._rows, key=lambda row: row.step):
            known = known if row.time is None else row.time
            if EPISODE_REWARD in row.values and not counted:
                episodes += 1
                row.values[EPISODE_INDEX] = episodes
            found.append(row._replace(time=known))
        return found

    def _name(self, logged: str) -> str:
        if (name := self._names.get(logged)) is None:
            if len(self._names) >= MOST_METRICS:
                raise ImportRefused(f"It has more than {MOST_METRICS:,} metrics. Leave out those you do not need.")
            name = ALIASES.get(logged, logged).encode(errors="replace").decode()
            if len(name) > MOST_NAME_CHARACTERS:
                name = name[: MOST_NAME_CHARACTERS - 1] + "…"
            self._names[logged] = name
        return name

    def _finite(self, name: str, value: float, step: int) -> float | None:
        if math.isfinite(value):
            return value
        if (message := f"{self._name(name)} has values that are not finite; they are gaps.") not in self.warnings:
            self.warn(message)
        return None


@dataclass
class FoundRun:
    """``source``: where it came from, in words. What is None is not known."""

    source: str
    name: str
    began: float
    """Unix seconds, where its rows have no times."""
    rows: Rows = field(default_factory=Rows)
    algo: str | None = None
    env_id: str | None = None
    seed: int | None = None
    total_timesteps: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
