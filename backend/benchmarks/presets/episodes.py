"""Episodes: how many the greedy policy plays when a preset is measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Episodes:
    """In each evaluation along the way, and at the end."""

    along: int
    final: int


USUALLY = Episodes(along=10, final=50)
BY_FAMILY = {"toy-text": Episodes(along=100, final=2_000)}
"""Luck decides more in toy text, and its episodes are cheap."""
