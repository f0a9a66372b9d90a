"""JournalOutput: what Stable-Baselines3's logger writes goes into a run's journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stable_baselines3.common.logger import KVWriter

from rlviz.domain.numbers import number_of
from rlviz.training.guard import Guard
from rlviz.training.journals import RunJournals


class JournalOutput(KVWriter):
    """Stable-Baselines3's logger output that writes numbers to the journal, under their own names.

    It cannot store text, images, figures, videos or histograms: the first of each name is a warning event. Never
    raises.
    """

    def __init__(self, journals: RunJournals, guard: Guard | None = None) -> None:
        self._journals = journals
        self._guard = guard or Guard(journals.warn_now)
        self._refused: set[str] = set()

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        with self._guard("Recording what was logged"):
            self._write(key_values, key_excluded, step)

    def _write(self, values: Mapping[str, Any], excluded: Mapping[str, tuple[str, ...] | None], step: int) -> None:
        numbers: dict[str, float] = {}
        for name, value in values.items():
            if "journal" in (excluded.get(name) or ()):
                continue
            if (number := number_of(value)) is not None:
                numbers[str(name)] = number
            elif name not in self._refused:
                self._refused.add(name)
                self._journals.warn(step, f"{name} is a {type(value).__name__}; only numbers are recorded.")
        if numbers:
            self._journals.metrics(step, numbers)

    def close(self) -> None:
        """The journals belong to the trainer, which closes them."""
