"""The search for episodes: a text such as ``return < 100 and length > 200``, as a condition on columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rlviz.analysis.condition_language import Comparable, Condition, Mask, parse_condition

Columns: TypeAlias = Mapping[str, NDArray[Any]]

FIELDS: Mapping[str, str] = {
    "return": "Undiscounted sum of rewards.",
    "length": "Environment steps.",
    "step": "Training step of the policy that played.",
    "episode": "Place within its evaluation, from 1.",
    "seed": "Seed the episode was reset with.",
}
"""What can be compared with a number."""

FLAGS: Mapping[str, str] = {
    "terminated": "The environment reached a terminal state.",
    "truncated": "The time limit cut the episode off.",
    "deterministic": "The policy took its most likely actions.",
    "video": "The video is still kept.",
}
"""What an episode is or is not."""


def parse_query(text: str) -> Condition[Columns]:
    """The condition that ``text`` says: a function from columns of shape (n,) to a mask of shape (n,).

    There must be a column for each of ``FIELDS`` and ``FLAGS``; NaN is what is not known. An empty text holds for every
    episode. Raises QueryError.
    """
    return parse_condition(text, _Episodes()) if text.strip() else _everything


def _everything(columns: Columns) -> Mask:
    return np.ones(len(columns["return"]), dtype=np.bool_)


class _Episodes:
    comparables: Sequence[str] = tuple(FIELDS)
    flags: Sequence[str] = tuple(FLAGS)

    def comparable(self, name: str) -> Comparable[Columns] | None:
        return Comparable(lambda columns: (columns[name], ~np.isnan(columns[name]))) if name in FIELDS else None

    def flag(self, name: str) -> Callable[[Columns], Mask] | None:
        return (lambda columns: np.asarray(columns[name], dtype=np.bool_)) if name in FLAGS else None
