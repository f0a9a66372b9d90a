"""Where rules would have fired in a run that has been trained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rlviz.domain.records import MetricRecord
from rlviz.domain.rules import Rule, StopTraining
from rlviz.training.rules.engine import Engine, Firing

LONGEST_GAP = 60.0
"""Seconds between two rows that count as training. A longer gap was a pause, or lay between two attempts."""


def dry_run(rules: Sequence[Rule], rows: Iterable[MetricRecord]) -> list[Firing]:
    """The firings over ``rows``, up to one that would have ended training.

    What an action would have changed about the rows that follow cannot be known; nor what the run took on disk.
    """
    engine, firings = Engine(rules), []
    seconds, last = 0.0, None
    for row in rows:
        if last is not None:
            seconds += min(max(row.time - last, 0.0), LONGEST_GAP)
        last = row.time
        found = engine.row(row.step, row.values) + engine.clock(row.step, seconds)
        firings += found
        if any(isinstance(action, StopTraining) for firing in found for action in firing.actions):
            break
    return firings
