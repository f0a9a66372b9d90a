"""Runs the statistics libraries of the field on fixed scores, in a separate environment: their results and their time.

    python peer_statistics.py values     prints tests/unit/statistics/peers.json
    python peer_statistics.py seconds    seconds for RESAMPLES resamples of 10 × 10 scores, as the last line

Uses rliable for aggregates, profiles and the probability of improvement, SciPy for BCa, statsmodels for Kaplan-Meier.
This program does not depend on them: they take 400 MB, and Stable-Baselines3 imports two of them in every worker if
they are installed. ``benchmarks/intervals.py`` installs them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats
from rliable import library, metrics
from statsmodels.duration.survfunc import SurvfuncRight

RESAMPLES = 50_000
TAUS = [0.0, 0.25, 0.5, 0.75, 1.0]


def scores(runs: int, tasks: int, shift: float = 0.0) -> np.ndarray:
    """Return skewed scores with ties."""
    rng = np.random.default_rng([runs, tasks])
    return np.round(np.minimum(rng.gamma(2.0, 0.3, (runs, tasks)) + shift, 1.2), 2)


def aggregate_case(runs: int, tasks: int) -> dict[str, Any]:
    found = scores(runs, tasks)
    low, high = interval(found, metrics.aggregate_iqm)
    profile, band = library.create_performance_profile({"it": found}, np.array(TAUS), reps=RESAMPLES)
    return {
        "scores": found.T.tolist(),
        "iqm": float(metrics.aggregate_iqm(found)),
        "mean": float(metrics.aggregate_mean(found)),
        "task_median": float(metrics.aggregate_median(found)),
        "optimality_gap": float(metrics.aggregate_optimality_gap(found)),
        "iqm_interval": [low, high],
        "profile": {"values": TAUS, "share": profile["it"].tolist(), "band": band["it"].tolist()},
    }


def interval(found: np.ndarray, aggregate: Callable[[np.ndarray], Any]) -> list[float]:
    _, intervals = library.get_interval_estimates(
        {"it": found}, lambda drawn: np.array([aggregate(drawn)]), reps=RESAMPLES
    )
    return [float(end) for end in intervals["it"][:, 0]]


def improvement_case(first: int, second: int, tasks: int) -> dict[str, Any]:
    ours, theirs = scores(first, tasks, 0.1), scores(second, tasks)
    estimate, intervals = library.get_interval_estimates(
        {"it": (ours, theirs)}, lambda x, y: np.array([metrics.probability_of_improvement(x, y)]), reps=5_000
    )
    return {
        "first": ours.T.tolist(),
        "second": theirs.T.tolist(),
        "probability": float(estimate["it"][0]),
        "interval": [float(end) for end in intervals["it"][:, 0]],
    }


def bca_case(runs: int) -> dict[str, Any]:
    found = scores(runs, 1)[:, 0]
    ends = {}
    for name, statistic in (("mean", np.mean), ("iqm", lambda x, axis: scipy.stats.trim_mean(x, 0.25, axis=axis))):
        result = scipy.stats.bootstrap((found,), statistic, n_resamples=RESAMPLES, method="BCa", rng=1, axis=-1)
        ends[name] = [float(result.confidence_interval.low), float(result.confidence_interval.high)]
    return {"scores": [found.tolist()], **ends}


def survival_case(runs: int, share: float) -> dict[str, Any]:
    rng = np.random.default_rng(runs)
    steps, reached = rng.integers(1, 12, runs) * 1_000, rng.random(runs) < share
    found = SurvfuncRight(steps.astype(float), reached.astype(int))
    return {
        "steps": steps.tolist(),
        "reached": reached.tolist(),
        "step": found.surv_times.tolist(),
        "waiting": found.surv_prob.tolist(),
        "error": found.surv_prob_se.tolist(),
        "at_risk": found.n_risk.tolist(),
        "median_interval": [float(end) for end in found.quantile_ci(0.5, method="cloglog")],
    }


def values() -> dict[str, Any]:
    np.random.seed(7)
    return {
        "aggregates": [aggregate_case(*size) for size in ((3, 1), (5, 1), (10, 1), (5, 4), (10, 10))],
        "improvements": [improvement_case(*sizes) for sizes in ((5, 5, 1), (10, 7, 1), (8, 10, 5))],
        "bca": [bca_case(runs) for runs in (10, 30)],
        "survivals": [survival_case(*case) for case in ((10, 0.6), (30, 0.8), (5, 1.0))],
    }


def seconds() -> float:
    found = scores(10, 10)
    began = time.perf_counter()
    interval(found, metrics.aggregate_iqm)
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(values() if sys.argv[1] == "values" else seconds()))
