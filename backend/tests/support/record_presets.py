"""Train every preset for some time, to record logs for tests of the hint rules.

    nice -n 19 python -m tests.support.record_presets FOLDER [NAME …]

A preset that trains for at most ``WHOLE_SECONDS`` of processor time is trained to its end; any other is stopped after
``CUT_SECONDS``. If training made no greedy evaluation, the last policy is evaluated afterwards, as on a user's request.
Runs stay in FOLDER: the next call trains only what is missing, then writes the fixtures again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from pydantic import JsonValue

from rlviz.domain.presets import Preset
from rlviz.learning.presets.catalog import measured, preset_files

if TYPE_CHECKING:
    from rlviz.rundir.folder import RunFolder

WHOLE_SECONDS = 16.0
CUT_SECONDS = 3.0
LONGEST_SECONDS = 60.0
"""A preset that is trained to its end is stopped after this time of the processor all the same."""

REQUESTED_EPISODES = 20
SEED = 1
MOST_BUFFERED = 20_000

HOSTS = {"sac": "Pendulum-v1", "td3": "Pendulum-v1"}
"""Where the presets for any environment are trained; the others on FrozenLake."""


@dataclass(frozen=True)
class Wanted:
    """A preset and its environment. ``name`` is, for instance, ``acrobot/ppo-fast``."""

    name: str
    preset: Preset
    env_id: str
    is_general: bool

    @property
    def seconds(self) -> float:
        """Return the processor time after which training is stopped."""
        figures = measured(self.preset, self.env_id)
        is_whole = figures is not None and figures.seconds <= WHOLE_SECONDS
        return LONGEST_SECONDS if is_whole else CUT_SECONDS


def wanted_presets() -> Iterator[Wanted]:
    """Return every preset once."""
    for file in preset_files():
        for preset in file.preset:
            env_id = file.environment or HOSTS.get(preset.algorithm, "FrozenLake-v1")
            place = "any" if file.environment is None else env_id.removeprefix("ALE/").rpartition("-v")[0].lower()
            yield Wanted(
                f"{place}{_options(preset.when)}/{preset.algorithm}-{preset.id}",
                preset,
                env_id,
                file.environment is None,
            )


def _options(when: Mapping[str, JsonValue]) -> str:
    return "".join(
        f"-{name.replace('_', '-')}" if value is True else f"-not-{name.replace('_', '-')}" if value is False
        else f"-{value}"
        for name, value in when.items()
    )  # fmt: skip


def train(wanted: Wanted, folder: RunFolder) -> None:
    """Train the preset in ``folder``, and evaluate it if training did not. Runs in a separate process."""
    import torch

    from rlviz.domain.config import CheckpointPlan, SnapshotPlan
    from rlviz.learning.environments.custom import find_environment
    from rlviz.learning.training.watched import train_run
    from rlviz.server.runs.configuration import NewRun, resolve_config

    torch.set_num_threads(1)
    preset, is_general = wanted.preset, wanted.is_general
    new = NewRun(
        preset.algorithm,
        wanted.env_id,
        preset=None if is_general else preset.id.value,
        seed=SEED,
        total_timesteps=preset.total_timesteps,
        env_options=preset.when,
        hyperparameters=preset.hyperparameters if is_general else {},
        snapshots=SnapshotPlan(every_seconds=None),
        anatomy=False,
    )
    config = resolve_config(new, time.time())
    hyperparameters = dict(config.hyperparameters)
    if "buffer_size" in hyperparameters:  # a short training fills no large buffer
        hyperparameters["buffer_size"] = min(hyperparameters["buffer_size"], MOST_BUFFERED)
    changes = {
        "run_id": folder.run_id,
        "preset": preset.id.value,
        "hyperparameters": hyperparameters,
        "checkpoints": CheckpointPlan(film=0),
    }
    folder.create(config.model_copy(update=changes))
    stop = Event()
    Thread(target=_stop_after, args=(wanted.seconds, stop), daemon=True).start()
    train_run(folder, stop)
    was_evaluated = config.evaluation.every_steps is not None
    sees_pictures = find_environment(config).observation_space.is_picture  # whose episodes take minutes
    if not was_evaluated and not sees_pictures and folder.model_path.exists():
        _evaluate(folder)


def _stop_after(seconds: float, stop: Event) -> None:
    while time.process_time() < seconds:
        time.sleep(0.2)
    stop.set()


def _evaluate(folder: RunFolder) -> None:
    from datetime import UTC, datetime

    from rlviz.domain.evaluation import EvaluationRecord
    from rlviz.domain.ids import new_evaluation_id
    from rlviz.learning.playing.evaluate import evaluate

    now = datetime.now(UTC)
    record = EvaluationRecord(
        id=new_evaluation_id(now),
        run_id=folder.run_id,
        created_at=now,
        checkpoint=folder.model_path.name,
        episodes=REQUESTED_EPISODES,
        video=False,
    )
    folder.evaluations.write(record)
    evaluate(folder, record.id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the runs lie")
    parser.add_argument("name", nargs="*", help="beginnings of names, for instance acrobot/ppo; default: all")
    options = parser.parse_args()
    import rlviz.learning.playing.evaluate
    import rlviz.learning.training.watched  # noqa: F401  (once, before the processes that train are forked)
    from rlviz.rundir.folder import RunFolder

    context = multiprocessing.get_context("fork")
    for wanted in wanted_presets():
        folder = RunFolder(options.folder, wanted.name.replace("/", "-"))
        done = options.folder / f"{folder.run_id}.done"
        if done.exists() or (options.name and not wanted.name.startswith(tuple(options.name))):
            continue
        shutil.rmtree(folder.path, ignore_errors=True)  # of a call that was interrupted
        begin = time.time()
        process = context.Process(target=train, args=(wanted, folder))
        process.start()
        process.join()
        if process.exitcode == 0:
            done.touch()
        print(f"{wanted.name}: {process.exitcode}, {time.time() - begin:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    main()
