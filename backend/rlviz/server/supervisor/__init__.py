"""Start, follow and end workers, and adopt those that an earlier service left."""

from __future__ import annotations
