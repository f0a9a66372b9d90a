"""Fixtures of tests that train models and kill processes."""

from tests.support.fault_fixtures import figures, small_disk
from tests.support.fixtures import app, at, source

__all__ = ["app", "at", "figures", "small_disk", "source"]
