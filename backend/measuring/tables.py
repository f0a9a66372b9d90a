"""Formats the tables of docs/presets.md: rows of Markdown and their cells."""

from __future__ import annotations

import json
from typing import Any

from rlviz.domain.presets import MeasuredPreset
from rlviz.stats.number_text import NO_INTERVAL

SPECIFICATIONS = "../backend/rlviz/learning/presets/specifications"
"""Folder of the specifications, relative to the document."""

FIGURES = ("return (95 % interval)", "solved", "held", "steps to threshold", "seconds to it", "seconds in all")
"""Column headings of ``figure_cells``."""


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def show(value: Any) -> str:
    """Format a value for a table."""
    return value if isinstance(value, str) else json.dumps(value)


def show_return(iqm: float, low: float | None, high: float | None) -> str:
    """Format an interquartile mean with the ends of its interval, which are None without an interval."""
    ends = [end for end in (low, high) if end is not None]
    digits = 1 if max(abs(value) for value in (iqm, *ends)) >= 10 else 3
    interval = " to ".join(f"{end:.{digits}f}" for end in ends) or NO_INTERVAL
    return f"{iqm:.{digits}f} ({interval})"


def figure_cells(figures: MeasuredPreset, threshold: float | None) -> tuple[str, ...]:
    """Return the cells of measured figures. ``threshold`` is the return to reach, or None."""
    steps, seconds = figures.steps_to_threshold, figures.seconds_to_threshold
    return (
        show_return(figures.return_iqm, figures.return_low, figures.return_high),
        "–" if threshold is None else f"{figures.solved} of {figures.seeds}",
        "–" if figures.held is None else f"{figures.held} of {figures.seeds}",
        "–" if steps is None else f"{steps:,}",
        "–" if seconds is None else f"{seconds:.0f}",
        f"{figures.seconds:.0f}",
    )


def hours(seconds: float) -> str:
    """Format a duration, for instance 23 min or 2.2 h."""
    minutes = seconds / 60
    if minutes < 1:
        return "less than a minute"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.{0 if minutes > 600 else 1}f} h"
