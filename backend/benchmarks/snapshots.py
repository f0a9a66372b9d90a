"""Measures snapshots: how long they stop training, their cost and size, and the time to resume, roll back and pause.

Training with and without a snapshot plan is compared by processor time, in interleaved pairs; the plan takes a snapshot
every other second. The large replay buffer is that of DQN on Breakout; its first 90,000 frames are marked as stored, so
that they need not be played first.

    python -m benchmarks snapshots
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from benchmarks.support import Figure, figure, new_folder, scratch, service, start_run, stop_all, wait_until
from rlviz.domain.config import EvaluationPlan, SnapshotPlan
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.callback import RunCallback
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.snapshot.capture import Captured, Point, capture
from rlviz.learning.training.snapshot.compatibility import describe_build, describe_origin
from rlviz.learning.training.snapshot.replay import ReplayState, ReplayTape
from rlviz.learning.training.snapshot.schedule import Snapshots, Subject
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.files import write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of

TIMESTEPS = 25_000
PAIRS = 3
NONE = SnapshotPlan(every_seconds=None)

FRAMES, HELD = 100_000, 90_000
FRAME_STEPS, FRAMES_A_CAPTURE = 1_500, 200
ROLLBACK_STEPS, ROLLBACKS = {"ppo": 5_000, "sac": 1_000}, 5
PAUSES = 5


def run() -> Iterator[Figure]:
    yield from _small()
    yield from _large()
    for algo, name in (("ppo", "PPO on CartPole"), ("sac", "SAC on Pendulum")):
        yield from _roll_back(algo, name)
    yield from _pause()
    for algo, name in (("ppo", "PPO"), ("dqn", "DQN, with its replay buffer")):
        what = f"training throughput with snapshots against without, by processor time, {name}"
        yield figure(what, _ratio(algo), "×", at_least=0.98)


def _small() -> Iterator[Figure]:
    """Measure PPO on CartPole: each snapshot, and resuming from one of them."""
    with scratch() as root:
        folder = _train(root, TIMESTEPS, SnapshotPlan(every_steps=2_000, keep=100))
        found = snapshots_of(folder)
        held_up = [snapshot.manifest.capture_ms for snapshot in found]
        yield figure("capturing PPO on CartPole, median", statistics.median(held_up), "ms", at_most=50)
        yield figure("capturing PPO on CartPole, longest", max(held_up), "ms")
        yield figure("a snapshot of PPO on CartPole", found[-1].bytes / 1e6, "MB")
        yield figure(
            "worker resumes → first new row, warm", _resume(folder, found[len(found) // 2].name), "s", at_most=2
        )


def _resume(folder: RunFolder, name: str) -> float:
    """Return the seconds until the journal has grown. The run has ended before this returns."""
    folder.write_control(Control(desired=Desired.RUN, attempt=2, resume_from=name))
    folder.metrics_path.write_bytes(b"")
    begin = time.perf_counter()
    thread = Thread(target=train_run, args=(folder,))
    thread.start()
    wait_until(lambda: folder.metrics_path.stat().st_size > 0, 60)
    seconds = time.perf_counter() - begin
    thread.join()
    return seconds


def _large() -> Iterator[Figure]:
    """Take snapshots as a run does: new transitions are compressed and written in the background."""
    with scratch() as root:
        changes = {"buffer_size": FRAMES, "learning_starts": 500, "optimize_memory_usage": True}
        folder = new_folder(root, "dqn", 100_000, env_id="ALE/Breakout-v5", preset=None, hyperparameters=changes)
        config = folder.read_config()
        model: Any = build_model(config)
        model.replay_buffer.pos = HELD
        tape = ReplayTape(ReplayState(HELD, HELD, False, np.zeros(0)))
        journals = RunJournals(folder)

        def take(point: Point) -> Captured:
            return capture(model, {}, tape, point=point, last_row=0)

        subject = Subject(folder.run_id, 1, describe_build(config, model), describe_origin(config))
        plan = SnapshotPlan(every_steps=FRAMES_A_CAPTURE, every_seconds=None, keep=100)
        taken = Snapshots(folder, plan, journals, take, subject)
        model.learn(FRAME_STEPS, callback=_Takes(taken), reset_num_timesteps=False)
        taken.close()
        found = snapshots_of(folder)
        journals.close()
    held_up = [snapshot.manifest.capture_ms for snapshot in found]
    rows = FRAME_STEPS // FRAMES_A_CAPTURE * FRAMES_A_CAPTURE
    what = f"capturing DQN on Breakout with a replay buffer of {FRAMES:,} frames, written in the background"
    yield figure(f"{what}, median", statistics.median(held_up), "ms", at_most=300)
    yield figure(f"{what}, longest", max(held_up), "ms")
    yield figure("10,000 frames of Breakout on disk", found[-1].replay_bytes / rows / 100, "MB")


class _Takes(BaseCallback):
    """Takes snapshots at the same points as a run."""

    def __init__(self, snapshots: Snapshots) -> None:
        super().__init__()
        self._snapshots = snapshots

    def _on_rollout_start(self) -> None:
        if self._snapshots.is_due(self.num_timesteps, is_evaluated=False):
            self._snapshots.take_due(self.num_timesteps)

    def _on_step(self) -> bool:
        return True


def _roll_back(algo: str, name: str) -> Iterator[Figure]:
    """Measure from the request to the next step, for the newest snapshot in memory and for the first on disk."""
    env_id = "Pendulum-v1" if algo == "sac" else "CartPole-v1"
    memory, disk, steps = list[float](), list[float](), ROLLBACK_STEPS[algo]
    for number in range(ROLLBACKS + 1):
        for seconds, back in ((disk, _first), (memory, _last)):
            with scratch() as root:
                folder = new_folder(root, algo, steps, env_id=env_id, evaluation=EvaluationPlan())
                _plan(folder, SnapshotPlan(every_steps=steps // 10, every_seconds=None, keep=100))
                found = _timed_rollback(folder, steps * 8 // 10, back)
            if number > 0:  # the first includes imports
                seconds.append(found)
    yield figure(f"going back while it trains, from memory, {name}", statistics.median(memory) * 1e3, "ms", at_most=50)
    yield figure(f"going back while it trains, from disk, {name}", statistics.median(disk), "s", at_most=5)


def _first(folder: RunFolder) -> str:
    return snapshots_of(folder)[0].name


def _last(folder: RunFolder) -> str:
    return snapshots_of(folder)[-1].name


def _timed_rollback(folder: RunFolder, at: int, name: Callable[[RunFolder], str]) -> float:
    """Train, roll back at step ``at``, and return the seconds until the next step."""
    asked: list[float] = []
    found: list[float] = []
    on_step = RunCallback._on_step

    def watched(callback: RunCallback) -> bool:
        if asked and not found:
            found.append(time.perf_counter() - asked[0])
        if not asked and callback.num_timesteps >= at and callback.rollbacks is not None and callback.snapshots:
            callback.snapshots.flush()
            wanted = name(folder)
            asked.append(time.perf_counter())
            callback.rollbacks.request(wanted)
        return on_step(callback)

    RunCallback._on_step = watched  # type: ignore[method-assign, assignment]
    try:
        assert train_run(folder)
    finally:
        RunCallback._on_step = on_step  # type: ignore[method-assign]
    return found[0]


def _pause() -> Iterator[Figure]:
    """Measure pause and resume through the service, with a pause in a long rollout, up to the last row."""
    held, resumed = [], []
    with scratch() as root, service(root) as client:
        long_rollouts = {"n_envs": 1, "n_steps": 50_000, "batch_size": 50_000, "n_epochs": 1}
        for _ in range(PAUSES):
            run_id = start_run(client, preset=None, hyperparameters=long_rollouts)
            rows = root / run_id / "metrics.jsonl"
            wait_until(partial(_has_bytes, rows, 2_000), 60)
            held.append(_last_row_after(client, run_id, rows))
            client.post(f"/runs/{run_id}/stop").raise_for_status()  # otherwise it would pause at the end of its rollout
            stop_all(client)
        run_id = start_run(client)
        rows = root / run_id / "metrics.jsonl"
        for _ in range(PAUSES):
            wait_until(lambda: _status(client, run_id) == "running", 60)
            time.sleep(2)
            client.post(f"/runs/{run_id}/pause").raise_for_status()
            wait_until(lambda: _status(client, run_id) == "paused", 60)
            time.sleep(1)  # its worker ends, and another one is warm
            resumed.append(_first_row_after(client, run_id, rows))
    yield figure("pause asked for → no row more, PPO on CartPole", statistics.median(held), "s", at_most=1)
    yield figure("resume asked for → first new row, warm, PPO on CartPole", statistics.median(resumed), "s", at_most=2)


def _has_bytes(path: Path, least: int) -> bool:
    return path.is_file() and path.stat().st_size > least


def _last_row_after(client: httpx.Client, run_id: str, rows: Path) -> float:
    begin = last = time.perf_counter()
    client.post(f"/runs/{run_id}/pause").raise_for_status()
    size = rows.stat().st_size
    while (now := time.perf_counter()) < begin + 2 and _status(client, run_id) == "pausing":
        if (grown := rows.stat().st_size) != size:
            size, last = grown, now
    return last - begin


def _first_row_after(client: httpx.Client, run_id: str, rows: Path) -> float:
    size = rows.stat().st_size
    begin = time.perf_counter()
    client.post(f"/runs/{run_id}/resume", json={}).raise_for_status()
    wait_until(lambda: rows.stat().st_size > size, 60)
    return time.perf_counter() - begin


def _status(client: httpx.Client, run_id: str) -> str:
    return str(client.get(f"/runs/{run_id}").json()["status"])


def _ratio(algo: str) -> float:
    """Return processor time without snapshots divided by that with snapshots."""
    ratios = []
    steps = TIMESTEPS if algo == "ppo" else TIMESTEPS // 8
    with scratch() as root:
        for number in range(PAIRS + 1):
            begin = time.process_time()
            _train(root / f"{number}-without", steps, NONE, algo)
            between = time.process_time()
            _train(root / f"{number}-with", steps, SnapshotPlan(every_seconds=2), algo)
            ratios.append((between - begin) / (time.process_time() - between))
    return statistics.median(ratios[1:])  # the first pair includes imports


def _train(root: Path, steps: int, plan: SnapshotPlan, algo: str = "ppo") -> RunFolder:
    folder = new_folder(root, algo, steps, evaluation=EvaluationPlan())
    _plan(folder, plan)
    assert train_run(folder)
    return folder


def _plan(folder: RunFolder, plan: SnapshotPlan) -> None:
    config = folder.read_config().model_copy(update={"snapshots": plan})
    write_atomically(folder.config_path, config.model_dump_json().encode())
