"""Measures a comparison of a hundred runs in a browser: the time until they are drawn, and the frame rate on hover."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from benchmarks.browser import measure
from benchmarks.support import Figure, figure, new_folder, scratch, service
from rlviz.domain.events import EventKind
from rlviz.rundir.journal import JournalWriter

RUNS = 100
EPISODES = 2_500
"""Episodes of each run: more than a comparison draws."""
HOVER_SECONDS = 5


def run() -> Iterator[Figure]:
    with scratch() as root:
        ids = write_runs(root, RUNS)
        with service(root) as client:
            found = measure("overlay", str(client.base_url).removesuffix("/api/"), str(HOVER_SECONDS), *ids)
    label = f"{RUNS} runs of {EPISODES:,} episodes in one comparison"
    yield figure(f"{label}: all drawn", found["drawn"], "ms")
    yield figure(f"{label}: requests for runs and curves", found["requests"], "", at_most=4)
    yield figure(f"{label}: their answers, as sent", found["kilobytes"], "kB")
    yield figure(f"{label}: hovered", found["frames_a_second"], "frames/s", at_least=30)
    yield figure(f"{label}: slowest frame", found["slowest_frame"], "ms")
    longest = found["longest_task"]
    yield figure(f"{label}: longest task while hovered (0: none above 50 ms)", longest, "ms", at_most=200)


def write_runs(root: Path, count: int) -> list[str]:
    """Write folders of ended runs under ``root``; the service indexes them when it starts."""
    ids = []
    for seed in range(count):
        folder = new_folder(root, "ppo", EPISODES * 500, name=f"seed {seed}")
        random = Random(seed)
        with (
            closing(JournalWriter(folder.events_path)) as events,
            closing(JournalWriter(folder.metrics_path)) as metrics,
        ):
            events.append({"event": EventKind.STARTED.value, "step": 0, "data": {"worker": "process:1:0.0:"}})
            step = 0
            for index in range(1, EPISODES + 1):
                mean = 20 + 480 / (1 + math.exp(4 - 8 * index / EPISODES))
                length = max(9, min(500, round(random.gauss(mean, 60))))
                step += length
                values = {"episode/reward": float(length), "episode/length": length, "episode/index": index}
                metrics.append({"step": step, "values": values}, flush=False)
            events.append({"event": EventKind.FINISHED.value, "step": step, "data": {}})
        ids.append(folder.run_id)
    return ids
