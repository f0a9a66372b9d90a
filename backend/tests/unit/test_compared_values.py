"""The section of docs/presets.md that compares values found by a search with the original ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from measuring.comparisons import comparisons
from measuring.rates import known_rates
from measuring.tables import hours
from rlviz.stats.experiments import LearningCurve, Setting, Trial, experiment_results

SEARCH = """
[base]
algo = "dqn"
[sweep]
trials = 7
seeds_per_trial = 2
space = { gamma = { kind = "float", low = 0.9, high = 0.99 } }
"""

SPECIFICATION = """
seeds = [100, 101]
base = { algo = "dqn", env_id = "CartPole-v1", total_timesteps = 50_000 }
score = { episodes = 50, policy = "best" }

[[variants]]
name = "theirs"
changes = { hyperparameters = { gamma = 0.9, tau = 1.0 } }

[[variants]]
name = "found"
changes = { hyperparameters = { gamma = 0.99 } }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dqn-cartpole").mkdir()
    (tmp_path / "dqn-cartpole" / "search.toml").write_text(SEARCH)
    (tmp_path / "dqn-cartpole" / "specification.toml").write_text(SPECIFICATION)
    return tmp_path


def trial(variant: str, seed: int, score: float, reached: float | None) -> Trial:
    curve = LearningCurve(np.array([25_000.0, 50_000.0]), np.array([500.0, score - 40]))
    how = {"ended": True, "steps": 50_000, "reached": reached, "core_seconds": 60.0, "curve": curve}
    return Trial(variant, seed, f"run-{variant}-{seed}", score, **how)  # type: ignore[arg-type]


def test_a_comparison_says_what_differs_and_which_seeds_solved_the_environment(folder: Path) -> None:
    trials = [
        trial("v0", 100, 500.0, 20_000.0),
        trial("v0", 101, 90.0, 30_000.0),  # learned, and not held
        trial("v1", 100, 500.0, 20_000.0),
        trial("v1", 101, 500.0, 20_000.0),
    ]
    labels, places = {"v0": "theirs", "v1": "found"}, {"v0": "CartPole-v1", "v1": "CartPole-v1"}
    results = experiment_results(trials, Setting(labels, places, threshold=475.0, greedy_curves=True))
    (folder / "dqn-cartpole" / "results.json").write_text(results.model_dump_json())

    text = "\n".join(comparisons(folder))
    assert "### DQN on CartPole" in text
    assert "| `gamma` | 0.9 | 0.99 |" in text
    assert "| `tau` | 1.0 | – |" in text
    assert "| theirs | 295.0 (90.0 to 500.0) | 2 of 2 | 1 of 2 | 20,000 |" in text
    assert "| found | 500.0 (500.0 to 500.0) | 2 of 2 | 2 of 2 | 20,000 |" in text
    assert f"{results.verdict.headline} The last policies reached, in the evaluation at the end of training" in text
    assert "theirs 255.0 (50.0 to 460.0); found 460.0 (460.0 to 460.0)." in text
    assert "50,000 steps, 2 seeds, 50 fresh episodes each" in text
    assert "7 trials with 2 seeds each (0, 1)" in text


def test_a_comparison_without_results_shows_its_estimated_cost(folder: Path) -> None:
    text = "\n".join(comparisons(folder))
    assert "### DQN" not in text
    runs = 7 * 2 + 3 * 2  # two variants, and the one that is found
    took = hours(runs * 50_000 / known_rates()["CartPole-v1"]["dqn"])
    assert f"DQN on CartPole about {took} ([search](comparison/dqn-cartpole/search.toml)" in text


def test_the_document_says_where_the_original_values_already_solved_every_seed(folder: Path) -> None:
    (told,) = [line for line in comparisons(folder) if "nothing to search for" in line]
    assert "DQN on Acrobot (High Score: 5 of 5)" in told
    assert "on CartPole" not in told, "it is compared"
    assert "PPO" not in told, "nothing of it is compared"


def test_without_comparisons_there_is_no_section(tmp_path: Path) -> None:
    assert list(comparisons(tmp_path)) == []
