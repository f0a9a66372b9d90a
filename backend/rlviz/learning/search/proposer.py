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
    """A variant to train with each of ``seeds``. ``values`` replace hyperparameters of the base configuration."""

    variant: str
    label: str
    values: Mapping[str, JsonValue]
    seeds: Sequence[int]


@dataclass(frozen=True)
class SeedReturns:
    """Evaluations during training of one seed so far, oldest first, NaN before its first update.

    ``trains`` is True while more may come.
    """

    returns: Sequence[float]
    trains: bool


class Proposer(Protocol):
    """Proposes variants and learns their results. Not for several threads.

    Every change is on disk before a method returns. After a restart, the scheduler passes the variants that it has
    started, and gets proposed ones that it has not.
    """

    def propose(self, started: Container[str]) -> Proposal | None:
        """Return a variant that is not among those ``started``, or None if there is none left."""

    def has_more(self, started: Container[str]) -> bool:
        """Return whether there is a variant to propose, without proposing it."""

    def evaluated(self, variant: str, seeds: Sequence[SeedReturns]) -> bool:
        """Report all evaluations so far of all started seeds. Returns whether to stop all seeds of the variant."""

    def finished(self, variant: str, scores: Sequence[float | None]) -> None:
        """Report the scores of all seeds, None for those without. A second call does nothing."""

    def failed(self, variant: str, cause: str, *, misfit: bool = False) -> None:
        """Report that the variant has no score. ``misfit``: its values cannot be trained with."""

    def ended(self, cause: str) -> None:
        """Report that training is over: unfinished variants get no score. A second call does nothing."""


class FixedVariants:
    """Variants planned when the experiment was opened. None is proposed later or pruned."""

    def propose(self, started: Container[str]) -> Proposal | None:
        return None

    def has_more(self, started: Container[str]) -> bool:
        return False

    def evaluated(self, variant: str, seeds: Sequence[SeedReturns]) -> bool:
        return False

    def finished(self, variant: str, scores: Sequence[float | None]) -> None:
        """Do nothing."""

    def failed(self, variant: str, cause: str, *, misfit: bool = False) -> None:
        """Do nothing."""

    def ended(self, cause: str) -> None:
        """Do nothing."""


class SearchProposer:
    """Proposes a study's trials as variants ``trial-0``, ``trial-1``, …, each with the same ``seeds``."""

    def __init__(self, study: Study, seeds: Sequence[int]) -> None:
        self._study, self._seeds = study, seeds

    def proposed(self) -> list[Proposal]:
        """Return the variants proposed so far, in order."""
        return [self._proposal(trial) for trial in self._study.trials]

    def propose(self, started: Container[str]) -> Proposal | None:
        """Return a variant that was proposed but not started before a restart, or else a new one."""
        found = self._find_unstarted(started) or self._study.ask()
        return None if found is None else self._proposal(found)

    def has_more(self, started: Container[str]) -> bool:
        return self._find_unstarted(started) is not None or not self._study.is_over

    def evaluated(self, variant: str, seeds: Sequence[SeedReturns]) -> bool:
        """Report to the pruner, for each evaluation, the interquartile mean of the seeds that have it.

        It is reported once all seeds in training have the evaluation and have learned. A seed that starts later changes
        earlier reports, and the trial is judged by the new values.
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
        """Complete the trial, or fail it if a seed has no score, because its values may be the reason."""
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

    def _find_unstarted(self, started: Container[str]) -> SearchTrial | None:
        running = (trial for trial in self._study.trials if trial.state is TrialState.RUNNING)
        return next((trial for trial in running if variant_of(trial.number) not in started), None)

    def _proposal(self, trial: SearchTrial) -> Proposal:
        return Proposal(variant_of(trial.number), f"Trial {trial.number}", trial.values, self._seeds)


def number_of(variant: str) -> int:
    """Return the trial number of a search's variant. Raises ValueError for other variants."""
    return int(variant.removeprefix(PREFIX))


def variant_of(number: int) -> str:
    """Return the variant id of a search's trial."""
    return f"{PREFIX}{number}"
