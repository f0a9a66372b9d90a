"""RecordingLevel: at which detail is recorded now, what that costs, and when it costs too much."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from rlviz.domain.recording import Detail, Lowered, RecordingFacts

LONG_ENOUGH_SECONDS = 1.0


class RecordingLevel:
    """Measures the time within its blocks, and lowers the detail where that is more than ``most_cost`` of the rest.

    For one thread but for ``spend``. ``lowest``: it is not lowered further by itself. ``long_enough``: seconds of
    playing before its cost is judged.
    """

    def __init__(
        self,
        detail: Detail,
        *,
        most_cost: float | None = None,
        lowest: Detail = Detail.MINIMAL,
        long_enough: float = LONG_ENOUGH_SECONDS,
        on_lowered: Callable[[Lowered], None] = lambda _: None,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.detail = self._asked = detail
        self._most_cost, self._lowest, self._on_lowered = most_cost, lowest, on_lowered
        self._long_enough, self._monotonic = long_enough, monotonic
        self._lowered: Lowered | None = None
        self._entered = 0.0
        self._spent, self._since = 0.0, monotonic()
        self._spent_before = self._elapsed_before = 0.0

    def __enter__(self) -> None:
        self._entered = self._monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spent += self._monotonic() - self._entered

    def spend(self, seconds: float) -> None:
        """Count what another thread has spent, for which the one that plays may have waited."""
        self._spent += seconds

    @property
    def reads(self) -> bool:
        """Whether it is recorded what the policy makes of each step."""
        return self.detail.is_at_least(Detail.STANDARD)

    def choose(self, detail: Detail) -> None:
        """Record at ``detail`` from now on."""
        self.detail = self._asked = detail
        self._lowered = None
        self._begin_anew()

    def check(self) -> None:
        """Lower the detail by one if recording has cost too much since it was last changed."""
        elapsed = self._monotonic() - self._since
        if self._most_cost is None or elapsed < self._long_enough or not self.detail.is_at_least(self._lowest):
            return
        cost = _cost(self._spent, elapsed)
        if cost is None or cost <= self._most_cost or self.detail is self._lowest:
            return
        before, self.detail = self.detail, self.detail.below
        self._lowered = Lowered(before=before, after=self.detail, cost=round(cost, 4), most=self._most_cost)
        self._begin_anew()
        self._on_lowered(self._lowered)

    def facts(self) -> RecordingFacts:
        elapsed = self._elapsed_before + self._monotonic() - self._since
        cost = _cost(self._spent_before + self._spent, elapsed)
        return RecordingFacts(detail=self._asked, lowered=self._lowered, cost=None if cost is None else round(cost, 4))

    def _begin_anew(self) -> None:
        now = self._monotonic()
        self._spent_before += self._spent
        self._elapsed_before += now - self._since
        self._spent, self._since = 0.0, now


def _cost(spent: float, elapsed: float) -> float | None:
    rest = elapsed - spent
    return spent / rest if rest > 0 else None
