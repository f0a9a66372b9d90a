"""Pruners and less common samplers of a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.searching import SPACE, search
from rlviz.domain.experiments import FloatRange, PrunerName, SamplerName, Sweep
from rlviz.learning.search.study import Study, TrialState

NUMBERS: dict[str, Any] = {"x": SPACE["x"], "y": FloatRange(low=-5, high=5)}


@pytest.mark.parametrize("name", [SamplerName.CMA_ES, SamplerName.GAUSSIAN_PROCESS])
def test_the_other_samplers_find_good_trials(tmp_path: Path, name: SamplerName) -> None:
    found = search(tmp_path, Sweep(space=NUMBERS, sampler=name, trials=15, seed=1)).trials
    assert len(found) == 15
    assert max(trial.objective or -1e9 for trial in found) > -1.0


@pytest.mark.parametrize("name", [PrunerName.MEDIAN, PrunerName.SUCCESSIVE_HALVING, PrunerName.HYPERBAND])
def test_a_trial_that_falls_behind_is_pruned_and_the_best_one_never(tmp_path: Path, name: PrunerName) -> None:
    study = Study(tmp_path, "test", Sweep(space=SPACE, pruner=name, trials=40, sampler=SamplerName.RANDOM))
    while (asked := study.ask()) is not None:
        quality = -1.0 if asked.number % 2 else float(asked.number)
        given_up = any(study.report(asked.number, step, quality * step) for step in range(1, 13))
        if given_up:
            study.give_up(asked.number)
        else:
            study.complete(asked.number, quality)
    found = study.trials
    pruned = {trial.number for trial in found if trial.state is TrialState.PRUNED}
    assert pruned
    assert all(number % 2 for number in pruned)
