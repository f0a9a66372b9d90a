"""Rows that an attempt computes again: those that the journal has beyond the snapshot that the attempt began from.

An exact resume computes them as they were, so that comparing them proves it, in production and for nothing. The clock
is no part of that: what is named ``time/`` is not compared, and of a row that says nothing else only the step is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from rlviz.domain.events import DivergedData, EventData, ResumedData, Stretch, WarningData
from rlviz.domain.records import CLOCK

Values = Mapping[str, float | None]


class EventLog(Protocol):
    def event(self, step: int, data: EventData) -> None: ...


class Recomputed:
    """Compares, row by row, until all rows have come again or one comes otherwise.

    ``expected``: the rows beyond the snapshot, as the journal has them, in order; ``last`` is the seq of the journal's
    last row, and ``attempt`` the one that computes them again. The event ``resumed`` or ``diverged`` says how it went.
    ``leave_behind`` comes before ``diverged`` is called, with the last step up to which earlier attempts still count.
    """

    def __init__(
        self,
        snapshot: str,
        step: int,
        expected: Iterable[Mapping[str, Any]],
        *,
        last: int,
        attempt: int,
        leave_behind: Callable[[int], None],
    ) -> None:
        self._leave_behind = leave_behind
        self._snapshot, self._step, self._last, self._attempt = snapshot, step, last, attempt
        self._expected = iter(expected)
        self._clocked: deque[Mapping[str, Any]] = deque()
        """Rows of the clock alone that the journal has before the next one to compare, or after the last."""
        self._next = self._advance()
        self._verified = 0
        self._over = False
        self.has_diverged = False
        """Whether a row has come otherwise."""

    @property
    def reached(self) -> int | None:
        """The ``seq`` of the newest row that was computed again; None once all were."""
        following = self._clocked[0] if self._clocked else self._next
        return None if self.has_diverged or following is None else int(following["seq"]) - 1

    def begin(self, log: EventLog) -> None:
        """If there is nothing to compare, tell at once that the run was resumed."""
        self._tell_if_done(log)

    def has(self, log: EventLog, step: int, values: Values) -> bool:
        """Whether the row that was just computed is in the journal already, so that it must not be written again."""
        if self.has_diverged:
            return False
        compared = _compared(values)
        if not compared:
            return self._has_clocked(step)
        if self._next is None:
            self._clocked.clear()
            return False
        recorded = _compared(self._next["values"])
        if (step, compared) == (self._next["step"], recorded):
            self._verified, self._step = self._verified + 1, step
            self._next = self._advance()
            self._tell_if_done(log)
            return True
        self._over = self.has_diverged = True
        superseded = Stretch(first=self._next["seq"], last=self._last, attempt=self._attempt)
        metric = _first_difference(recorded, compared) if step == self._next["step"] else None
        try:
            self._leave_behind(step - 1)
        except OSError as error:
            problem = f"Policies that no longer belong to the run could not be put aside: {error}."
            log.event(step, WarningData(message=problem))
        log.event(
            step,
            DivergedData(
                snapshot=self._snapshot,
                verified=self._verified,
                metric=metric,
                recorded=recorded.get(metric) if metric is not None else None,
                computed=compared.get(metric) if metric is not None else None,
                superseded=superseded,
            ),
        )
        return False

    def end(self, log: EventLog) -> None:
        """The attempt ends: if it did not compute all rows again, tell how many are left."""
        if not self._over and self._next is not None:
            self._over = True
            left = 1 + sum(1 for row in self._expected if _compared(row["values"]))
            log.event(self._step, ResumedData(snapshot=self._snapshot, verified=self._verified, left=left))

    def _advance(self) -> Mapping[str, Any] | None:
        """The next row to compare; None: there is no further one."""
        self._clocked.clear()
        for row in self._expected:
            if _compared(row["values"]):
                return row
            self._clocked.append(row)
        return None

    def _has_clocked(self, step: int) -> bool:
        """Whether the journal has a row of the clock alone at ``step``: before the last one to compare it counts as
        if it had, since whether there is such a row may be for the clock to decide."""
        while self._clocked and self._clocked[0]["step"] < step:
            self._clocked.popleft()
        if self._clocked and self._clocked[0]["step"] == step:
            self._clocked.popleft()
            return True
        return self._next is not None

    def _tell_if_done(self, log: EventLog) -> None:
        if self._next is None and not self._over:
            self._over = True
            log.event(self._step, ResumedData(snapshot=self._snapshot, verified=self._verified))


def _compared(values: Values) -> dict[str, float | None]:
    return {name: value for name, value in values.items() if not name.startswith(CLOCK)}


def _first_difference(recorded: Values, computed: Values) -> str | None:
    names = dict.fromkeys([*recorded, *computed])
    missing = object()
    return next((name for name in names if recorded.get(name, missing) != computed.get(name, missing)), None)
