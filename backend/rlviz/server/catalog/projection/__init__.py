"""Projection: from run folders to rows of the catalogue."""

from __future__ import annotations
