"""The endpoints of metrics and limits."""

from __future__ import annotations

from typing import Any

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from tests.support.service_process import Service


@pytest.fixture(scope="module")
def limits(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = service.get("/limits")
    return found


def test_the_metrics_of_every_algorithm_are_listed_with_label_and_help(service: Service) -> None:
    listed = service.get("/metric-definitions")
    assert (listed["mean_episodes"], listed["average_episodes"]) == (100, 20)
    groups = {group["id"] for group in listed["groups"]}
    metrics = {metric["name"]: metric for metric in listed["metrics"]}
    for algorithm in service.get("/algorithms"):
        for name in algorithm["metrics"]:
            assert algorithm["id"] in metrics[name]["algorithms"]
            assert metrics[name]["group"] in groups
            assert metrics[name]["label"]
            assert metrics[name]["help"]
    assert {algo for metric in metrics.values() for algo in metric["algorithms"]} == {*ALGORITHMS.names(), "random"}


@pytest.mark.parametrize(
    ("limit", "body"),
    [
        ("run_name", lambda size: {"name": "x" * size}),
        ("seed", lambda size: {"seed": size}),
        ("total_timesteps", lambda size: {"total_timesteps": size}),
        ("periodic_every_steps", lambda size: {"evaluation": {"every_steps": size}}),
        ("periodic_episodes", lambda size: {"evaluation": {"episodes": size}}),
        ("periodic_stop_after", lambda size: {"evaluation": {"every_steps": 1_000, "stop_after": size}}),
    ],
)
def test_a_new_run_is_limited_as_the_limits_endpoint_says(
    service: Service, limits: dict[str, Any], limit: str, body: Any
) -> None:
    bounds = limits[limit]
    for size, status in [
        (bounds["minimum"] - 1, 422),
        (bounds["minimum"], 201),
        (bounds["maximum"], 201),
        (bounds["maximum"] + 1, 422),
    ]:
        answer = service.api("POST", "/runs", json={"algo": "q-learning", "env_id": "FrozenLake-v1", **body(size)})
        assert answer.status_code == status, (limit, size, answer.text)


@pytest.mark.parametrize(
    ("limit", "body"),
    [
        ("run_name", lambda size: {"name": "x" * size}),
        ("tag", lambda size: {"tags": ["x" * size]}),
        ("tags", lambda size: {"tags": [str(number) for number in range(size)]}),
        ("notes", lambda size: {"notes": "x" * size}),
    ],
)
def test_labels_are_limited_as_the_limits_endpoint_says(
    service: Service, limits: dict[str, Any], limit: str, body: Any
) -> None:
    run = service.create()
    largest = limits[limit]["maximum"]
    assert service.api("PATCH", f"/runs/{run['id']}", json=body(largest)).status_code == 200
    assert service.api("PATCH", f"/runs/{run['id']}", json=body(largest + 1)).status_code == 422


@pytest.mark.parametrize(
    ("limit", "address"),
    [
        ("search", lambda size: f"/runs?q={'x' * size}"),
        ("runs_per_page", lambda size: f"/runs?limit={size}"),
    ],
)
def test_lists_are_limited_as_the_limits_endpoint_says(
    service: Service, limits: dict[str, Any], limit: str, address: Any
) -> None:
    largest = limits[limit]["maximum"]
    assert service.api("GET", address(largest)).status_code == 200
    assert service.api("GET", address(largest + 1)).status_code == 422
