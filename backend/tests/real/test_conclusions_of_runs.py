"""Advice to evaluate a run, and default presets, on trained runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

LAKE: dict[str, Any] = {
    "algo": "q-learning",
    "env_id": "FrozenLake-v1",
    "env_options": {"is_slippery": False},
    "hyperparameters": {"initial_value": 1.0, "exploration_initial_eps": 0.9, "exploration_final_eps": 0.9},
    "total_timesteps": 3_000,
}
"""Finds the goal, and explores so much that its episodes of training hardly ever reach it."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("conclusions")) as service:
        yield service


def trained(app: Service, **wishes: Any) -> str:
    run = app.create(start=True, anatomy=False, **wishes)
    return str(app.wait_for_status(run["id"], "completed")["id"])


def evaluate(app: Service, run_id: str, episodes: int) -> None:
    asked = app.api("POST", f"/runs/{run_id}/evaluations", json={"episodes": episodes, "video": False})
    assert asked.status_code == 202, asked.text
    path = f"/runs/{run_id}/evaluations/latest"
    eventually(lambda: app.get(path)["status"] == "completed", "the evaluation")


def hints(app: Service, run_id: str) -> list[tuple[str, list[Any]]]:
    return [(hint["id"], hint["changes"]) for hint in app.get(f"/runs/{run_id}/hints")["hints"]]


def test_a_run_is_advised_to_evaluate_and_gets_no_hint_once_that_shows_it_solved(app: Service) -> None:
    run_id = trained(app, **{**LAKE, "preset": None})
    assert hints(app, run_id) == [("not-evaluated", [])]
    evaluate(app, run_id, episodes=10)
    assert hints(app, run_id) == []


def test_a_run_without_a_choice_trains_a_preset_that_works(app: Service) -> None:
    asked = {"algo": "recommended", "env_id": "LunarLander-v3", "total_timesteps": 1_000}
    answer = app.api("POST", "/runs", json=asked)
    assert answer.status_code == 201, answer.text
    assert (answer.json()["algo"], answer.json()["preset"]) == ("ppo", "high-score")
    lander = next(one for one in app.get("/environments") if one["id"] == "LunarLander-v3")
    assert lander["recommended_algorithm"] == "ppo"
    assert [one["id"] for one in lander["presets"]["ppo"] if one["recommended"]] == ["high-score"]
