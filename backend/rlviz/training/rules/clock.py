"""RuleClock: what rules that go by the clock are asked with: seconds of training, and bytes of the run folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rlviz.domain.rules import DiskLimit, Rule, SecondsLimit, StepsLimit
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.usage import bytes_of_folder

LOOK_SECONDS = 0.25
"""How often rules that look at a clock are asked."""

DISK_SECONDS = 5.0
"""How often the bytes of the run folder are counted, if a rule asks for them."""

CLOCKED = SecondsLimit | StepsLimit | DiskLimit
"""Conditions that are asked by the clock, and not with every row."""


class RuleClock:
    """``tick`` is for the watcher's thread. ``disk`` is None until it was counted."""

    def __init__(self, folder: RunFolder, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._began, self._before = monotonic(), 0.0
        self._look_at, self._disk_at = 0.0, 0.0
        self._counts_disk = False
        self.is_needed = False
        """Whether there are rules to ask."""
        self.disk: int | None = None

    def serve(self, rules: Sequence[Rule]) -> None:
        """From now on these are the rules."""
        conditions = [rule.when for rule in rules]
        self.is_needed = any(isinstance(one, CLOCKED) for one in conditions)
        self._counts_disk = any(isinstance(one, DiskLimit) for one in conditions)

    def tick(self) -> bool:
        """Whether rules are to be asked now."""
        now = self._monotonic()
        if self._counts_disk and now >= self._disk_at:
            self._disk_at = now + DISK_SECONDS
            self.disk = bytes_of_folder(self._folder.path)
        if not self.is_needed or now < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return True

    @property
    def seconds(self) -> float:
        """Of training, with those of earlier attempts."""
        return self._before + self._monotonic() - self._began

    def go_on_from(self, seconds: float) -> None:
        """``seconds`` of training were done before."""
        self._before, self._began = seconds, self._monotonic()
