"""The comparison endpoint."""

from __future__ import annotations

import pytest

from tests.support.episodes import write_episodes
from tests.support.service_process import Service

ENDED = "ended-run"


def test_a_comparison_returns_known_figures_for_known_episodes(service: Service) -> None:
    one = service.create(name="one", hyperparameters={"gamma": 0.98})
    two = service.create(name="two", hyperparameters={"gamma": 0.5})
    write_episodes(service.folder(one["id"]), [0, 0, 10, 20, 30, 20])
    write_episodes(service.folder(two["id"]), [5, 5, 5])
    query = {"runs": f"{one['id']},{two['id']}", "window": 2, "threshold": 15}
    result = service.get("/compare", params=query)
    assert (result["threshold"], result["window"]) == (15, 2)
    assert result["steps"] == [10, 20, 30, 40, 50, 60]
    first, second = result["runs"]
    assert first["run"] == {key: service.get(f"/runs/{one['id']}")[key] for key in first["run"]}
    assert first["y"] == [0, 0, 5, 15, 25, 25]
    assert second["y"] == [5, 5, 5, None, None, None]
    assert (first["episodes"], second["episodes"]) == (6, 3)
    assert (first["best_moving_average"], first["best_moving_average_step"]) == (25, 50)
    assert first["final_moving_average"] == 25
    assert (first["steps_to_threshold"], second["steps_to_threshold"]) == (None, None)
    assert first["stability"] == pytest.approx(11.0554159678513)
    assert second["stability"] == 0
    differences = {item["path"]: item["values"] for item in result["config_diff"]}
    assert differences == {"/hyperparameters/gamma": {one["id"]: 0.98, two["id"]: 0.5}}


def test_without_a_threshold_the_one_of_the_common_environment_applies(service: Service) -> None:
    one, two = service.create(), service.create(env_id="Acrobot-v1")
    assert service.get("/compare", params={"runs": one["id"]})["threshold"] == 475
    both = service.get("/compare", params={"runs": f"{one['id']},{two['id']}"})
    assert both["threshold"] is None
    assert [run["y"] for run in both["runs"]] == [[], []]
    assert both["runs"][0]["best_moving_average"] is None


def test_a_comparison_says_which_run_is_better_and_why(service: Service) -> None:
    one = service.create(name="one", preset="none", total_timesteps=10_000)
    two = service.create(name="two", preset="none", total_timesteps=10_000)
    write_episodes(service.folder(one["id"]), [480.0 + index % 3 for index in range(150)])
    write_episodes(service.folder(two["id"]), [20.0 + index % 3 for index in range(150)])
    result = service.get("/compare", params={"runs": f"{one['id']},{two['id']}", "threshold": 450})
    assert result["verdict"]["headline"] == "Not enough seeds to compare: one seed each."
    assert result["verdict"]["why"][0].startswith("one ends at")
    assert result["criterion"] == "training"
    assert result["runs"][0]["solved"] == {"step": 1_000, "seconds": None, "by": "training", "threshold": 450}
    assert [run["steps_to_threshold"] for run in result["runs"]] == [1_000, None]
    figures = {figure["id"]: figure for figure in result["figures"]}
    assert figures["final_moving_average"]["best"] == one["id"]
    assert figures["stability"]["best"] is None
    assert figures["stability"]["values"] == {run["run"]["id"]: run["stability"] for run in result["runs"]}
    assert [(group["title"], group["threshold"]) for group in result["environments"]] == [("CartPole-v1", 450)]
    assert [group["title"] for group in result["algorithms"]] == ["ppo"]


@pytest.mark.parametrize(
    ("x", "places"),
    [("step", [10, 20, 30]), ("episode", [1, 2, 3]), ("seconds", [0, 2, 4])],
)
def test_any_metric_can_be_compared_over_any_axis(service: Service, x: str, places: list[float]) -> None:
    """The runs were never started, so seconds count from the first episode."""
    one, two = service.create(name="one"), service.create(name="two", env_id="Acrobot-v1")
    write_episodes(service.folder(one["id"]), [1, 2, 3])
    query = {"runs": f"{one['id']},{two['id']}", "metrics": "episode/length, no/such,eval/mean_reward", "x": x}
    result = service.get("/compare", params=query)
    assert result["x"] == x
    assert result["steps"] == places
    assert result["runs"][0]["curves"] == {
        "episode/length": {"x": places, "y": [10, 10, 10], "count": 3, "smoothed": None}
    }
    assert result["runs"][1]["curves"] == {}
    assert result["logged"] == ["episode/index", "episode/length", "episode/reward"]
    assert [run["threshold"] for run in result["runs"]] == [475, -100]
    assert {group["title"]: group["run_ids"] for group in result["environments"]} == {
        "CartPole-v1": [one["id"]],
        "Acrobot-v1": [two["id"]],
    }
    assert all(figure["best"] is None for figure in result["figures"])


def test_a_run_that_grew_is_compared_in_its_current_state(service: Service) -> None:
    run = service.create()
    write_episodes(service.folder(run["id"]), [1, 2])
    query = {"runs": run["id"], "metrics": "episode/reward"}
    assert service.get("/compare", params=query)["runs"][0]["episodes"] == 2
    write_episodes(service.folder(run["id"]), [1, 2, 3])
    result = service.get("/compare", params=query)["runs"][0]
    assert (result["episodes"], result["curves"]["episode/reward"]["count"]) == (3, 3)


def test_options_that_move_the_threshold_define_separate_environments(service: Service) -> None:
    small = service.create(algo="q-learning", env_id="FrozenLake-v1")
    large = service.create(algo="q-learning", env_id="FrozenLake-v1", env_options={"map_name": "8x8"})
    result = service.get("/compare", params={"runs": f"{small['id']},{large['id']}"})
    assert result["threshold"] is None
    assert [run["threshold"] for run in result["runs"]] == [0.7, 0.85]
    assert "map_name 8x8" in result["runs"][1]["environment"]
    assert result["verdict"]["headline"] == "These runs cannot be ranked."
    difference = next(item for item in result["config_diff"] if item["path"] == "/env_options/map_name")
    assert (difference["group"], difference["name"]) == ("env_options", "map_name")


def test_a_run_named_twice_is_compared_once(service: Service) -> None:
    assert len(service.get("/compare", params={"runs": f"{ENDED},{ENDED},"})["runs"]) == 1
