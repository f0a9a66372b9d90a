"""A comparison of a hundred runs."""

from __future__ import annotations

from tests.support.episodes import write_episodes
from tests.support.service_process import Service


def test_a_hundred_runs_are_compared_with_the_requested_number_of_points_each(service: Service) -> None:
    runs = [service.create(name="many", seed=seed, total_timesteps=1_000) for seed in range(100)]
    for run in runs:
        write_episodes(service.folder(run["id"]), [float(index) for index in range(300)])
    query = {"runs": ",".join(run["id"] for run in runs), "metrics": "episode/reward", "max_points": 40}
    result = service.get("/compare", params=query)
    assert len(result["runs"]) == 100
    assert len(result["steps"]) <= 40
    assert all(len(run["y"]) == len(result["steps"]) for run in result["runs"])
    assert all(len(run["curves"]["episode/reward"]["x"]) <= 40 for run in result["runs"])
    assert [run["label"] for run in result["runs"][:2]] == ["many (seed 0)", "many (seed 1)"]
