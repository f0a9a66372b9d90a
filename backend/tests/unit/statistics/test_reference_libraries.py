"""Statistics compared with rliable, SciPy and statsmodels; ``benchmarks/peer_statistics.py`` recorded their results.

Aggregates must agree to the last digits. Intervals must agree within resampling error, because both are random.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.stats.arrays import Floats
from rlviz.stats.seeds import (
    Interval,
    Method,
    bootstrap_interval,
    interquartile_mean,
    kaplan_meier,
    mean,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
    task_median,
)

PEERS = json.loads(Path(__file__).with_name("peers.json").read_text())
RESAMPLES = 50_000
CLOSE = 0.012
"""Of scores from 0 to 1.2: more than chance moves an end of an interval of so many resamples."""


def _strata(tasks: list[list[float]]) -> list[Floats]:
    return [np.array(scores) for scores in tasks]


def _size(case: dict[str, Any]) -> str:
    return f"{len(case['scores'][0])} seeds, {len(case['scores'])} tasks"


@pytest.mark.parametrize("case", PEERS["aggregates"], ids=_size)
def test_aggregates_equal_those_of_rliable(case: dict[str, Any]) -> None:
    tasks = _strata(case["scores"])
    ours = {"iqm": interquartile_mean, "mean": mean, "task_median": task_median, "optimality_gap": optimality_gap()}
    for name, statistic in ours.items():
        assert float(statistic(tasks)) == pytest.approx(case[name]), name


@pytest.mark.parametrize("case", PEERS["aggregates"], ids=_size)
def test_stratified_intervals_equal_those_of_rliable(case: dict[str, Any]) -> None:
    found = bootstrap_interval(_strata(case["scores"]), resamples=RESAMPLES)
    assert [found.low, found.high] == pytest.approx(case["iqm_interval"], abs=CLOSE)


@pytest.mark.parametrize("case", PEERS["aggregates"], ids=_size)
def test_performance_profiles_equal_those_of_rliable(case: dict[str, Any]) -> None:
    theirs = case["profile"]
    tasks = _strata(case["scores"])
    ours = performance_profile(tasks, np.array(theirs["values"]), resamples=RESAMPLES)
    np.testing.assert_allclose(ours.share, theirs["share"])
    # A share moves in steps of one score, so the percentile may fall on either of two neighbouring steps.
    step = 1 / sum(map(len, tasks))
    np.testing.assert_allclose([ours.low, ours.high], theirs["band"], atol=step + 1e-9)


@pytest.mark.parametrize("case", PEERS["improvements"], ids=lambda case: f"{len(case['first'])} tasks")
def test_the_probability_of_improvement_equals_that_of_rliable(case: dict[str, Any]) -> None:
    found = probability_of_improvement(_strata(case["first"]), _strata(case["second"]))
    assert found.probability == pytest.approx(case["probability"])
    assert [found.interval.low, found.interval.high] == pytest.approx(case["interval"], abs=0.03)


@pytest.mark.parametrize("case", PEERS["bca"], ids=_size)
@pytest.mark.parametrize(("name", "statistic"), [("mean", mean), ("iqm", interquartile_mean)])
def test_bca_intervals_equal_those_of_scipy(case: dict[str, Any], name: str, statistic: Callable[..., Floats]) -> None:
    def interval(method: Method) -> Interval:
        return bootstrap_interval(_strata(case["scores"]), statistic, method=method, resamples=RESAMPLES)

    found = interval(Method.BCA)
    assert [found.low, found.high] == pytest.approx(case[name], abs=CLOSE)
    assert found != interval(Method.PERCENTILE)


@pytest.mark.parametrize("case", PEERS["survivals"], ids=lambda case: f"{len(case['steps'])} seeds")
def test_survival_equals_that_of_statsmodels(case: dict[str, Any]) -> None:
    found = kaplan_meier(np.array(case["steps"]), case["reached"])
    np.testing.assert_allclose(found.step, case["step"])
    np.testing.assert_allclose(found.waiting, case["waiting"], atol=1e-12)
    np.testing.assert_allclose(found.at_risk, case["at_risk"])
    known = found.waiting > 0
    # The interval is theirs too: Greenwood's standard error, carried to the log-log scale by the delta method.
    share, error = np.array(case["waiting"])[known], np.array(case["error"])[known]
    width = 1.959963984540054 * error / (share * -np.log(share))
    np.testing.assert_allclose(found.low[known], share ** np.exp(width))
    np.testing.assert_allclose(found.high[known], share ** np.exp(-width))
