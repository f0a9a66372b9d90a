"""Records a run for the rules of hints to be tried on: ``python -m tests.support.record_situation NAME FOLDER``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from rlviz.algorithms import ALGORITHMS
from rlviz.analysis.hints.registry import RETURN_RULES, RULES
from rlviz.domain.records import EVAL_REWARD
from rlviz.rundir.folder import RunFolder
from rlviz.services.use_cases.metrics import MetricsService
from tests.support.situations import RECORDED

METRICS = dict.fromkeys([*(name for rule in [*RETURN_RULES, *RULES] for name in rule.metrics), EVAL_REWARD])


def record(folder: RunFolder, path: Path) -> None:
    """The settings of the run, its best policy, and the metrics that rules look at, with four digits."""
    config, best = folder.read_config(), folder.best_policy()
    series = MetricsService().read(folder).series
    hyperparameters = ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps)
    found = {
        "algo": config.algo,
        "env_id": config.env_id,
        "env_options": config.env_options,
        "total_timesteps": config.total_timesteps,
        "hyperparameters": hyperparameters.model_dump(mode="json"),
        "best_policy": best.model_dump() if best is not None else None,
        "series": {
            name: {
                "step": [int(step) for step in series[name].step],
                "value": [float(f"{value:.4g}") if np.isfinite(value) else None for value in series[name].value],
            }
            for name in METRICS
            if name in series
        },
    }
    path.write_text(json.dumps(found, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    record(RunFolder.at(Path(sys.argv[2])), RECORDED / f"{sys.argv[1]}.json")
