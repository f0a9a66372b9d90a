"""Compares stratified bootstrap intervals of the interquartile mean with rliable's: 50,000 resamples of 10 × 10 scores.

The first call installs a pinned rliable into a separate environment (``.make/peers``).

    python -m benchmarks intervals
"""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.evaluation import timed
from benchmarks.peers import ENVIRONMENT, TIMEOUT_SECONDS, install, reason
from benchmarks.support import Figure, figure
from rlviz.stats.seeds import Method, bootstrap_interval

RESAMPLES = 50_000
TRIES = 5
PEER = Path(__file__).with_name("peer_statistics.py")
PINNED = ["rliable==1.2.0", "arch==7.2.0", "numpy==2.4.6", "pandas==2.3.3", "scipy==1.17.1", "statsmodels==0.15.0"]
"""arch 7.2 cannot be imported with pandas 3."""


def run() -> Iterator[Figure]:
    rng = np.random.default_rng(0)
    scores = [rng.gamma(2.0, 0.3, 10) for _ in range(10)]
    what = f"{RESAMPLES:,} resamples of 10 × 10 scores"
    for method in Method:
        job = partial(bootstrap_interval, scores, method=method, resamples=RESAMPLES)
        seconds = statistics.median(timed(job) for _ in range(TRIES))
        yield figure(f"{what}, {method.value} interval", seconds, "s", at_most=1)
        if method is Method.PERCENTILE:
            ours = seconds
    python = ENVIRONMENT / "rliable" / "bin" / "python"
    try:
        install(python, PINNED)
        command = [str(python), str(PEER), "seconds"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        theirs = float(json.loads(done.stdout.splitlines()[-1]))
        yield figure("the same percentile interval by rliable", theirs, "s")
        yield figure("ours against rliable's", ours / theirs, "×", at_most=0.1)
    except (subprocess.SubprocessError, OSError) as error:
        yield Figure("rliable: not measured", reason(error))
