"""Verification of step records over HTTP."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rlviz.learning.environments import ENVIRONMENTS
from tests.support.evaluations import evaluated, verified
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service, serving
from tests.support.step_files import change_value, flipped
from tests.support.untrained import untrained_run

SOAK = float(os.environ.get("RLVIZ_SOAK", "0")) > 0


ONE_OF_EACH_FAMILY = ["FrozenLake-v1", "CartPole-v1", "LunarLander-v3", "ALE/Breakout-v5", "GameBoy/Lamplighter-v0"]


PLAYED = list(ENVIRONMENTS.names()) if SOAK else ONE_OF_EACH_FAMILY


def run_of(env_id: str) -> str:
    return f"run-{env_id.replace('/', '-').lower()}"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("verify")
    for env_id in PLAYED:
        algo = "q-learning" if ENVIRONMENTS.get(env_id).family.id == "toy-text" else "ppo"
        untrained_run(place / "runs", run_of(env_id), algo=algo, env_id=env_id)
    free = {family: {"most_cost": 1_000} for family in ("toy-text", "classic-control", "box2d", "atari", "gameboy")}
    with serving(place, storage=json.dumps(free)) as service:  # however busy the machine is
        yield service


@pytest.fixture(scope="module")
def evaluation(service: Service) -> dict[str, Any]:
    """An evaluation of two CartPole episodes."""
    return evaluated(service, run_of("CartPole-v1"), episodes=2, deterministic=False, video=False)


def test_there_is_one_case_of_each_family() -> None:
    families = sorted(ENVIRONMENTS.get(env_id).family.id for env_id in ONE_OF_EACH_FAMILY)
    assert families == sorted({environment.family.id for environment in ENVIRONMENTS})


@pytest.mark.parametrize(
    ("column", "row", "change"),
    [
        ("frame_hash", 8, flipped),
        ("reward", 5, lambda value: float(np.nextafter(value, 2))),
        ("action", 3, lambda value: [1 - value[0]]),
    ],
)
def test_a_record_changed_by_one_bit_is_found_and_named(
    service: Service, evaluation: dict[str, Any], column: str, row: int, change: Any
) -> None:
    run_id = evaluation["run_id"]
    path = service.folder(run_id).evaluations.steps_path(evaluation["id"])
    whole = path.read_bytes()
    change_value(path, column, row, change)
    try:
        found = verified(service, run_id, evaluation["id"])
    finally:
        path.write_bytes(whole)
    assert (found["status"], found["identical"]) == ("completed", False)
    named = "observation" if column == "action" else column
    assert found["first_difference"] == {"episode": 0, "index": row, "column": named}
    assert verified(service, run_id, evaluation["id"])["identical"], "as it was written it is still true"


def test_a_record_file_with_any_flipped_bit_is_never_called_identical(
    service: Service, evaluation: dict[str, Any]
) -> None:
    run_id = evaluation["run_id"]
    path = service.folder(run_id).evaluations.steps_path(evaluation["id"])
    whole = path.read_bytes()
    place = len(whole) // 3
    path.write_bytes(whole[:place] + flipped(whole[place : place + 1]) + whole[place + 1 :])
    try:
        found = verified(service, run_id, evaluation["id"])
    finally:
        path.write_bytes(whole)
    assert not found["identical"]
    assert found["cause"] or found["first_difference"]


def test_an_evaluation_without_records_cannot_be_verified(service: Service) -> None:
    run_id = run_of("CartPole-v1")
    bare = evaluated(service, run_id, episodes=1, video=False, steps=False)
    assert not bare["has_steps"]
    assert_problem(service.api("POST", f"/runs/{run_id}/evaluations/{bare['id']}/verify"), 404)
