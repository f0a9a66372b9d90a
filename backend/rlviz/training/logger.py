"""Stable-Baselines3's logger, with each value at the step of the experience that it describes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger

from rlviz.domain.records import FPS, UPDATE_SECONDS
from rlviz.training.guard import Guard

UPDATE = "train/"
"""How the names of an update's diagnostics begin."""

ITERATIONS = "time/iterations"
ELAPSED = "time/time_elapsed"

SHORTEST_SECONDS = 1e-6


class RunLogger(Logger):
    """Writes an update's diagnostics when the update is done.

    The library calls ``dump`` when experience has been collected, records diagnostics while it learns from that, and
    writes them at the next ``dump``: one rollout too late, or some episodes, and those of the last update never. Here
    ``dump`` keeps them back, and ``dump_update`` writes them at the step where the update happened.
    """

    def __init__(
        self, output: KVWriter, guard: Guard | None = None, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """``guard``: what the library calls here does not end training if it fails."""
        super().__init__(folder=None, output_formats=[output])
        self._guard = guard or Guard(lambda _warning: None)
        self._monotonic = monotonic
        self._began: tuple[int, float] | None = None
        self.update_is_due = False
        """Whether ``dump`` has written since the last diagnostics: an update has a row where the rest has one. Some
        algorithms update at every step of the environment."""
        self.iterations_before = 0
        """Those done by an earlier ``learn``, which the library does not count."""

    def begin(self, step: int) -> None:
        """Training begins, or goes on, at ``step``. The library measures rates by a clock that may be set back."""
        self._began = step, self._monotonic()

    def dump(self, step: int = 0) -> None:
        """Write all that was recorded, except for diagnostics."""
        with self._guard("Recording what was logged"):
            update = self._take_update()
            if self._began is not None and ELAPSED in self.name_to_value:
                began, at = self._began
                elapsed = max(self._monotonic() - at, SHORTEST_SECONDS)
                self.name_to_value |= {ELAPSED: int(elapsed), FPS: int((step - began) / elapsed)}
            if ITERATIONS in self.name_to_value:
                self.name_to_value[ITERATIONS] += self.iterations_before
            super().dump(step)
            self.name_to_value.update(update)
            self.update_is_due = True

    def dump_update(self, step: int, seconds: float) -> None:
        """Write the diagnostics that were recorded last, if any, of an update that took ``seconds``; what else was
        recorded goes on waiting."""
        update = self._take_update()
        if update:
            update[UPDATE_SECONDS] = round(seconds, 6)
            for output in self.output_formats:
                output.write(update, self.name_to_excluded, step)
            self.update_is_due = False

    def dump_rest(self, step: int) -> None:
        """Write what waits at the end of training, if anything does: that may be for a clock to decide, so it calls for
        no row of an update where training goes on."""
        if self.name_to_value:
            was_due = self.update_is_due
            self.dump(step)
            self.update_is_due = was_due

    def state(self) -> dict[str, Any]:
        """What was recorded and waits to be written. For a snapshot, as in every class that has ``restore`` too."""
        return {
            "values": dict(self.name_to_value),
            "counts": dict(self.name_to_count),
            "excluded": dict(self.name_to_excluded),
            "update_is_due": self.update_is_due,
        }

    def restore(self, state: dict[str, Any]) -> None:
        for waiting in (self.name_to_value, self.name_to_count, self.name_to_excluded):
            waiting.clear()
        self.name_to_value.update(state["values"])
        self.name_to_count.update(state["counts"])
        self.name_to_excluded.update(state["excluded"])
        self.update_is_due = state["update_is_due"]

    def _take_update(self) -> dict[str, Any]:
        return {name: self.name_to_value.pop(name) for name in [*self.name_to_value] if name.startswith(UPDATE)}
