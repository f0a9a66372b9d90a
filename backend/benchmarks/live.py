"""Measures ten live runs at once in a browser: from writing a row to drawing it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.browser import FRONTEND, measure
from benchmarks.support import Figure, figure, percentile, scratch, service

RUNS = 10
SECONDS = 20


def run() -> list[Figure]:
    with scratch() as root, _live_runs(root) as run_ids, service(root, max_concurrent_runs=RUNS) as client:
        url = str(client.base_url).removesuffix("/api/")
        found = measure("live", url, str(SECONDS), *run_ids)
    delays, lost = found["delays"], found["gaps"] + found["undrawn"]
    return [
        figure(
            f"{found['runs']} live runs: row appended → drawn, p95 of {len(delays):,}",
            percentile(delays, 95),
            "ms",
            at_most=500,
        ),
        figure("rows dropped, or never drawn", lost, "rows", at_most=0),
        figure("longest task of the main thread (0: none above 50 ms)", found["longest_task"], "ms", at_most=50),
    ]


@contextmanager
def _live_runs(root: Path) -> Iterator[list[str]]:
    """Start runs that append rows without training, because training would measure the machine, not the page."""
    seed = FRONTEND / "e2e" / "seed.py"
    process = subprocess.Popen(
        [sys.executable, str(seed), str(root), "--empty", "--live", str(RUNS)],
        env={**os.environ, "PYTHONPATH": str(FRONTEND.parent / "backend")},
    )
    try:
        while not (root / ".live-ready").exists():
            if process.poll() is not None:
                raise RuntimeError(f"{seed} ended with code {process.returncode}")
            time.sleep(0.05)
        yield json.loads((root / "seeded.json").read_text())["live"]
    finally:
        process.terminate()
        process.wait()
