"""Situations for tests of hints: recorded curves of real runs, and synthetic curves."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rlviz.domain.evaluation import BestPolicy
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.server.metrics.hints import rollout_of
from rlviz.stats.arrays import Series
from rlviz.stats.hints import Case, RequestedEvaluation

RECORDED = Path(__file__).parents[1] / "fixtures" / "hints"
"""One file a run: its settings, its best policy, and by metric steps and values with four digits."""

PRESETS = RECORDED / "presets.json.xz"
"""Runs of every preset, by name, in one file: steps as differences, so that it stays small."""


def dump_presets(runs: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return the content of ``PRESETS``."""
    found = {name: {**run, "series": _with_differences(run["series"])} for name, run in runs.items()}
    return lzma.compress(json.dumps(found, separators=(",", ":")).encode(), preset=9 | lzma.PRESET_EXTREME)


@cache
def preset_runs() -> Mapping[str, Mapping[str, Any]]:
    """Return the recorded runs by name, for instance ``acrobot/ppo-fast``."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(lzma.decompress(PRESETS.read_bytes()))
    return found


def recorded(name: str, share: float = 1.0) -> Case:
    """Return the run as it was after ``share`` of its timesteps; 1 is an ended run."""
    found = _read(name)
    return _case(found, np.inf if share == 1 else share * found["total_timesteps"], ended=share == 1)


def recorded_preset(name: str, share: float = 1.0, *, asked_for: int | None = None) -> Case:
    """Return a run of a preset as it was after ``share`` of the recording; 1 is an ended run.

    ``asked_for``: timesteps that it was created with, where they are fewer than those of its preset.
    """
    run = preset_runs()[name]
    series = {metric: _summed(columns) for metric, columns in run["series"].items()}
    last = max((columns["step"][-1] for columns in series.values() if columns["step"]), default=0)
    found = {**run, "series": series, "total_timesteps": asked_for or run["total_timesteps"]}
    return _case(found, np.inf if share == 1 else share * last, ended=share == 1)


def _case(found: Mapping[str, Any], end: float, *, ended: bool) -> Case:
    environment = ENVIRONMENTS.get(found["env_id"]).resolve(found["env_options"])
    best = found["best_policy"]
    preset_timesteps = found.get("preset_timesteps")
    return Case(
        algo=found["algo"],
        hyperparameters=found["hyperparameters"],
        total_timesteps=found["total_timesteps"],
        series={name: cut for name, columns in found["series"].items() if len(cut := _until(columns, end))},
        ended=ended,
        actions=environment.action_space.n,
        threshold=environment.reward_threshold,
        best=BestPolicy.model_validate(best) if best is not None and best["step"] <= end else None,
        rollout=rollout_of(found["algo"], found["hyperparameters"]),
        preset_timesteps=preset_timesteps,
        changed_preset=preset_timesteps is None,
        requested=[RequestedEvaluation(*one) for one in found.get("requested", []) if ended],
        expected=found.get("expected"),
    )


@cache
def _read(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((RECORDED / f"{name}.json").read_text())
    return found


def _with_differences(series: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        name: {"step": np.diff(columns["step"], prepend=0).tolist(), "value": columns["value"]}
        for name, columns in series.items()
    }


def _summed(columns: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"step": np.cumsum(columns["step"]).tolist(), "value": columns["value"]}


def _until(columns: Mapping[str, Any], end: float) -> Series:
    step = np.array(columns["step"], dtype=np.float64)
    value = np.array(columns["value"], dtype=np.float64)
    count = int(np.searchsorted(step, end, side="right"))
    return Series(step[:count], step[:count] / 1_000, value[:count])
