"""Invalid request bodies: problem responses that name the fields, without side effects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.cases import cases
from tests.support.raw_requests import assert_problem, raw_request
from tests.support.service_process import Service

ENDED = "ended-run"
GOOD: dict[str, Any] = {"algo": "ppo", "env_id": "CartPole-v1", "seed": 1}


@cases(
    ("wishes", "pointer", "nearest"),
    [
        ({"algo": "pop"}, "/algo", "ppo"),
        ({"algo": "DQN2"}, "/algo", "dqn"),
        ({"env_id": "cartpole"}, "/env_id", "CartPole-v1"),
        ({"env_id": "Acrobat-v1"}, "/env_id", "Acrobot-v1"),
        ({"preset": "fats"}, "/preset", "fast"),
        ({"preset": "highscore"}, "/preset", "high-score"),
        ({"hyperparameters": {"learning_rat": 0.1}}, "/hyperparameters/learning_rat", "learning_rate"),
        ({"hyperparameters": {"lr/x~y": 0.1}}, "/hyperparameters/lr~1x~0y", None),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_match(
    service: Service, wishes: dict[str, Any], pointer: str, nearest: str | None
) -> None:
    problem = assert_problem(service.api("POST", "/runs", json=GOOD | wishes), 422, pointer)
    if nearest is not None:
        assert f"Did you mean '{nearest}'?" in problem["detail"]
    assert "Known: " in problem["detail"]


@cases("seed", ["1", 1.5, True, -1, 2**31, 2**40, 10**30, [], {}, ""])
def test_a_seed_that_is_not_an_integer_within_bounds_is_refused(service: Service, seed: Any) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"seed": seed}), 422, "/seed")


@pytest.mark.parametrize("seed", [0, 2**31 - 1])
def test_a_seed_equal_to_a_bound_is_accepted(service: Service, seed: int) -> None:
    assert service.create(seed=seed)["seed"] == seed


def test_a_null_seed_is_drawn_at_random(service: Service) -> None:
    seeds = {service.create(seed=None)["seed"] for _ in range(3)}
    assert len(seeds) > 1
    assert all(0 <= seed < 2**31 for seed in seeds)


@cases("steps", [0, 99, -5, 10_000_001, 10**30, "5000", 5000.5, True, [100]])
def test_timesteps_out_of_bounds_are_refused(service: Service, steps: Any) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"total_timesteps": steps}), 422, "/total_timesteps")


@cases(
    ("values", "pointer"),
    [
        ({"gamma": 1.5}, "/hyperparameters/gamma"),
        ({"gamma": "0.9"}, "/hyperparameters/gamma"),
        ({"gamma": None}, "/hyperparameters/gamma"),
        ({"n_steps": 10**30}, "/hyperparameters/n_steps"),
        ({"n_steps": 128.5}, "/hyperparameters/n_steps"),
        ({"batch_size": 60_000}, "/hyperparameters/batch_size"),
        ({"net_arch": [64] * 5}, "/hyperparameters/net_arch"),
        ({"net_arch": [64, "x"]}, "/hyperparameters/net_arch/1"),
        ({"activation": "sigmoid"}, "/hyperparameters/activation"),
    ],
)
def test_an_out_of_bounds_hyperparameter_is_named(service: Service, values: dict[str, Any], pointer: str) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"hyperparameters": values}), 422, pointer)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_hyperparameter_that_is_not_finite_is_refused(service: Service, number: str) -> None:
    body = json.dumps(GOOD)[:-1] + f', "hyperparameters": {{"gamma": {number}}}}}'
    answer = service.api("POST", "/runs", content=body, headers={"Content-Type": "application/json"})
    assert_problem(answer, 422)


@pytest.mark.parametrize("name", ["", " \t", "x" * 121, 7])
def test_an_empty_or_too_long_name_is_refused(service: Service, name: Any) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"name": name}), 422, "/name")


def test_an_unknown_field_is_refused(service: Service) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"steps": 5}), 422, "/steps")


def test_every_invalid_field_is_named_at_once(service: Service) -> None:
    answer = service.api("POST", "/runs", json={"algo": 1, "seed": "x", "total_timesteps": 1})
    assert_problem(answer, 422, "/algo", "/seed", "/total_timesteps")


def test_starting_a_run_twice_is_a_conflict_that_names_both_states(service: Service) -> None:
    run = service.create(total_timesteps=10_000_000, start=True)
    service.wait_for_status(run["id"], "running")
    problem = assert_problem(service.api("POST", f"/runs/{run['id']}/start"), 409)
    assert "'running'" in problem["detail"]
    assert "'queued'" in problem["detail"]
    service.api("POST", f"/runs/{run['id']}/stop")
    service.wait_for_status(run["id"], "stopped")


def test_starting_an_ended_run_is_a_conflict(service: Service) -> None:
    problem = assert_problem(service.api("POST", f"/runs/{ENDED}/start"), 409)
    assert "'completed'" in problem["detail"]
    assert "'queued'" in problem["detail"]


def test_stopping_a_run_that_was_never_started_is_a_conflict_that_names_both_states(service: Service) -> None:
    run = service.create()
    problem = assert_problem(service.api("POST", f"/runs/{run['id']}/stop"), 409)
    assert "'created'" in problem["detail"]
    assert "'stopping'" in problem["detail"]
    assert service.get(f"/runs/{run['id']}")["status"] == "created"


@pytest.mark.parametrize("start", ["created", "completed"])
def test_evaluating_a_run_without_a_policy_is_a_conflict(service: Service, start: str) -> None:
    run_id = ENDED if start == "completed" else service.create()["id"]
    problem = assert_problem(service.api("POST", f"/runs/{run_id}/evaluations"), 409)
    assert problem["title"] == "Nothing to evaluate yet"
    assert service.get(f"/runs/{run_id}/evaluations") == []


@cases(
    ("wishes", "pointer"),
    [
        ({"episodes": 0}, "/episodes"),
        ({"episodes": 101}, "/episodes"),
        ({"episodes": "5"}, "/episodes"),
        ({"seed": -1}, "/seed"),
        ({"deterministic": "perhaps"}, "/deterministic"),
        ({"video": "perhaps"}, "/video"),
        ({"steps": "perhaps"}, "/steps"),
        ({"film": True}, "/film"),
    ],
)
def test_an_invalid_evaluation_request_is_refused(service: Service, wishes: dict[str, Any], pointer: str) -> None:
    assert_problem(service.api("POST", f"/runs/{ENDED}/evaluations", json=wishes), 422, pointer)


@cases(
    ("changes", "pointer"),
    [
        ({"name": None}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": "   "}, "/name"),
        ({"name": "x" * 121}, "/name"),
        ({"tags": None}, "/tags"),
        ({"tags": [""]}, "/tags/0"),
        ({"tags": ["good", "x" * 41]}, "/tags/1"),
        ({"tags": ["x"] * 21}, "/tags"),
        ({"notes": None}, "/notes"),
        ({"notes": "x" * 10_001}, "/notes"),
        ({"status": "completed"}, "/status"),
    ],
)
def test_an_empty_or_too_long_label_is_refused(service: Service, changes: dict[str, Any], pointer: str) -> None:
    before = service.get(f"/runs/{ENDED}")
    assert_problem(service.api("PATCH", f"/runs/{ENDED}", json=changes), 422, pointer)
    assert service.get(f"/runs/{ENDED}") == before


def chunked(total: int) -> Iterator[bytes]:
    part = b"x" * 65_536
    for _ in range(total // len(part)):
        yield b"%x\r\n%b\r\n" % (len(part), part)
    yield b"0\r\n\r\n"


FIFTY_MB = 50 * 2**20
JSON_TYPE = {"Content-Type": b"application/json"}


@pytest.mark.parametrize("target", [b"/api/runs", b"/api/runs/ended-run/start", b"/api/nowhere"])
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_of_50_mb_is_refused_and_the_service_stays_healthy(
    service: Service, target: bytes, announced: bool
) -> None:
    if announced:
        headers = JSON_TYPE | {"Content-Length": str(FIFTY_MB).encode()}
        body = iter([b"x" * 65_536] * (FIFTY_MB // 65_536))
    else:
        headers, body = JSON_TYPE | {"Transfer-Encoding": b"chunked"}, chunked(FIFTY_MB)
    answer = raw_request(service.port, target, method=b"POST", headers=headers, body=body)
    assert_problem(answer, 413)
    assert service.get("/health")["status"] == "ok"


def test_a_client_that_expects_100_continue_is_refused_before_it_sends_the_body(service: Service) -> None:
    headers = JSON_TYPE | {"Content-Length": str(FIFTY_MB).encode(), "Expect": b"100-continue"}
    assert_problem(raw_request(service.port, b"/api/runs", method=b"POST", headers=headers), 413)


def test_a_chunked_body_within_the_limit_is_accepted(service: Service) -> None:
    text = json.dumps(GOOD | {"name": "In chunks"}).encode()
    parts = iter([*(b"1\r\n%c\r\n" % byte for byte in text), b"0\r\n\r\n"])
    headers = JSON_TYPE | {"Transfer-Encoding": b"chunked"}
    answer = raw_request(service.port, b"/api/runs", method=b"POST", headers=headers, body=parts)
    assert answer.status == 201
    assert answer.json()["name"] == "In chunks"


@cases(
    "body",
    [
        b"{",
        b"",
        b"null",
        b"[]",
        b'[{"algo": "ppo"}]',
        b'"ppo"',
        b"7",
        b"algo=ppo",
        b'{"algo": "ppo",}',
        b"\xff\xfe\x00",
        b'{"algo": "\xff"}',
        b'{"algo": "\\ud800"}',
        b'{"algo": "ppo", "name": "\\ud800"}',
        b'{"algo": "ppo", "hyperparameters": {"\\ud800": 1}}',
        b'{"algo": "ppo", "seed": ' + b"9" * 5_000 + b"}",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"algo": "ppo", "hyperparameters": {"net_arch": ' + b"[" * 5_000 + b"]" * 5_000 + b"}}",
    ],
    ids=range(17),
)
def test_an_invalid_body_is_refused(service: Service, body: bytes) -> None:
    answer = service.api("POST", "/runs", content=body, headers={"Content-Type": "application/json"})
    assert_problem(answer, 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"])
def test_json_with_another_content_type_is_refused(service: Service, kind: str) -> None:
    answer = service.api("POST", "/runs", content=json.dumps(GOOD), headers={"Content-Type": kind})
    assert_problem(answer, 422)
