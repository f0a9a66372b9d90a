"""Proposes the trials of an experiment; the scheduler trains them and reports their results.

Fixed variants are planned from the start. A search proposes one trial after the other, from earlier results.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from pydantic import JsonValue

from rlviz.learning.search.study import SearchTrial, Study, TrialState
from rlviz.stats.seeds import iqm

PREFIX = "trial-"


@dataclass(frozen=True)
class Proposal:
    """A variant to be trained with each of ``seeds``. ``values``: hyperparameters in the place of those of the base."""

    variant: str
    label: str
    values: Mapping[str, JsonValue]
    seeds: Sequence[int]


@dataclass(frozen=True)
class SeedReturns:
    """Greedy evaluations of one seed so far, oldest first, NaN before it had learned anything. ``trains``: whether more
    may come."""

    returns: Sequence[float]
    trains: bool


class Proposer(Protocol):
    """What is proposed, or told, is on disk before a method returns. A scheduler that is killed and begins again names
    what it knows of, and gets what it has not begun. Not for several threads."""

    def propose(self, begun: Container[str]) -> Proposal | None:
        """A variant that is not among those ``begun``; None if there is none (left)."""

    def has_more(self, begun: Container[str]) -> bool:
        """Whether there is a variant to propose. To ask for it proposes none."""

    def evaluated(self, variant: str, seeds: Sequence[SeedReturns]) -> bool:
        """Tell all evaluations so far of all seeds that have begun; return whether to stop all seeds of the variant."""

    def finished(self, variant: str, scores: Sequence[float | None]) -> None:
        """All seeds have ended. ``scores``: of each, None where there is none. A second time nothing happens."""

    def failed(self, variant: str, cause: str, *, misfit: bool = False) -> None:
        """The variant has no score. ``misfit``: its values cannot be trained with, so nothing was."""

    def ended(self, cause: str) -> None:
        """Nothing more is trained: what has not finished has no score. A second time nothing happens."""


class FixedVariants:
    """All were planned when the experiment was opened: nothing is left to be proposed, and none is given up."""

    def propose(self, begun: Container[str]) -> Proposal | None:
        return None

    def has_more(self, begun: Container[str]) -> bool:
        return False

    def evaluated(self, variant: str, seeds: Sequence[SeedReturns]) -> bool:
        return False

    def finished(self, variant: str, scores: Sequence[float | None]) -> None:
        """Nothing follows from it."""

    def failed(self, variant: str, cause: str, *, misfit: bool = False) -> None:
        """Nothing follows from it."""

    def ended(self, cause: str) -> None:
        """Nothing follows from it."""


class SearchProposer:
    """A study's trials as variants ``trial-0``, ``trial-1``, …, each with the same ``seeds``."""

    def __init__(self, study: Study, seeds: Sequence[int]) -> None:
        self._study, self._seeds = study, seeds

    def proposed(self) -> list[Proposal]:
        """What was proposed so far, in order."""
        return [self._proposal(trial) for trial in self._study.trials]

    def propose(self, begun: Container[str]) -> Proposal | None:
        """First what was proposed before, but never begun, since whoever asked was killed."""
        found = self._never_begun(begun) or self._study.ask()
        return None if found is None else self._proposal(found)

    def has_more(self, begun: Container[str]) -> bool:
        return self._never_begun(begun) is not None or not self._study.is_over

    def evaluated(self, variant: str, seeds: Sequence[SeedReturns]) -> bool:
        """At each evaluation the pruner hears the interquartile mean of the seeds that have it, once all that train do
        and have learned.

        A seed that begins when others are trained thus changes what was heard before, and is judged by that.
        """
        number = number_of(variant)
        state = self._study.trial(number).state
        if state is not TrialState.RUNNING:
            return state is TrialState.PRUNED
        counts = [len(one.returns) for one in seeds if one.trains] or [max(len(one.returns) for one in seeds)]
        for place in range(min(counts)):
            known = [one.returns[place] for one in seeds if place < len(one.returns)]
            if not np.all(np.isfinite(known)):
                continue
            if self._study.report(number, place + 1, iqm(np.array(known))):
                self._study.give_up(number)
                return True
        return False

    def finished(self, variant: str, scores: Sequence[float | None]) -> None:
        """A trial with a seed that has no score fails: what made it fail may be its values."""
        known = [score for score in scores if score is not None and np.isfinite(score)]
        missing = len(scores) - len(known)
        if missing or not known:
            self._study.fail(number_of(variant), f"{missing} of {len(scores)} seeds have no score.")
        else:
            self._study.complete(number_of(variant), iqm(np.array(known)))

    def failed(self, variant: str, cause: str, *, misfit: bool = False) -> None:
        self._study.fail(number_of(variant), cause, misfit=misfit)

    def ended(self, cause: str) -> None:
        self._study.end(cause)

    def _never_begun(self, begun: Container[str]) -> SearchTrial | None:
        running = (trial for trial in self._study.trials if trial.state is TrialState.RUNNING)
        return next((trial for trial in running if variant_of(trial.number) not in begun), None)

    def _proposal(self, trial: SearchTrial) -> Proposal:
        return Proposal(variant_of(trial.number), f"Trial {trial.number}", trial.values, self._seeds)


def number_of(variant: str) -> int:
    """The number of a search's trial by the id of its variant. Raises ValueError for that of no trial."""
    return int(variant.removeprefix(PREFIX))


def variant_of(number: int) -> str:
    """The id of the variant that a search's trial is."""
    return f"{PREFIX}{number}"
