from __future__ import annotations

from rlviz.stats.returns import best_first


def test_those_that_are_level_or_without_a_rank_keep_their_order_and_the_latter_come_last() -> None:
    ranks = {"none": None, "second": 2, "first": 1, "also second": 2, "none either": None}
    assert best_first(ranks, ranks.get) == ["first", "second", "also second", "none", "none either"]
