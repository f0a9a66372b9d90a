"""Measures how fast the command copies runs to a central PostgreSQL, including the start of the command.

python -m benchmarks ingest
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.support import Figure, figure, scratch
from tests.support.postgres import cluster, programs
from tests.support.run_folders import make_run

RUNS = 300
ROWS = 5_000
"""Rows of metrics in each run."""


def run() -> Iterator[Figure]:
    if (found := programs()) is None:
        yield Figure("runs into PostgreSQL, which is not installed (make postgres)", "–")
        return
    with scratch() as root, cluster(found) as central:
        for number in range(RUNS):
            make_run(root, f"run-{number:04}", rows=ROWS, status="completed", seed=number)
        for what, flags in {"": (), ", again": (), ", again and unchanged": ("--incremental",)}.items():
            seconds = _seconds(root, "ingest", "--to", central.url, *flags)
            yield figure(f"runs of {ROWS:,} rows into PostgreSQL{what}", 60 * RUNS / seconds, "runs/min", at_least=100)


def _seconds(runs_dir: Path, *arguments: str) -> float:
    given = {**os.environ, "RLVIZ_RUNS_DIR": str(runs_dir)}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "rlviz", *arguments], env=given, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began
