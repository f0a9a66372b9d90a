"""Measures how long a user waits for a command in a terminal; each command is a new process.

The shortest of several times counts, because other programs on the machine should not.

    python -m benchmarks terminal
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.support import Figure, figure, scratch

TIMES = 9
STARTS = 3


def run() -> Iterator[Figure]:
    with scratch() as root:
        for flag in ("--version", "--help"):
            seconds = min(_seconds(root, flag) for _ in range(TIMES))
            yield figure(f"rlviz {flag}", seconds * 1e3, "ms", at_most=100)
        seconds = min(_seconds(root, "run", "--help") for _ in range(TIMES))
        yield figure("rlviz run --help", seconds * 1e3, "ms")
        seconds = min(_until_it_trains(root / str(number)) for number in range(STARTS))
        yield figure("rlviz run, until it trains, without a service", seconds, "s", at_most=5)


def _until_it_trains(folder: Path) -> float:
    folder.mkdir()
    seconds = _seconds(folder, "run", "--algo", "ppo", "--steps", "1000000")
    _seconds(folder, "stop", "last")
    return seconds


def _seconds(folder: Path, *arguments: str) -> float:
    given = {name: value for name, value in os.environ.items() if not name.startswith("RLVIZ_")}
    began = time.perf_counter()
    command = [sys.executable, "-m", "rlviz", *arguments]
    subprocess.run(command, cwd=folder, env=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began
