"""Snapshots: for how long they hold training up, what they cost it over all, what they take, and going on from one.

Training with the default plan and without any is compared by processor time, in interleaved pairs. The large replay
buffer is that of DQN on Breakout, said to hold 90,000 frames before training begins, so that its size counts and nobody
waits for it to be filled.

    python -m benchmarks snapshots
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from benchmarks.support import Figure, figure, new_folder, scratch, wait_until
from rlviz.domain.evaluation_plan import EvaluationPlan
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from rlviz.training.builder import build_model
from rlviz.training.session import train_run
from rlviz.training.snapshot.capture import Captured, capture
from rlviz.training.snapshot.replay import ReplayState, ReplayTape, write_pieces

TIMESTEPS = 25_000
PAIRS = 3
NONE = SnapshotPlan(every_seconds=None)

FRAMES, HELD = 100_000, 90_000
FRAME_STEPS, FRAMES_A_CAPTURE = 1_500, 200


def run() -> Iterator[Figure]:
    yield from _small()
    yield from _large()
    yield figure("training throughput with snapshots against without, by processor time", _ratio(), "×", at_least=0.98)


def _small() -> Iterator[Figure]:
    """PPO on CartPole: each snapshot, and going on from one of them."""
    with scratch() as root:
        folder = _train(root, TIMESTEPS, SnapshotPlan(every_steps=2_000, keep=100))
        found = snapshots_of(folder)
        held_up = [snapshot.manifest.capture_ms for snapshot in found]
        yield figure("capturing PPO on CartPole, median", statistics.median(held_up), "ms", at_most=50)
        yield figure("capturing PPO on CartPole, longest", max(held_up), "ms")
        yield figure("a snapshot of PPO on CartPole", found[-1].bytes / 1e6, "MB")
        yield figure(
            "worker goes on → first new row, warm", _resume(folder, found[len(found) // 2].name), "s", at_most=2
        )


def _resume(folder: RunFolder, name: str) -> float:
    """Seconds until the journal has grown. The run is over before this returns."""
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
    with scratch() as root:
        changes = {"buffer_size": FRAMES, "learning_starts": 500, "optimize_memory_usage": True}
        folder = new_folder(root, "dqn", 100_000, env_id="ALE/Breakout-v5", preset=None, hyperparameters=changes)
        model: Any = build_model(folder.read_config())
        model.replay_buffer.pos = HELD
        tape = ReplayTape(ReplayState(HELD, HELD, False, np.zeros(0)))
        captures = _Captures(tape)
        model.learn(
            FRAME_STEPS, callback=captures, reset_num_timesteps=False
        )  # or the library would end its last episode
        pieces = captures.newest.pieces
        rows = sum(piece.end - piece.first for piece in pieces)
        begin = time.perf_counter()
        segments = write_pieces(folder, pieces)
        seconds = time.perf_counter() - begin
    what = f"a replay buffer of {FRAMES:,} frames"
    yield figure(f"capturing DQN on Breakout with {what}, median", captures.median_ms, "ms", at_most=300)
    yield figure(f"capturing DQN on Breakout with {what}, longest", max(captures.milliseconds), "ms")
    yield figure("10,000 frames of Breakout on disk", sum(one.bytes for one in segments) / rows / 100, "MB")
    yield figure("compressing and writing 10,000 frames, beside training", seconds / rows * 10_000, "s")


class _Captures(BaseCallback):
    """Captures all of the model now and then, and notes how long that took."""

    newest: Captured

    def __init__(self, tape: ReplayTape) -> None:
        super().__init__()
        self._tape = tape
        self._due = FRAMES_A_CAPTURE
        self.milliseconds: list[float] = []

    @property
    def median_ms(self) -> float:
        return statistics.median(self.milliseconds)

    def _on_rollout_start(self) -> None:
        if self.num_timesteps < self._due:
            return
        self._due += FRAMES_A_CAPTURE
        begin = time.perf_counter()
        self.newest = capture(self.model, {}, self._tape, point="rollout", last_row=0)
        self.milliseconds.append((time.perf_counter() - begin) * 1_000)

    def _on_step(self) -> bool:
        return True


def _ratio() -> float:
    """Processor time without snapshots over that with the default plan."""
    ratios = []
    with scratch() as root:
        for number in range(PAIRS + 1):
            begin = time.process_time()
            _train(root / f"{number}-without", TIMESTEPS, NONE)
            between = time.process_time()
            _train(root / f"{number}-with", TIMESTEPS, SnapshotPlan())
            ratios.append((between - begin) / (time.process_time() - between))
    return statistics.median(ratios[1:])  # the first pair pays for imports


def _train(root: Path, steps: int, plan: SnapshotPlan) -> RunFolder:
    folder = new_folder(root, "ppo", steps, evaluation=EvaluationPlan())
    config = folder.read_config().model_copy(update={"snapshots": plan})
    write_atomically(folder.config_path, config.model_dump_json().encode())
    assert train_run(folder)
    return folder
