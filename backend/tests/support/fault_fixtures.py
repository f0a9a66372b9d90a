"""Fixtures for the figures of a soak and for a small disk (``small_disk``)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.faults import Figures
from tests.support.small_disk import small_disk
from tests.support.workers import kill_workers_below


@pytest.fixture
def figures() -> Figures:
    path = os.environ.get("RLVIZ_SOAK_FIGURES")
    return Figures(Path(path) if path else None)


@pytest.fixture(autouse=True)
def no_worker_left_by_a_test(tmp_path: Path) -> Iterator[None]:
    yield
    kill_workers_below(tmp_path)


__all__ = ["figures", "no_worker_left_by_a_test", "small_disk"]
