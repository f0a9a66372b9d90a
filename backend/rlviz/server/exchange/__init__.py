"""Exports and imports runs as files, and delivers them to other programs. See docs/export.md."""

from __future__ import annotations
