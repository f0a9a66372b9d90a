"""Figures aggregated over seeds in a comparison of runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rlviz.stats.criterion import BY_TRAINING
from rlviz.stats.groups import (
    ComparisonEntry,
    GroupFigure,
    SeedFigure,
    compare_figures,
    mean_of_seeds,
    median_of_seeds,
)
from rlviz.stats.seeds import summarize
from tests.unit.test_verdict import entry, judge


def seeds(*values: float | None, spent: float | None = None) -> list[SeedFigure]:
    return [SeedFigure(value, spent) for value in values]


def test_the_mean_covers_the_seeds_that_have_the_figure() -> None:
    found = mean_of_seeds(seeds(1.0, 2.0, 3.0, 100.0, None), "score")
    assert (found.value, found.count, found.seeds) == (2.5, 4, 5)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 2.5 < found.high
    assert (found.made.n, found.made.confidence) == (4, 0.95)


@pytest.mark.parametrize("values", [(), (None, None)])
def test_without_a_seed_that_has_it_a_figure_has_no_mean(values: tuple[None, ...]) -> None:
    found = mean_of_seeds(seeds(*values), "score")
    assert (found.value, found.low, found.high, found.count, found.made.resamples) == (None, None, None, 0, None)


def test_one_seed_has_no_interval() -> None:
    found = mean_of_seeds(seeds(7.0, None), "score")
    assert (found.value, found.low, found.high) == (7.0, None, None)
    assert found.made.confidence is None


def test_seeds_that_did_not_reach_the_threshold_take_longer_than_they_trained() -> None:
    assert median_of_seeds(seeds(10.0, 20.0, None, spent=50.0), "steps").value == 20
    found = median_of_seeds(seeds(10.0, None, None, spent=50.0), "steps")
    assert (found.value, found.count, found.seeds) == (None, 1, 3)


@pytest.mark.parametrize("spent", [None, 0.0])
def test_a_seed_that_has_not_started_is_ignored_in_the_time_to_the_threshold(spent: float | None) -> None:
    found = median_of_seeds([SeedFigure(10.0), SeedFigure(30.0), SeedFigure(None, spent)], "steps")
    assert (found.value, found.made.n, found.seeds) == (10, 2, 3)


def test_each_figure_is_aggregated_by_group_like_in_the_verdict() -> None:
    finals = {"ppo": [480.0, 470.0, 490.0, 200.0, 485.0], "dqn": [180.0, 190.0, 160.0, 170.0, 150.0]}
    runs = [
        entry(f"{group}{seed}", final, group=group, group_label=group.upper(), steps=1_000 if final > 475 else None)
        for group, ours in finals.items()
        for seed, final in enumerate(ours)
    ]
    found = {
        figure.id: figure.groups
        for figure in compare_figures([*runs, entry("alone", 300)], window=20, threshold=475, criterion=BY_TRAINING)
    }
    assert set(found["final_moving_average"]) == {"ppo", "dqn"}
    ppo, expected = found["final_moving_average"]["ppo"], summarize([finals["ppo"]])
    assert expected.interval is not None
    assert (ppo.value, ppo.low, ppo.high) == (expected.iqm, expected.interval.low, expected.interval.high)
    assert f"{ppo.value:.1f}" in " ".join(judge(*runs, differences=("/algo", "/seed")).why)
    assert (found["steps_to_threshold"]["ppo"].value, found["steps_to_threshold"]["ppo"].count) == (1_000, 3)
    assert (found["steps_to_threshold"]["dqn"].value, found["steps_to_threshold"]["dqn"].count) == (None, 0)


def test_training_seeds_are_excluded_after_one_has_ended() -> None:
    ended = [entry(f"done{seed}", final, group="ppo") for seed, final in enumerate([480.0, 490.0])]
    begun = [replace(entry(f"new{seed}", 20.0, group="ppo"), ended=False) for seed in range(3)]

    def final(runs: list[ComparisonEntry]) -> GroupFigure:
        figures = compare_figures(runs, window=20, threshold=475, criterion=BY_TRAINING)
        return next(figure for figure in figures if figure.id == "final_moving_average").groups["ppo"]

    found = final([*ended, *begun])
    assert (found.value, found.count, found.seeds) == (485.0, 2, 5)
    assert "of the seeds that have ended" in found.made.definition
    assert (final(begun).value, final(begun).count) == (20.0, 3), "as long as none has ended, all of them count"
