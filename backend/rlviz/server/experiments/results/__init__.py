"""Compute results, exports and the report of an experiment from its trials and their journals."""

from __future__ import annotations
