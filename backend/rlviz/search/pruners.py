"""Pruners: when Optuna gives a trial up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlviz.domain.registry import load
from rlviz.domain.sweep import PrunerName

if TYPE_CHECKING:
    from optuna.pruners import BasePruner

STARTUP_TRIALS = 5
"""Trials that are trained to their end before the median says anything."""

WARMUP_EVALUATIONS = 2
"""Evaluations of a trial before it is judged: the first ones say little."""

REDUCTION = 3
"""The best third of the trials on a rung goes on to the next."""


def make_pruner(name: PrunerName) -> BasePruner:
    """Steps that are reported to it count evaluations, from 1."""
    pruner: BasePruner
    match name:
        case PrunerName.NONE:
            pruner = load("optuna.pruners:NopPruner")()
        case PrunerName.MEDIAN:
            pruner = load("optuna.pruners:MedianPruner")(
                n_startup_trials=STARTUP_TRIALS, n_warmup_steps=WARMUP_EVALUATIONS
            )
        case PrunerName.SUCCESSIVE_HALVING:
            pruner = load("optuna.pruners:SuccessiveHalvingPruner")(
                min_resource=WARMUP_EVALUATIONS, reduction_factor=REDUCTION
            )
        case PrunerName.HYPERBAND:
            pruner = load("optuna.pruners:HyperbandPruner")(
                min_resource=WARMUP_EVALUATIONS, max_resource="auto", reduction_factor=REDUCTION
            )
    return pruner
