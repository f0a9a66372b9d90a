"""The cost estimate of very large grids."""

from __future__ import annotations

import pytest

from tests.unit.experiments.test_checking import HUNDRED, refused


@pytest.mark.parametrize("seeds", [1, 5])
def test_a_grid_of_ten_thousand_combinations_reports_its_cost(seeds: int) -> None:
    field = refused(200.0, grid={"gamma": HUNDRED, "gae_lambda": HUNDRED}, seeds=seeds)
    steps = 10_000 * 100_352 * seeds  # 98 rollouts of 1,024 steps
    assert field.pointer == ("/confirm" if seeds == 1 else "")
    assert f"{steps:,} environment steps in total" in field.detail
    assert f"about {steps / 200 / 3600:,.0f} core-hours" in field.detail
