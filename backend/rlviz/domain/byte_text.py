"""Sizes in bytes as text."""

from __future__ import annotations

UNITS = ("B", "kB", "MB", "GB", "TB")


def byte_text(count: float) -> str:
    """Return a size in units of 1,000 with at most one decimal: ``45 B``, ``1.2 kB``, ``5 GB``."""
    amount, unit = float(count), UNITS[0]
    for unit in UNITS:
        if amount < 1000 or unit == UNITS[-1]:
            break
        amount /= 1000
    return f"{amount:.1f}".removesuffix(".0") + f" {unit}"
