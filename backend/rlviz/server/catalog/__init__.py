"""The catalogue: a SQLite index of runs and evaluations, rebuilt from the run folders at any time."""

from __future__ import annotations
