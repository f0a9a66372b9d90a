"""Third-party programs that read our files, where they are installed."""

from __future__ import annotations

import importlib.util
import os

import pytest


def needs(package: str) -> pytest.MarkDecorator:
    """Skip a test if ``package`` is not installed. `make test-readers` installs all of them, and skips none."""
    is_missing = importlib.util.find_spec(package) is None and "RLVIZ_TEST_READERS" not in os.environ
    return pytest.mark.skipif(is_missing, reason=f"{package} is not installed: `make test-readers` has it")
