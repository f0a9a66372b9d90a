"""Compares a search with Optuna's own ``optimize``, with the same seed and an objective that takes no time.

Measures the best value of each, and the time of a proposal.

    python -m benchmarks searching
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import optuna

from benchmarks.support import Figure, figure
from rlviz.domain.experiments import Choice, FloatRange, IntRange, SamplerName, Sweep
from rlviz.learning.search.study import Study

TRIALS = 30
SEED = 7

SPACE: dict[str, Any] = {
    "x": FloatRange(low=-5, high=5),
    "rate": FloatRange(low=1e-5, high=1e-1, log=True),
    "n": IntRange(low=1, high=8),
    "kind": Choice(choices=["a", "b"]),
}

SAMPLERS: dict[SamplerName, Callable[..., optuna.samplers.BaseSampler]] = {
    SamplerName.TPE: optuna.samplers.TPESampler,
    SamplerName.RANDOM: optuna.samplers.RandomSampler,
}
"""Samplers that support every kind of parameter."""


def objective(values: Mapping[str, Any]) -> float:
    """Return the objective, whose maximum is 0 at x = 1 and n = 4 for kind b."""
    return float(-((values["x"] - 1) ** 2) - abs(values.get("n", 4) - 4) - (values.get("kind", "b") == "a"))


def search(folder: Path, sweep: Sweep, until: int | None = None) -> Study:
    study = Study(folder, "test", sweep)
    while (until is None or len(study.trials) < until) and (asked := study.ask()) is not None:
        study.complete(asked.number, objective(asked.values))
    return study


def optunas_own(sampler: optuna.samplers.BaseSampler, trials: int) -> optuna.Study:
    def suggest(trial: optuna.Trial) -> float:
        values = {
            "x": trial.suggest_float("x", -5, 5),
            "rate": trial.suggest_float("rate", 1e-5, 1e-1, log=True),
            "n": trial.suggest_int("n", 1, 8),
            "kind": trial.suggest_categorical("kind", ["a", "b"]),
        }
        return objective(values)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(suggest, n_trials=trials)
    return study


def run() -> Iterator[Figure]:
    for name, make in SAMPLERS.items():
        with tempfile.TemporaryDirectory() as folder:
            begin = time.monotonic()
            found = search(Path(folder), Sweep(space=SPACE, sampler=name, trials=TRIALS, seed=SEED)).trials
            seconds = time.monotonic() - begin
        best = max(trial.objective for trial in found if trial.objective is not None)
        own = optunas_own(make(seed=SEED), TRIALS).best_value
        what = f"{name.value}: best of {TRIALS} trials"
        yield figure(what, best, "")
        yield figure(f"{what}, away from Optuna's own with the same seed", abs(best - own), "", at_most=0)
        yield figure(f"{name.value}: a proposal, written down", seconds / TRIALS * 1e3, "ms")
