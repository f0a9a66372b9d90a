"""The word that asks for the algorithm or preset which measurements recommend."""

from __future__ import annotations

RECOMMENDED = "recommended"
"""Requests the algorithm or preset that measurements recommend (``rlviz.learning.presets.recommended``)."""
