"""Experiments: what is compared, with which seeds, and what has become of each trial."""

from rlviz.domain.experiments.specification import (
    MOST_CELLS,
    MOST_UNCONFIRMED,
    ExperimentLimits,
    ExperimentSpec,
    FailMode,
    RunSpec,
    ScorePlan,
    Variant,
)
from rlviz.domain.experiments.trials import (
    CellStatus,
    ExperimentControl,
    ExperimentStatus,
    TrialLine,
    TrialState,
    new_experiment_id,
)

__all__ = [
    "MOST_CELLS",
    "MOST_UNCONFIRMED",
    "CellStatus",
    "ExperimentControl",
    "ExperimentLimits",
    "ExperimentSpec",
    "ExperimentStatus",
    "FailMode",
    "RunSpec",
    "ScorePlan",
    "TrialLine",
    "TrialState",
    "Variant",
    "new_experiment_id",
]
