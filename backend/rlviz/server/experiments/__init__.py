"""Experiments: plan trials, train them as ordinary runs, score them, and repeat lost ones."""

from __future__ import annotations
