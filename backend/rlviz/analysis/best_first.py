"""The order of variants and methods wherever they are listed: the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Ranked = TypeVar("Ranked")


def best_first(variants: Iterable[Ranked], rank: Callable[[Ranked], int | None]) -> list[Ranked]:
    """By ``rank``, from 1; those that are level, and behind all others those without a rank, in the order given."""

    def standing(one: Ranked) -> tuple[bool, int]:
        place = rank(one)
        return place is None, place or 0

    return sorted(variants, key=standing)
