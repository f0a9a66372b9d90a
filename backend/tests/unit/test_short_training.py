"""The warning about a run that is too short to learn."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.updates import warn_of_few_updates


@pytest.mark.parametrize(
    ("schedule", "steps", "expected"),
    [
        (
            "linear",
            100,
            "With 2,048 steps per rollout, a run has only one round of updates, with a learning rate of 0, so it "
            "learns nothing. Train for at least 10,240 steps, or use smaller rollouts.",
        ),
        (
            "constant",
            2_048,
            "With 2,048 steps per rollout, a run has only one round of updates. Train for at least 10,240 steps, or "
            "use smaller rollouts.",
        ),
        (
            "linear",
            2_049,
            "With 2,048 steps per rollout, a run has only 2 rounds of updates, too few to learn much. Train for at "
            "least 10,240 steps, or use smaller rollouts.",
        ),
        ("linear", 10_240, None),
    ],
)
def test_a_run_with_few_rollouts_raises_a_warning(schedule: str, steps: int, expected: str | None) -> None:
    values: dict[str, JsonValue] = {"n_steps": 512, "n_envs": 4, "learning_rate_schedule": schedule}
    assert warn_of_few_updates("ppo", ALGORITHMS.get("ppo").completed(values), steps) == expected


@pytest.mark.parametrize("algo", ["dqn", "q-learning", "random", "unknown"])
def test_a_run_of_an_algorithm_without_rollouts_raises_no_warning(algo: str) -> None:
    values = ALGORITHMS.get(algo).completed({}) if algo in ALGORITHMS.names() else {}
    assert warn_of_few_updates(algo, values, 100) is None
