"""The table of a report with what each seed has come to."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from rlviz.analysis.experiments.report.elements import element, table
from rlviz.analysis.experiments.results import ExperimentResults
from rlviz.analysis.experiments.tables import NOTHING
from rlviz.analysis.numbers import decimal

MOST_OPEN = 60
"""Rows beyond which the table is folded."""


def each_seed(results: ExperimentResults) -> Element | None:
    """A row for each seed with a score or with steps to a threshold; None without any. Of a seed that never got there
    the steps are those that it was trained for, behind ``>``."""
    scores = {one.variant: {score.seed: score for score in one.scores} for one in results.variants}
    thresholds = results.thresholds.variants if results.thresholds else []
    arrivals = {one.variant: {seed.seed: seed for seed in one.seeds} for one in thresholds}
    rows = []
    for one in results.variants:
        scored, arrived = scores[one.variant], arrivals.get(one.variant, {})
        for seed in sorted({*scored, *arrived}):
            score, there = scored.get(seed), arrived.get(seed)
            cells = [one.label, *([one.environment] if results.across else []), str(seed)]
            cells += [decimal(score.score), f"{score.steps:,.0f}"] if score else [NOTHING, NOTHING]
            if thresholds:
                cells.append(f"{'> ' if there.censored else ''}{there.steps:,.0f}" if there else NOTHING)
            rows.append(cells)
    if not rows:
        return None
    head = ["variant", *(["environment"] if results.across else []), "seed", "score", "trained for"]
    caption = "The score of each seed, and the environment steps that it was trained for"
    if thresholds:
        head.append("steps to threshold")
        caption += " and took to the threshold (>: it has not got there)"
    found = table(head, rows, f"{caption}.")
    if len(rows) <= MOST_OPEN:
        return found
    return element("details", element("summary", f"{len(rows):,} seeds"), found)
