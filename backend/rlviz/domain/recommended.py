"""The word with which a request asks for the recommended algorithm or preset."""

from __future__ import annotations

RECOMMENDED = "recommended"
"""Requests the algorithm or preset that measurements recommend (``rlviz.learning.presets.recommended``)."""
