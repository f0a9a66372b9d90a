"""Where the figures of a soak go, and a disk that is soon full."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.faults import Figures
from tests.support.workers import kill_workers_below


@pytest.fixture
def figures() -> Figures:
    path = os.environ.get("RLVIZ_SOAK_FIGURES")
    return Figures(Path(path) if path else None)


@pytest.fixture(autouse=True)
def no_worker_left_by_a_test(tmp_path: Path) -> Iterator[None]:
    yield
    kill_workers_below(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 8 MB, with a runs folder on it."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(tmp_path)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)
