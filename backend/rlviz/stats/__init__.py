"""Derived metrics, downsampling and comparison: pure functions on arrays."""

from __future__ import annotations
