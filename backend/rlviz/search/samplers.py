"""Samplers: how Optuna proposes values."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from rlviz.domain.registry import load
from rlviz.domain.sweep import SamplerName, Sweep, grid_values, label_of

UNBORN = "unborn"
"""Marks a trial whose values were not all written when the process died: nobody has heard of it."""

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


def make_sampler(sweep: Sweep, begun: int) -> BaseSampler:
    """``begun``: trials that were proposed before. With 0 it draws exactly as Optuna's own sampler of the same seed."""
    seed = sweep.seed if begun == 0 else int(np.random.SeedSequence([sweep.seed, begun]).generate_state(1)[0])
    sampler: BaseSampler
    match sweep.sampler:
        case SamplerName.TPE:
            sampler = load("optuna.samplers:TPESampler")(seed=seed)
        case SamplerName.CMA_ES:
            sampler = _quietly("optuna.samplers:CmaEsSampler", seed=seed, warn_independent_sampling=False)
        case SamplerName.GAUSSIAN_PROCESS:
            sampler = _quietly("optuna.samplers:GPSampler", seed=seed, warn_independent_sampling=False)
        case SamplerName.RANDOM:
            sampler = load("optuna.samplers:RandomSampler")(seed=seed)
        case SamplerName.GRID:
            sampler = load("rlviz.search.grid:Grid")(_grid(sweep), sweep.seed, UNBORN)
    return sampler


def _grid(sweep: Sweep) -> dict[str, list[Any]]:
    return {name: [label_of(value) for value in grid_values(parameter)] for name, parameter in sweep.space.items()}


def _quietly(reference: str, **options: object) -> Any:
    """Some samplers are marked as experimental, which warns whoever makes one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", load("optuna.exceptions:ExperimentalWarning"))
        return load(reference)(**options)
