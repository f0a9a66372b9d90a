"""Comparison of runs: figures, aligned curves, differences in configuration."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from rlviz.stats.comparison import Episodes, aligned_curves, config_diff, run_metrics
from rlviz.stats.returns import TrainingClock, moving_average
from rlviz.stats.solved import SolvedAt, SolvedBy

NOTHING = Episodes(*(np.empty(0) for _ in range(3)))


def episodes(*returns: float, length: int = 10, first_step: int = 0) -> Episodes:
    """Return episodes of ``length`` steps, one per second from Unix time 1000."""
    reward = np.array(returns, dtype=np.float64)
    ends = first_step + length * np.arange(1, len(reward) + 1, dtype=np.float64)
    return Episodes(ends, 1000 + np.arange(1, len(reward) + 1, dtype=np.float64), reward)


# Figures


def test_a_run_without_episodes_has_no_figures() -> None:
    metrics = run_metrics(NOTHING, window=20, clock=TrainingClock(((1_000, None),)))
    assert metrics.episodes == 0
    assert {value for name, value in vars(metrics).items() if name != "episodes"} == {None}


def test_the_best_moving_average_is_the_first_maximum_of_a_full_window() -> None:
    metrics = run_metrics(episodes(500, 1, 2, 6, 1, 7, 1), window=2)
    assert metrics.best_moving_average == 250.5
    assert metrics.best_moving_average_step == 20
    metrics = run_metrics(episodes(0, 1, 5, 3, 3, 5, 0), window=2)
    assert (metrics.best_moving_average, metrics.best_moving_average_step) == (4, 40)


def test_fewer_episodes_than_the_window_have_a_final_average_but_no_best() -> None:
    metrics = run_metrics(episodes(1, 2, 6), window=4)
    assert metrics.best_moving_average is None
    assert metrics.best_moving_average_step is None
    assert metrics.steps_to_threshold is None
    assert metrics.final_moving_average == 3


def test_steps_and_seconds_to_the_threshold_are_taken_when_it_was_solved() -> None:
    reached = SolvedAt(60, SolvedBy.TRAINING, 1_006.0)
    metrics = run_metrics(episodes(1, 2), window=1, reached=reached, clock=TrainingClock(((990, None),)))
    assert (metrics.steps_to_threshold, metrics.seconds_to_threshold) == (60, 16)
    metrics = run_metrics(episodes(1, 2), window=1, reached=reached)
    assert (metrics.steps_to_threshold, metrics.seconds_to_threshold) == (60, None)
    metrics = run_metrics(episodes(1, 2), window=1, clock=TrainingClock(((990, None),)))
    assert (metrics.steps_to_threshold, metrics.seconds_to_threshold) == (None, None)


def test_standard_errors_are_those_of_the_displayed_means() -> None:
    metrics = run_metrics(episodes(0, 10, 20, 30, 0, 2, 4), window=3)
    assert metrics.best_moving_average == 20
    assert metrics.best_error == pytest.approx(10 / np.sqrt(3))
    assert metrics.final_error == pytest.approx(2 / np.sqrt(3))
    assert run_metrics(episodes(7), window=3).final_error is None


def test_stability_is_the_spread_of_the_last_twenty_returns() -> None:
    rng = np.random.default_rng(7)
    returns = rng.normal(size=50)
    metrics = run_metrics(episodes(*returns), window=5)
    assert metrics.stability == pytest.approx(np.std(returns[-20:]))
    assert run_metrics(episodes(1, 3), window=5).stability == 1
    assert run_metrics(episodes(1), window=5).stability is None


def test_figures_that_are_not_finite_are_none() -> None:
    metrics = run_metrics(episodes(1, 2, np.nan), window=2)
    assert metrics.final_moving_average is None
    assert metrics.stability is None
    assert metrics.best_moving_average == 1.5
    assert run_metrics(episodes(np.nan, np.nan), window=1).best_moving_average is None


# Aligned curves


def test_a_grid_contains_all_of_few_steps_and_each_curve_holds_its_last_value() -> None:
    curves = aligned_curves({"a": episodes(1, 2, 3, 4), "b": episodes(7, 8, length=15)}, window=1, max_points=100)
    assert curves.step.tolist() == [10, 15, 20, 30, 40]
    np.testing.assert_array_equal(curves.values["a"], [1, 1, 2, 3, 4])
    np.testing.assert_array_equal(curves.values["b"], [np.nan, 7, 7, 8, np.nan])


def test_no_curve_leaves_the_range_of_its_run_and_every_value_is_a_moving_average() -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        runs = {
            name: episodes(*rng.normal(size=int(rng.integers(1, 400))), length=int(rng.integers(1, 50)))
            for name in "abc"
        }
        curves = aligned_curves(runs, window=20, max_points=int(rng.integers(2, 200)))
        assert (np.diff(curves.step) > 0).all()
        assert curves.step[0] == min(run.step[0] for run in runs.values())
        assert curves.step[-1] == max(run.step[-1] for run in runs.values())
        for name, run in runs.items():
            values, averages = curves.values[name], moving_average(run.reward, 20)
            for step, value in zip(curves.step, values, strict=True):
                if run.step[0] <= step <= run.step[-1]:
                    assert value == averages[run.step <= step][-1]
                else:
                    assert np.isnan(value)


def test_the_grid_has_at_most_max_points() -> None:
    curves = aligned_curves({"a": episodes(*range(5000))}, window=20, max_points=300)
    assert len(curves.step) <= 300


def test_the_last_of_several_episodes_that_end_at_one_step_counts() -> None:
    run = Episodes(np.array([8.0, 8.0, 16.0]), np.arange(3.0), np.array([1.0, 2.0, 3.0]))
    curves = aligned_curves({"a": run}, window=1, max_points=10)
    assert curves.step.tolist() == [8, 16]
    assert curves.values["a"].tolist() == [2, 3]


def test_runs_without_episodes_have_curves_without_values() -> None:
    assert aligned_curves({}, window=20, max_points=10).step.shape == (0,)
    curves = aligned_curves({"new": NOTHING, "a": episodes(1, 2)}, window=20, max_points=10)
    assert np.isnan(curves.values["new"]).all()
    assert len(curves.values["new"]) == len(curves.step) == 2
    assert aligned_curves({"new": NOTHING}, window=20, max_points=10).values["new"].shape == (0,)


def test_a_grid_of_one_point_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        aligned_curves({"a": episodes(1)}, window=1, max_points=1)


# Configurations


def paths_and_values(configs: Mapping[str, Mapping[str, object]]) -> list[tuple[str, dict[str, object]]]:
    return [(one.path, one.values) for one in config_diff(configs)]


def test_only_differences_are_listed_by_json_pointer() -> None:
    a = {"algo": "ppo", "seed": 1, "hyperparameters": {"gamma": 0.99, "net_arch": [64, 64]}}
    b = {"algo": "ppo", "seed": 2, "hyperparameters": {"gamma": 0.9, "net_arch": [64, 64]}}
    assert paths_and_values({"a": a, "b": b}) == [
        ("/seed", {"a": 1, "b": 2}),
        ("/hyperparameters/gamma", {"a": 0.99, "b": 0.9}),
    ]


def test_the_origin_of_a_run_is_no_difference() -> None:
    a = {"gamma": 0.9, "experiment": {"id": "e", "variant": "v0", "trial": 0}, "parent": None}
    b = {"gamma": 0.9, "experiment": {"id": "e", "variant": "v1", "trial": 5}, "parent": {"run_id": "a"}}
    assert config_diff({"a": a, "b": b}) == []


def test_a_missing_setting_is_not_null() -> None:
    difference = paths_and_values({"a": {"target_kl": None}, "b": {}, "c": {"target_kl": None}})
    assert difference == [("/target_kl", {"a": None, "c": None})]


def test_names_of_a_run_are_no_difference_but_equal_keys_deeper_down_are() -> None:
    a = {"run_id": "a", "name": "A", "created_at": 1, "hyperparameters": {"name": 1}}
    b = {"run_id": "b", "name": "B", "created_at": 2, "hyperparameters": {"name": 2}}
    assert [difference.path for difference in config_diff({"a": a, "b": b})] == ["/hyperparameters/name"]


def test_one_equals_one_point_zero_and_does_not_equal_true() -> None:
    assert config_diff({"a": {"x": 1}, "b": {"x": 1.0}}) == []
    assert paths_and_values({"a": {"x": 1}, "b": {"x": True}}) == [("/x", {"a": 1, "b": True})]


def test_an_empty_object_differs_from_a_missing_one() -> None:
    assert paths_and_values({"a": {"versions": {}}, "b": {}}) == [("/versions", {"a": {}})]
    assert config_diff({"a": {"versions": {}}, "b": {"versions": {}}}) == []


def test_unusual_names_are_escaped_in_pointers() -> None:
    assert [d.path for d in config_diff({"a": {"a/b": {"c~d": 1}}, "b": {}})] == ["/a~1b/c~0d"]


@pytest.mark.parametrize(
    ("config", "group", "name"),
    [
        ({"seed": 1}, "", "seed"),
        ({"hyperparameters": {"gamma": 0.9}}, "hyperparameters", "gamma"),
        ({"a/b": {"c~d": {"e": 1}}}, "a/b", "c~d › e"),
    ],
)
def test_a_setting_is_named_within_its_group(config: dict[str, object], group: str, name: str) -> None:
    [difference] = config_diff({"a": config, "b": {}})
    assert (difference.group, difference.name) == (group, name)


def test_a_single_run_has_no_differences() -> None:
    assert config_diff({"a": {"seed": 1}}) == []
    assert config_diff({}) == []
