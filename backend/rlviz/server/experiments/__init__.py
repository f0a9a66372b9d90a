"""Experiments: trials that are planned, trained as ordinary runs, scored, and begun again where they were lost."""

from __future__ import annotations
