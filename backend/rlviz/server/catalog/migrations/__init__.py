"""Alembic migrations of the catalogue."""

from __future__ import annotations
