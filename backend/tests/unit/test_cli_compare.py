"""The tables of ``rlviz compare``, with seeds aggregated or separate."""

from __future__ import annotations

from typing import Any

import pytest

from rlviz.cli.commands.compare import _columns, _print_figures

RUNS = [{"run": {"id": run_id}, "label": label} for run_id, label in (("a", "PPO 0"), ("b", "PPO 1"), ("c", "DQN"))]
SEEDS = [{"group_id": "a", "title": "PPO", "run_ids": ["a", "b"]}]
"""The id of a group is that of its first run."""

FIGURE = {
    **{"title": "Final return", "values": {"a": 470.0, "b": 490.0, "c": 20.0}, "best": "c", "reason": "It is so."},
    "groups": {"a": {"value": 480.0, "low": 470.0, "high": 490.0, "count": 2, "seeds": 3}},
}


def table(capsys: pytest.CaptureFixture[str], groups: list[dict[str, Any]]) -> list[list[str]]:
    _print_figures([FIGURE], list(_columns({"runs": RUNS}, groups)))
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_seeds_compared_together_have_an_interval_and_none_is_best(capsys: pytest.CaptureFixture[str]) -> None:
    heads, row = table(capsys, SEEDS)
    assert heads == ["FIGURE", "PPO", "DQN"]
    assert row == ["Final", "return", "480", "[470,", "490],", "2", "of", "3", "20"]


def test_compared_separately_the_first_seed_has_its_own_value_and_not_that_of_its_group(
    capsys: pytest.CaptureFixture[str],
) -> None:
    heads, row = table(capsys, [])
    assert heads == ["FIGURE", "PPO", "0", "PPO", "1", "DQN", "WHY"]
    assert row[:6] == ["Final", "return", "470", "490", "20", "*"]
