"""Fixtures of exhaustive tests."""

from tests.support.fixtures import app, at, source

__all__ = ["app", "at", "source"]
