"""How much a trainer may log: beyond it rows or names are left out, and the run says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from rlviz.domain.naming import MAX_NAME_CHARACTERS, distinct, recorded_name, renames_text

MAX_NAMES = 1_000
ROWS_A_SECOND = 10_000
"""Ten times what the fastest environments of the registry need; about 1.5 MB a second."""

Values = Mapping[str, float]


class MetricLimits:
    """Limits how many metric names a run may record, and how many rows a second. A row with the same names as earlier
    ones costs one comparison of names, without a look at the clock."""

    def __init__(self, warn: Callable[[str], None], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._warn, self._monotonic = warn, monotonic
        self._names: dict[str, str | None] = {}  # as logged: as recorded, None if left out
        self._same: set[str] = set()  # those that are recorded as they were logged
        self._recorded = 0
        self._told_of_names = self._told_of_renaming = False
        self._window_start, self._rows = monotonic(), 0
        self.left_out = 0
        """How many rows were left out because they came too fast."""

    def admit(self, values: Values) -> Values | None:
        """The part of ``values`` that may be recorded; None for a row that comes too fast."""
        self._rows += 1
        if self._rows > ROWS_A_SECOND and not self._new_window():
            self.left_out += 1
            if self.left_out == 1:
                self._warn(f"More than {ROWS_A_SECOND:,} rows a second are logged; those beyond are left out.")
            return None
        if values.keys() <= self._same:
            return values
        return {name: value for logged, value in values.items() if (name := self._name(logged)) is not None}

    def excuse(self, rows: int) -> None:
        """The next ``rows`` rows were recorded by an earlier attempt: do not count them."""
        self._rows -= rows

    def close(self) -> None:
        if self.left_out > 1:
            self._warn(f"{self.left_out:,} rows were left out: they came faster than {ROWS_A_SECOND:,} a second.")

    def _new_window(self) -> bool:
        now = self._monotonic()
        if now - self._window_start < 1.0:
            return False
        self._window_start, self._rows = now, 1
        return True

    def _name(self, logged: str) -> str | None:
        if logged not in self._names and len(self._names) < 2 * MAX_NAMES:
            self._names[logged] = self._meet(logged)
        return self._names.get(logged)

    def _meet(self, logged: str) -> str | None:
        if self._recorded >= MAX_NAMES:
            if not self._told_of_names:
                self._told_of_names = True
                self._warn(f"More than {MAX_NAMES:,} metrics are logged; {logged[:80]!r} and later ones are left out.")
            return None
        self._recorded += 1
        name = distinct(recorded_name(logged), self._names.values())
        if name == logged:
            self._same.add(logged)
        elif not self._told_of_renaming:
            self._told_of_renaming = True
            self._warn(renames_text({logged: name}, f"A run, whose names have up to {MAX_NAME_CHARACTERS} characters,"))
        return name
