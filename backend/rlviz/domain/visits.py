"""``map.json``: how often a run has visited each cell of its environment, now and at earlier steps."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pydantic import Field, PositiveFloat

from rlviz.domain.lazy_model import Frozen


class VisitFrame(Frozen):
    """Visits up to an earlier step."""

    step: int
    visits: list[int] = Field(description="Number of visits to each cell, by its id.")


class EvaluatedPath(Frozen):
    """The cells that the evaluated policy walked through in the first episode of an evaluation."""

    step: int = Field(description="Environment steps of training at the evaluation.")
    cells: list[int] = Field(description="Ids of the cells, without repetitions of the same cell.")


class VisitMap(Frozen):
    """The visits of a run's training. Cells are counted from 0, row by row."""

    step: int = Field(description="Environment steps of training so far.")
    visits: list[int] = Field(description="Steps that ended in each cell, and episodes that began there.")
    episodes: list[int] = Field(description="Episodes that have visited each cell.")
    frames: list[VisitFrame] = Field(default_factory=list, description="Earlier maps, oldest first.")
    path: EvaluatedPath | None = Field(None, description="Path of the newest evaluated policy; null: none yet.")
    archive: list[int] = Field(
        default_factory=list,
        exclude_if=lambda cells: not cells,
        description="Ids of the cells whose state is in the archive, so that episodes can begin there.",
    )
    archive_weights: list[PositiveFloat] = Field(
        default_factory=list,
        exclude_if=lambda weights: not weights,
        description="How often episodes begin in each of these cells, relative to each other.",
    )


def archive_weights(visits: Iterable[int]) -> list[float]:
    """Return how often episodes begin in places with so many visits, relative to each other (Ecoffet et al., 2021)."""
    return [1 / math.sqrt(count + 1) for count in visits]
