"""The word for an algorithm or preset that measurements recommend."""

from __future__ import annotations

RECOMMENDED = "recommended"
"""Stands for an algorithm or a preset: the one that measurements recommend (``rlviz.learning.presets.recommended``)."""
