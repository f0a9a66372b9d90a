"""What results need to know of an experiment, however it is specified and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rlviz.analysis.experiments import Scale
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.sweep import Sweep


@dataclass(frozen=True)
class Cell:
    """One trial of one variant with one seed. ``run_id`` is None until it has a run; ``score`` is the mean return of
    its policy on fresh episodes, None if it has none, and ``policy`` which policy that was, None if that is not known.
    ``ended``: whether nothing more is to come of it; ``skipped``: because its experiment was over before it had ended;
    ``pruned``: because the search gave it up.
    ``earlier_run_ids``: those of attempts that failed or were lost."""

    variant: str
    seed: int
    run_id: str | None
    score: float | None
    ended: bool
    earlier_run_ids: Sequence[str] = ()
    skipped: bool = False
    pruned: bool = False
    policy: PolicyChoice | None = None

    @property
    def run_ids(self) -> list[str]:
        """Of all attempts."""
        return [*self.earlier_run_ids, *([self.run_id] if self.run_id is not None else [])]


@dataclass(frozen=True)
class ExperimentSource:
    """``folder``: of the experiment; results are kept in ``results`` there. ``specification``: reads it, as JSON
    text.

    ``variants``: ids with labels, in the order of the specification; ``environments``: that of each, with its options;
    ``thresholds``: of environments the return to reach, where they have one. ``methods``: by variant, what it is called
    without its environment; ``scales``: of environments whose returns can be normalised. ``sweep``: of a search.
    """

    id: str
    title: str
    folder: Path
    specification: Callable[[], str]
    variants: dict[str, str]
    environments: dict[str, str]
    cells: Sequence[Cell]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    sweep: Sweep | None = None

    @property
    def threshold(self) -> float | None:
        """The return to reach that all environments have in common; None where there is none, or each has its own."""
        found = {self.thresholds.get(environment) for environment in self.environments.values()}
        return found.pop() if len(found) == 1 else None
