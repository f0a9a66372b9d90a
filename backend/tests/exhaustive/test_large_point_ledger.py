"""A ledger of a million points uses no additional memory. It is exhaustive because writing the points takes long."""

from __future__ import annotations

import tracemalloc
from contextlib import closing

from rlviz.exchange.sinks.mlflow import PointLedger


def test_a_million_points_need_no_memory_of_their_own() -> None:
    tracemalloc.start()
    with closing(PointLedger()) as ledger:
        ledger.record_seen("reward", ((index * 2_654_435_761) % 2**62 for index in range(1_000_000)))
        _, peak = tracemalloc.get_traced_memory()
        assert ledger.seen["reward"] == 1_000_000
    tracemalloc.stop()
    assert peak < 1_000_000
