"""RunDigest: what results need of one run, in a few kilobytes, whatever threshold is asked for later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.comparison import Episodes, aligned_curves
from rlviz.analysis.experiments.curves import GRID_POINTS, TRAINING_WINDOW
from rlviz.analysis.experiments.trials import LearningCurve
from rlviz.analysis.mean_return import full_means
from rlviz.analysis.solved import Evaluated, solved_by_evaluations

DIGEST_DEFINITION = 2
"""To be raised whenever a digest is made in another way, so that those that were kept are made again."""


@dataclass(frozen=True, eq=False)
class RunDigest:
    """``training``: moving average of the returns; ``greedy``: evaluations while it trained; each with GRID_POINTS at
    most, None where there are none.

    ``records``: the mean of 100 returns each time that it was higher than ever before, which says for any threshold
    when it was first reached. ``evaluations``: the same of the evaluations that the run has made itself and that count.
    ``every``: environment steps between the evaluations while it trained, the median; None with fewer than two.
    """

    training: LearningCurve | None
    greedy: LearningCurve | None
    records: LearningCurve
    evaluations: LearningCurve
    every: float | None

    def reached(
        self, threshold: float, asked: Sequence[Evaluated] = (), *, by_own_evaluations: bool = True
    ) -> float | None:
        """The step at which the run was solved (``analysis/solved.py``), None if it was not.

        Args:
            threshold: The return to reach.
            asked: The evaluations on request that count.
            by_own_evaluations: Whether those count that the run has made itself.
        """
        found = [
            float(curve.step[there[0]])
            for curve in (self.records, *([self.evaluations] if by_own_evaluations else []))
            if len(there := np.flatnonzero(curve.value >= threshold))
        ]
        if (solved := solved_by_evaluations(threshold, asked)) is not None:
            found.append(float(solved.step))
        return min(found, default=None)


def digest(episodes: Episodes, greedy: tuple[Floats, Floats], evaluations: Iterable[Evaluated]) -> RunDigest:
    """The digest of a run.

    Args:
        episodes: Its episodes.
        greedy: Steps and returns of the evaluations while it trained, each of shape (n,).
        evaluations: Those that the run has made itself and that count.
    """
    means = full_means(episodes.reward)
    ends = episodes.step[len(episodes.step) - len(means) :]
    fresh = np.array(sorted((one.step, one.shown) for one in evaluations), dtype=np.float64).reshape(-1, 2)
    return RunDigest(
        training=_thinned(Episodes(episodes.step, episodes.time, episodes.reward), TRAINING_WINDOW),
        greedy=_thinned(Episodes(greedy[0], greedy[0], greedy[1]), 1),
        records=_records(ends, means),
        evaluations=_records(fresh[:, 0], fresh[:, 1]),
        every=float(np.median(np.diff(greedy[0]))) if len(greedy[0]) > 1 else None,
    )


def _records(step: Floats, value: Floats) -> LearningCurve:
    """Where a value is higher than all before."""
    known = np.isfinite(value)
    step, value = step[known], value[known]
    before = np.concatenate([[-np.inf], np.maximum.accumulate(value)[:-1]]) if len(value) else value
    higher = value > before
    return LearningCurve(step[higher], value[higher])


def _thinned(episodes: Episodes, window: int) -> LearningCurve | None:
    if len(episodes.step) == 0:
        return None
    found = aligned_curves({"": episodes}, window=window, max_points=GRID_POINTS)
    return LearningCurve(found.step, found.values[""])
