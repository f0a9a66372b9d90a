"""Fixtures of this tier."""

from tests.support.fixtures import app, at, source

__all__ = ["app", "at", "source"]
