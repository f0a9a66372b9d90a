"""Record runs for tests of the hint rules.

    python -m tests.support.record_situation NAME FOLDER      one run, as fixtures/hints/NAME.json
    python -m tests.support.record_situation --presets FOLDER every run of ``record_presets`` in FOLDER

A record holds the run's settings, its best policy, its requested greedy evaluations, and the metrics that rules use,
with four digits.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.metrics import EVAL_REWARD
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.presets.catalog import preset_for
from rlviz.rundir.folder import RunFolder
from rlviz.server.metrics.hints import expected_return, requested_evaluation
from rlviz.server.metrics.service import MetricsService
from rlviz.stats.hints import RequestedEvaluation
from rlviz.stats.hints.registry import RETURN_RULES, RULES
from tests.support.record_presets import wanted_presets
from tests.support.situations import PRESETS, RECORDED, dump_presets

METRICS = dict.fromkeys([*(name for rule in [*RETURN_RULES, *RULES] for name in rule.metrics), EVAL_REWARD])


def record(folder: RunFolder) -> dict[str, Any]:
    """Return the record of a run."""
    config, best = folder.read_config(), folder.best_policy()
    series = MetricsService().read(folder).series
    hyperparameters = ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps)
    return {
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


def record_preset(folder: RunFolder, *, is_general: bool) -> dict[str, Any]:
    """Return the record of an unchanged run of a preset, with its preset and its requested evaluations."""
    config, found = folder.read_config(), record(folder)
    last = max((columns["step"][-1] for columns in found["series"].values()), default=0)
    return {
        **found,
        "preset_timesteps": config.total_timesteps,
        "expected": None if is_general else _expected(config),
        "requested": [[last, one.mean, float(f"{one.error:.3g}")] for one in _requested(folder, last)],
    }


def _expected(config: RunConfig) -> float | None:
    preset = preset_for(str(config.preset), config.algo, config.env_id, config.env_options)
    return expected_return(preset, config.env_id)  # type: ignore[arg-type]


def _requested(folder: RunFolder, step: int) -> list[RequestedEvaluation]:
    """Return the requested greedy evaluations, all of the policy of ``step``."""
    paths = folder.evaluations.path.glob("*.json")
    records = [EvaluationRecord.model_validate_json(path.read_bytes()) for path in paths]
    return [
        requested_evaluation(step, one.summary) for one in records if one.origin == "asked" and one.summary is not None
    ]


def main() -> None:
    if sys.argv[1] != "--presets":
        (RECORDED / f"{sys.argv[1]}.json").write_text(
            json.dumps(record(RunFolder.at(Path(sys.argv[2]))), separators=(",", ":")) + "\n"
        )
        return
    found = {}
    for wanted in wanted_presets():
        folder = RunFolder(Path(sys.argv[2]), wanted.name.replace("/", "-"))
        if (Path(sys.argv[2]) / f"{folder.run_id}.done").exists():
            found[wanted.name] = record_preset(folder, is_general=wanted.is_general)
    PRESETS.write_bytes(dump_presets(found))


if __name__ == "__main__":
    main()
