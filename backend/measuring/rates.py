"""Measures how fast presets train, in environment steps per second of one processor core.

    python -m measuring.rates [ENVIRONMENT …]

Trains the Fast preset of each algorithm for some seconds on each environment with presets, without evaluations, and
writes ``rates.json``. docs/presets.md uses it to estimate how long measuring takes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rlviz.domain.presets import PresetId
from rlviz.learning.presets.catalog import preset_files
from rlviz.rundir.files import write_atomically

if TYPE_CHECKING:
    from rlviz.domain.config import RunConfig

RATES = Path(__file__).with_name("rates.json")
SECONDS = 8.0
"""Least processor time of a measurement, which also includes at least one update."""

WARM_UP_STEPS = 1_000
MEMORY = 10_000
"""Size of the replay buffer, so that an estimate does not need gigabytes."""

Rates = Mapping[str, Mapping[str, float]]
"""Steps per second, by environment and algorithm."""


@cache
def known_rates() -> Rates:
    found: Rates = json.loads(RATES.read_text()) if RATES.exists() else {}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment", nargs="*", help="ids, for instance CartPole-v1; all by default")
    wanted = parser.parse_args().environment
    for env_id, algorithm in _pairs():
        if wanted and env_id not in wanted:
            continue
        with multiprocessing.get_context("spawn").Pool(1) as apart:  # a process for each, as for runs
            rate = apart.apply(_rate, (env_id, algorithm))
        print(f"{env_id} {algorithm}: {rate:,.0f} steps/s", flush=True)
        _keep(env_id, algorithm, rate)


def _pairs() -> list[tuple[str, str]]:
    return sorted(
        {
            (file.environment, preset.algorithm)
            for file in preset_files()
            if file.environment is not None
            for preset in file.preset
        }
    )


def _keep(env_id: str, algorithm: str, rate: float) -> None:
    found = json.loads(RATES.read_text()) if RATES.exists() else {}
    found.setdefault(env_id, {})[algorithm] = float(f"{rate:.2g}")
    write_atomically(RATES, json.dumps(found, indent=2, sort_keys=True).encode() + b"\n")


def _rate(env_id: str, algorithm: str) -> float:
    from rlviz.learning.training.builder import build_model, closing_environments

    with closing_environments(build_model(_config(env_id, algorithm))) as model:
        return _rate_of(model)


def _config(env_id: str, algorithm: str) -> RunConfig:
    from rlviz.learning.algorithms import ALGORITHMS
    from rlviz.server.runs.configuration import NewRun, resolve_config

    preset = next(
        preset
        for file in preset_files()
        if file.environment == env_id
        for preset in file.preset
        if (preset.algorithm, preset.id) == (algorithm, PresetId.FAST)
    )
    fields = ALGORITHMS.get(algorithm).hyperparameters.model_fields
    small = {"learning_starts": WARM_UP_STEPS // 2, "buffer_size": MEMORY}
    changes = {name: value for name, value in small.items() if name in fields}
    return resolve_config(
        NewRun(algorithm, env_id, seed=0, env_options=preset.when, hyperparameters=changes), time.time()
    )


class _LongEnough(Exception):
    """Ends the training."""


def _rate_of(model: object) -> float:
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback

    assert isinstance(model, BaseAlgorithm)

    class Marks(BaseCallback):
        """Notes the time and the steps at the start of rollouts, between updates."""

        first: tuple[float, int] | None = None
        rate = 0.0

        def _on_rollout_start(self) -> None:
            now, step = time.process_time(), self.num_timesteps
            is_off_policy = hasattr(self.model, "learning_starts")
            if self.first is None:
                if not is_off_policy or step >= WARM_UP_STEPS:
                    self.first = now, step
            elif now - self.first[0] >= SECONDS:
                self.rate = (step - self.first[1]) / (now - self.first[0])
                raise _LongEnough

        def _on_step(self) -> bool:
            return True

    marks = Marks()
    try:
        model.learn(10**9, callback=marks)
    except _LongEnough:
        return marks.rate
    raise AssertionError("training does not end by itself")


if __name__ == "__main__":
    main()
