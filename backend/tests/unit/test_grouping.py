"""Aggregated figures of a group of runs, in one environment or in several."""

from __future__ import annotations

import pytest

from rlviz.stats.groups import Member, make_groups


def interval(members: list[Member]) -> tuple[float, float] | None:
    (group,) = make_groups({("ppo",): members})
    assert group.summary is not None
    found = group.summary.interval
    return None if found is None else (found.low, found.high)


def test_each_environment_keeps_its_share_in_the_bootstrap() -> None:
    low = [Member(f"a{n}", value, "Acrobot") for n, value in enumerate((0.0, 0.1))]
    high = [Member(f"c{n}", value, "CartPole") for n, value in enumerate((0.9, 1.0))]
    found = interval([*low, *high])
    assert found == pytest.approx((0.45, 0.55)), "no resample is of one environment alone"
    alone = interval([Member(one.run_id, one.value) for one in (*low, *high)])
    assert alone is not None
    assert alone[1] - alone[0] > 0.5


def test_one_run_per_environment_gives_no_interval_of_zero_width() -> None:
    members = [Member("a", 0.6, "Acrobot"), Member("c1", 0.9, "CartPole"), Member("c2", 0.9, "CartPole")]
    found = interval(members)
    assert found is not None
    assert found[0] < found[1]


def test_one_run_has_no_interval() -> None:
    assert interval([Member("a", 0.6, "Acrobot"), Member("c", None, "CartPole")]) is None
