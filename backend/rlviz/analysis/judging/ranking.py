"""The episodes of an evaluation by their return: which are worst, median and best, and how returns are spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MAX_BINS = 12


@dataclass(frozen=True)
class Ranking:
    """Positions of episodes, from 0. Of equal returns the earlier episode comes first."""

    worst: int
    median: int
    best: int


@dataclass(frozen=True)
class ReturnBin:
    """Returns from ``low`` up to, but not including, ``high``; the last bin includes it."""

    low: float
    high: float
    episodes: tuple[int, ...]
    """Positions, from 0, by ascending return."""


def rank(returns: Sequence[float]) -> Ranking:
    """Of at least one return. An even number of episodes has two in the middle: the lower one is taken.

    So the median episode is one that was played, whose return may lie below the median of the returns.
    """
    order = np.argsort(np.asarray(returns, dtype=np.float64), kind="stable")
    best = int(np.argmax(np.asarray(returns, dtype=np.float64)))
    return Ranking(worst=int(order[0]), median=int(order[(len(order) - 1) // 2]), best=best)


def histogram(returns: Sequence[float]) -> list[ReturnBin]:
    """Bins of one width from the least return to the greatest, about √n of them and at most ``MAX_BINS``.

    One bin without width if all returns are the same; none without returns.
    """
    if not returns:
        return []
    values = np.asarray(returns, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    low, high = float(values.min()), float(values.max())
    if low == high:
        return [ReturnBin(low, high, tuple(order.tolist()))]
    count = min(MAX_BINS, max(2, round(len(values) ** 0.5)))
    edges = np.linspace(low, high, count + 1)
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, count - 1)
    return [
        ReturnBin(float(edges[i]), float(edges[i + 1]), tuple(int(at) for at in order if place[at] == i))
        for i in range(count)
    ]
