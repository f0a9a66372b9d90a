"""Ordering by return, best first."""

from __future__ import annotations

from rlviz.stats.returns import best_first


def test_equal_and_unranked_items_keep_their_order_and_unranked_ones_come_last() -> None:
    ranks = {"none": None, "second": 2, "first": 1, "also second": 2, "none either": None}
    assert best_first(ranks, ranks.get) == ["first", "second", "also second", "none", "none either"]
