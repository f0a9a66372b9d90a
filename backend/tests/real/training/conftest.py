"""Fixtures for parts of training."""

from tests.support.training_fixtures import folder, journals, model

__all__ = ["folder", "journals", "model"]
