"""Disk use of the runs folder, and rules that free space."""

from __future__ import annotations
