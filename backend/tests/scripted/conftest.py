"""Fixtures of this tier."""

from tests.support.fixtures import app, source

__all__ = ["app", "source"]
