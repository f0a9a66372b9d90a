"""Fixtures of tests with scripted workers."""

from tests.support.fixtures import app, source

__all__ = ["app", "source"]
