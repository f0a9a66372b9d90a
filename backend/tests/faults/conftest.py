"""Where the figures of a soak go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.support import Figures


@pytest.fixture
def figures() -> Figures:
    path = os.environ.get("RLVIZ_SOAK_FIGURES")
    return Figures(Path(path) if path else None)
