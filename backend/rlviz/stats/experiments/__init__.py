"""Results of experiments: from the scores of trials, by variant and seed, to figures that say how they were made.

Pure functions; ``experiment_results`` combines them.
"""

from __future__ import annotations

from rlviz.stats.experiments.results import ExperimentResults, experiment_results
from rlviz.stats.experiments.trials import LearningCurve, Made, Scale, ScoreKind, Setting, Trial

__all__ = ["ExperimentResults", "LearningCurve", "Made", "Scale", "ScoreKind", "Setting", "Trial", "experiment_results"]
