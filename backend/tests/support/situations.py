"""Situations that hints are judged by: curves of real runs, as they were recorded, and curves made up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rlviz.analysis.columns import Series
from rlviz.analysis.hints import Case
from rlviz.domain.evaluation import BestPolicy
from rlviz.environments import ENVIRONMENTS

RECORDED = Path(__file__).parents[1] / "fixtures" / "hints"
"""One file a run: its settings, its best policy, and by metric steps and values with four digits."""


def recorded(name: str, share: float = 1.0) -> Case:
    """The run as it was when ``share`` of its timesteps were done; at 1 it has ended."""
    found = _read(name)
    environment = ENVIRONMENTS.get(found["env_id"]).resolve(found["env_options"])
    end = np.inf if share == 1 else share * found["total_timesteps"]
    best = found["best_policy"]
    return Case(
        algo=found["algo"],
        hyperparameters=found["hyperparameters"],
        total_timesteps=found["total_timesteps"],
        series={name: cut for name, columns in found["series"].items() if len(cut := _until(columns, end))},
        ended=share == 1,
        actions=environment.action_space.n,
        threshold=environment.reward_threshold,
        best=BestPolicy.model_validate(best) if best is not None and best["step"] <= end else None,
    )


@cache
def _read(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((RECORDED / f"{name}.json").read_text())
    return found


def _until(columns: Mapping[str, Any], end: float) -> Series:
    step = np.array(columns["step"], dtype=np.float64)
    value = np.array(columns["value"], dtype=np.float64)
    count = int(np.searchsorted(step, end, side="right"))
    return Series(step[:count], step[:count] / 1_000, value[:count])
