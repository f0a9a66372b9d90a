"""Groups of runs over HTTP: creation, listing, comparison."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.episodes import write_episodes
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service

BODY = {"algo": "ppo", "name": "grouped", "total_timesteps": 1_000}


@pytest.fixture
def group(service: Service) -> Iterator[list[dict[str, object]]]:
    made = service.api("POST", "/runs/groups", json={**BODY, "seeds": [3, 1, 2]})
    assert made.status_code == 201
    runs = made.json()["runs"]
    assert {run["group_id"] for run in runs} == {made.json()["group_id"], runs[0]["id"]}
    yield runs
    for run in runs:
        service.api("DELETE", f"/runs/{run['id']}")


def test_a_group_is_one_row_of_the_list_and_all_its_runs_on_request(
    service: Service, group: list[dict[str, object]]
) -> None:
    found = service.get("/runs", params={"grouped": True, "q": "grouped"})
    assert (found["total"], found["total_runs"]) == (1, 3)
    (line,) = found["groups"]
    first = group[0]["id"]
    assert found["runs"][0]["group_id"] == line["id"] == first
    assert line == {
        "id": first,
        "run_ids": [run["id"] for run in sorted(group, key=lambda run: str(run["seed"]))],
        **{"statuses": {"created": 3}, "step": 0, "end_step": 3 * 1_024, "solved": 0, "sparklines": [[], [], []]},
        **{"ended": 0, "scored": 0, "iqm": None, "low": None, "high": None},
        "definition": "None of the 3 seeds has finished an episode yet.",
        "best": {
            **{"scored": 0, "iqm": None, "low": None, "high": None},
            "definition": "None of the 3 seeds has finished 20 episodes yet.",
        },
    }
    assert service.get("/runs", params={"group": first})["total"] == 3


def test_the_seeds_of_a_group_are_compared_as_one_curve_up_to_the_end_of_the_shortest(
    service: Service, group: list[dict[str, object]]
) -> None:
    for run, returns in zip(group, ([1, 2, 3], [3, 4], [5]), strict=True):
        write_episodes(service.folder(str(run["id"])), [float(value) for value in returns])
    other = service.create(name="alone")
    runs = ",".join(str(run["id"]) for run in [*group, other])
    found = service.get("/compare", params={"runs": runs, "window": 1})
    (curve,) = found["seeds"]
    assert (curve["group_id"], curve["title"]) == (group[0]["id"], "grouped")
    assert curve["run_ids"] == [run["id"] for run in group]
    assert (curve["count"], curve["iqm"]) == ([3, 0, 0], [3, None, None])
    assert (curve["low"][1:], curve["high"][1:]) == ([None, None], [None, None])
    assert curve["note"] == "The curve stops at step 10, the last that all 3 seeds reached; 2 of them continue."
    made = curve["made"]
    assert (made["n"], made["resamples"], made["confidence"]) == (3, 500, 0.95)
    assert "mean return of the last 1 episodes" in made["definition"], "the window that was asked for"
    final = next(figure for figure in found["figures"] if figure["id"] == "final_moving_average")
    assert list(final["groups"]) == [curve["group_id"]], "one run by itself is in none"
    summed_up = final["groups"][curve["group_id"]]
    assert (summed_up["value"], summed_up["count"], summed_up["seeds"]) == (4, 3, 3)
    assert "mean of the last 1 episodes" in summed_up["made"]["definition"]
    service.api("DELETE", f"/runs/{other['id']}")


def test_invalid_seeds_are_named_by_their_position(service: Service, group: list[dict[str, object]]) -> None:
    def refused(path: str, body: dict[str, object], pointer: str) -> None:
        assert_problem(service.api("POST", path, json=body), 422, pointer)

    seeds = f"/runs/{group[0]['id']}/seeds"
    refused("/runs/groups", {**BODY, "seeds": [1, -1]}, "/seeds/1")
    refused("/runs/groups", {**BODY, "seeds": [1, 1]}, "/seeds/1")
    refused("/runs/groups", {**BODY, "count": 51}, "/count")
    refused("/runs/groups", BODY, "/seeds")
    refused("/runs/groups", {**BODY, "count": 2, "hyperparameters": {"gamma": 2}}, "/hyperparameters/gamma")
    refused(seeds, {"seeds": [4, 2]}, "/seeds/1")
    refused(seeds, {"count": 1, "seed": 3}, "/seed")
    assert_problem(service.api("POST", "/runs/nothing/seeds", json={"count": 1}), 404)
