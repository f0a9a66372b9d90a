"""Compares the cost of a logged row in a user's script: ``rlviz.track`` and TensorBoard's SummaryWriter.

Both write the same rows in interleaved pairs in one process. Processor time counts, because each writer has a thread
that writes to the disk, whose time is also the script's.

    python -m benchmarks tracking
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.support import Figure, figure, percentile, scratch
from rlviz.library.tracking import track

ROWS = 5_000
PAIRS = 11
NAME = "train/loss"


def run(pairs: int = PAIRS) -> list[Figure]:
    with scratch() as root:
        ratios, ours = [], []
        for number in range(pairs + 1):
            jobs: list[Callable[[Path], None]] = [_tracked, _with_tensorboard]
            # The order alternates from pair to pair; the first pair includes imports.
            seconds = [_processor_seconds(job, root / f"{number}") for job in (jobs if number % 2 else jobs[::-1])]
            tracked, tensorboard = seconds if number % 2 else seconds[::-1]
            if number > 0:
                ratios.append(tracked / tensorboard)
                ours.append(tracked / ROWS)
    return [
        figure("a logged row by rlviz.track", statistics.median(ours) * 1e6, "µs"),
        figure("the same against SummaryWriter.add_scalar", statistics.median(ratios), "×", at_most=1.0),
        figure("half of the pairs lie within ±", (percentile(ratios, 75) - percentile(ratios, 25)) / 2, "×"),
    ]


def _processor_seconds(job: Callable[[Path], None], folder: Path) -> float:
    began = time.process_time()
    job(folder)
    return time.process_time() - began


def _tracked(folder: Path) -> None:
    with track(runs_dir=folder) as tracked:
        for step in range(ROWS):
            tracked.log(step, {NAME: step / ROWS})


def _with_tensorboard(folder: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder / "tensorboard")) as writer:
        for step in range(ROWS):
            writer.add_scalar(NAME, step / ROWS, step)
