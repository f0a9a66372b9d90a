"""What an experiment shows: from the scores of its trials, by variant and seed, to results that say how they were made.

Pure functions; ``experiment_results`` is the one that puts them together.
"""

from __future__ import annotations

from rlviz.stats.experiments.results import ExperimentResults, experiment_results
from rlviz.stats.experiments.trials import LearningCurve, Made, Scale, ScoreKind, Setting, Trial

__all__ = ["ExperimentResults", "LearningCurve", "Made", "Scale", "ScoreKind", "Setting", "Trial", "experiment_results"]
