"""Statistics over seeds, as Agarwal et al. recommend (2021, https://arxiv.org/abs/2108.13264).

Scores come as *strata*: one array of shape (n,) for each task, with one score for each seed. Scores of different tasks
are on one scale, or the caller brings them there. ``docs/experiments.md`` says which figure to use for what.
"""

from rlviz.analysis.statistics.aggregates import (
    Statistic,
    interquartile_mean,
    iqm,
    mean,
    median,
    optimality_gap,
    task_median,
)
from rlviz.analysis.statistics.banded_curve import BandedCurve, banded_curve
from rlviz.analysis.statistics.bootstrap import Interval, Method, bootstrap_interval
from rlviz.analysis.statistics.improvement import Improvement, probability_of_improvement
from rlviz.analysis.statistics.profiles import Profile, performance_profile
from rlviz.analysis.statistics.rank_test import rank_test
from rlviz.analysis.statistics.summary import Summary, summarize
from rlviz.analysis.statistics.survival import Survival, kaplan_meier

__all__ = [
    "BandedCurve",
    "Improvement",
    "Interval",
    "Method",
    "Profile",
    "Statistic",
    "Summary",
    "Survival",
    "banded_curve",
    "bootstrap_interval",
    "interquartile_mean",
    "iqm",
    "kaplan_meier",
    "mean",
    "median",
    "optimality_gap",
    "performance_profile",
    "probability_of_improvement",
    "rank_test",
    "summarize",
    "task_median",
]
