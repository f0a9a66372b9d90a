"""The ledger of points that a server already has."""

from __future__ import annotations

from contextlib import closing

from rlviz.exchange.sinks.mlflow import PointLedger


def test_a_point_is_sent_once_unless_the_server_already_has_it() -> None:
    with closing(PointLedger()) as ledger:
        assert ledger.record_seen("reward", [1, 2, -(2**63)])
        assert [ledger.send("reward", point) for point in (1, 3, 3, -(2**63), 2**63 - 1)] == [
            *(False, True, False, False, True)
        ]
        assert ledger.send("length", 1), "of another metric"
        assert (ledger.seen.total(), dict(ledger.sent)) == (3, {"reward": 2, "length": 1})


def test_a_sent_point_that_is_missing_is_detected() -> None:
    with closing(PointLedger()) as ledger:
        for point in range(100):
            ledger.send("reward", point)
        assert not ledger.record_seen("reward", (point for point in range(100) if point != 57))
        assert dict(ledger.sent) == {"reward": 1}
        assert ledger.record_seen("reward", range(200))
        assert (ledger.sent, ledger.seen["reward"]) == ({}, 200)
