"""Trajectory: one recorded episode as arrays."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.analysis.arrays import Floats


@dataclass(frozen=True, eq=False)
class Trajectory:
    """An episode of n actions. Row i is the state after i actions, as ``domain/step_record.py`` has it.

    ``reward`` and ``value`` have shape (n + 1,): the reward that led to a state, NaN at the reset, and the value of the
    state, V(s) or the greatest Q(s, a), NaN where no policy was asked.
    """

    reward: Floats
    value: Floats
    terminated: bool
    truncated: bool

    @property
    def length(self) -> int:
        """How many actions were taken."""
        return len(self.reward) - 1
