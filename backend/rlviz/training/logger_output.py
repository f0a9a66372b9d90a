"""JournalOutput: what Stable-Baselines3's logger writes goes into a run's journal."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, cast

from stable_baselines3.common.logger import KVWriter

from rlviz.training.journals import RunJournals

_TOO_LARGE = 1 << 63


class JournalOutput(KVWriter):
    """Stable-Baselines3's logger output that writes numbers to the journal, under their own names.

    It cannot store text, images, figures, videos or histograms: the first of each name raises a warning event.
    """

    def __init__(self, journals: RunJournals) -> None:
        self._journals = journals
        self._refused: set[str] = set()

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        numbers: dict[str, float] = {}
        for name, value in key_values.items():
            if "journal" in key_excluded.get(name, ()):
                continue
            if isinstance(value, Real):
                numbers[name] = _recordable(value)
            elif name not in self._refused:
                self._refused.add(name)
                self._journals.warn(step, f"{name} is a {type(value).__name__}; only numbers are recorded.")
        if numbers:
            self._journals.metrics(step, numbers)

    def close(self) -> None:
        """The journals belong to the trainer, which closes them."""


def _recordable(value: Real) -> float:
    """A number as a journal takes it: whole numbers of more than 64 bits, and other kinds of numbers, are floats."""
    if isinstance(value, int) and -_TOO_LARGE <= value < _TOO_LARGE:
        return int(value)  # True is an int, but no number in JSON
    try:
        return float(value)
    except OverflowError:
        return math.inf if cast(Any, value) > 0 else -math.inf
