"""The endpoints of step records: filters, exports and errors."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from gymnasium import spaces

from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus
from rlviz.learning.playing.summary import summarize
from rlviz.rundir.folder import RunFolder
from tests.support.cases import cases
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.step_files import EVALUATION_ID, RUN_ID, about, pole_rows, row, write

BARE = "eval_20261121-014312-002"


BROKEN = "eval_20261121-014312-003"


LONG = "eval_20261121-014312-004"


TORQUES = "eval_20261121-014312-005"


STEPS = f"/api/runs/{RUN_ID}/evaluations/{{}}/steps"


EXPORT = f"/api/runs/{RUN_ID}/evaluations/{{}}/export"


def evaluated(folder: RunFolder, evaluation_id: str) -> None:
    result = EpisodeResult(
        index=1, episode_return=1, episode_length=1, terminated=True, truncated=False, seed=40, first_frame=0
    )
    folder.evaluations.write(
        EvaluationRecord(
            id=evaluation_id,
            run_id=folder.run_id,
            status=EvaluationStatus.COMPLETED,
            created_at=datetime(2026, 11, 21, tzinfo=UTC),
            summary=summarize([result], None),
        )
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("steps")
    folder = make_run(place / "runs", RUN_ID, rows=10, status="completed")
    for evaluation_id in (EVALUATION_ID, BARE, BROKEN, LONG, TORQUES):
        evaluated(folder, evaluation_id)
    said = about()
    write(folder.evaluations.steps_path(EVALUATION_ID), said, pole_rows(said))
    torques = about(acts=spaces.Box(np.array([-2, -np.inf]), np.array([2, np.inf]), dtype=np.float64), actions=())
    write(folder.evaluations.steps_path(TORQUES), torques, [row(torques, 0, 0, [0.0, 0.0])])
    write(folder.evaluations.steps_path(LONG), said, pole_rows(said, episodes=1, steps=10_000))
    content = bytearray(folder.evaluations.steps_path(EVALUATION_ID).read_bytes())
    content[4:400] = bytes(396)
    folder.evaluations.steps_path(BROKEN).write_bytes(content)
    with serving(place, launcher="scripted") as running:
        yield running


def steps(service: Service, evaluation_id: str = EVALUATION_ID, **query: Any) -> dict[str, Any]:
    answer = service.http.get(STEPS.format(evaluation_id), params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_an_evaluation_says_whether_its_steps_are_stored(service: Service) -> None:
    listed = service.http.get(f"/api/runs/{RUN_ID}/evaluations").json()
    assert {one["id"]: one["has_steps"] for one in listed}[EVALUATION_ID]
    assert not {one["id"]: one["has_steps"] for one in listed}[BARE]


def test_records_are_returned_in_columns_with_descriptions_of_their_numbers(service: Service) -> None:
    found = steps(service, episode=1)
    assert (found["total"], found["start"], found["stop"]) == (4, 0, 4)
    assert found["columns"]["action"] == [None, 1, 0, 1]
    assert found["columns"]["index"] == [0, 1, 2, 3]
    assert found["info"]["observation"]["labels"] == ["pole angle", "pole velocity"]
    assert found["info"]["observation"]["units"] == ["rad", "rad/s"]
    assert found["info"]["action"]["n"] == 2
    assert found["info"]["seeds"] == [40, 41]


def test_actions_are_returned_with_the_bounds_of_the_environment(service: Service) -> None:
    action = steps(service, TORQUES)["info"]["action"]
    assert (action["low"], action["high"]) == ([-2.0, None], [2.0, None])
    assert action["n"] is None
    assert steps(service)["info"]["action"]["low"] is None, "one of two actions has no bounds"


def test_the_query_sets_conditions_sort_order_and_range(service: Service) -> None:
    query = {"where": ["action:push right", "reward:>0"], "sort": "-index,episode", "columns": "episode,index"}
    assert steps(service, **query)["columns"] == {"episode": [0, 1], "index": [1, 1]}
    assert steps(service, columns="index", **{"from": 2, "to": 4})["columns"] == {"index": [2, 3]}


def test_ten_thousand_steps_are_filtered_at_once(service: Service) -> None:
    """``make bench`` measures the time; the limit here only detects a loop over records."""
    query = {"where": ["action:1", "observation.0:>500"], "columns": "index"}
    steps(service, LONG, **query)
    started = time.perf_counter()
    assert steps(service, LONG, **query)["total"] == 2_500
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"where": "reward:much"}, "/where/0"),
        ({"where": ["index:1", "reward < much"]}, "/where/1"),
        ({"sort": "colour"}, "/sort/0"),
        ({"columns": "colour"}, "/columns"),
        ({"from": -1}, "/from"),
        ({"episode": "first"}, "/episode"),
        ({"where": ["index:1"] * 21}, "/where"),
    ],
)
def test_an_invalid_query_is_refused_with_a_pointer(service: Service, query: dict[str, Any], pointer: str) -> None:
    answer = service.http.get(STEPS.format(EVALUATION_ID), params=query)
    assert_problem(answer, 422, pointer)


@pytest.mark.parametrize("address", [STEPS, EXPORT])
def test_missing_steps_are_not_found(service: Service, address: str) -> None:
    assert_problem(service.http.get(address.format(BARE)), 404)
    assert_problem(service.http.get(address.format("eval_20200101-000000-000")), 404)
    assert_problem(service.http.get(address.format("..%2F..")), 404)


@pytest.mark.parametrize("address", [STEPS, EXPORT])
def test_a_damaged_file_is_reported(service: Service, address: str) -> None:
    assert_problem(service.http.get(address.format(BROKEN)), 409)


def test_exports_contain_the_records_of_the_table(service: Service) -> None:
    def export(kind: str, **wanted: Any) -> bytes:
        answer = service.http.get(EXPORT.format(EVALUATION_ID), params={"format": kind, **wanted})
        assert answer.status_code == 200, answer.text
        return answer.content

    wanted = {"episode": 1, "where": ["index:>=1", "index:<3"]}
    shown = service.http.get(STEPS.format(EVALUATION_ID), params=wanted).json()["columns"]
    places = list(zip(shown["episode"], shown["index"], strict=True))
    assert places == [(1, 1), (1, 2)]
    found = [json.loads(line) for line in export("ndjson", **wanted).splitlines()]
    assert [(one["episode"], one["index"]) for one in found] == places
    assert [row.split(",")[:2] for row in export("csv", **wanted).decode().splitlines()[1:]] == [["1", "1"], ["1", "2"]]
    parquet = pyarrow.parquet.ParquetFile(io.BytesIO(export("parquet", **wanted)))
    assert parquet.read().column("index").to_pylist() == [1, 2]
    assert parquet.schema_arrow.names == service.get(STEPS.format(EVALUATION_ID).removeprefix("/api"))["info"]["names"]
    assert b"rlviz" in parquet.metadata.metadata
    assert export("ndjson", where="index:>99") == b""
    chosen = {"where": "action = push right and index > 1"}
    shown = service.http.get(STEPS.format(EVALUATION_ID), params=chosen).json()["columns"]
    found = [json.loads(line) for line in export("ndjson", **chosen).splitlines()]
    assert [(one["episode"], one["index"]) for one in found] == [(0, 3), (1, 3)]
    assert shown["index"] == [3, 3]


@cases(
    ("params", "status"),
    [
        ({"format": "minari", "where": "index:>1"}, 409),
        ({"where": "height:>1"}, 422),
        ({"format": "parquet", "where": "reward:tall"}, 422),
        ({"episode": 99}, 422),
        ({"format": "hdf5"}, 422),
    ],
)
def test_an_export_of_an_impossible_selection_is_refused(
    service: Service, params: dict[str, str | int], status: int
) -> None:
    assert_problem(service.http.get(EXPORT.format(EVALUATION_ID), params=params), status)


def other_actions(service: Service, episode: int, step: int, evaluation_id: str = EVALUATION_ID) -> Any:
    path = f"/api/runs/{RUN_ID}/evaluations/{evaluation_id}/other-actions"
    return service.http.get(path, params={"episode": episode, "step": step})


def test_the_other_actions_of_a_step_are_listed_by_name(service: Service) -> None:
    found = other_actions(service, 1, 0).json()
    assert found["taken"] == {"name": "push right", "action": [1]}
    assert found["others"] == [{"name": "push left", "action": [0]}]
    assert found["space"]["labels"] == ["push left", "push right"]
    assert other_actions(service, 1, 1).json()["taken"]["name"] == "push left"


@pytest.mark.parametrize(("episode", "step", "field"), [(1, 3, "/step"), (1, 9, "/step"), (7, 0, "/episode")])
def test_a_step_without_a_following_action_is_refused(service: Service, episode: int, step: int, field: str) -> None:
    assert_problem(other_actions(service, episode, step), 422, field)


def test_a_counterfactual_needs_records_and_the_policy_that_played(service: Service) -> None:
    assert_problem(other_actions(service, 0, 0, BARE), 404)
    path = f"/api/runs/{RUN_ID}/evaluations/{EVALUATION_ID}/futures"
    problem = assert_problem(service.http.post(path, json={"episode": 1, "step": 0, "action": [0]}), 409)
    assert problem["title"] == "No other future could be played"
    assert "was deleted" in problem["detail"]
    for action in ([1], [2], [0, 0], [0.5]):
        assert_problem(service.http.post(path, json={"episode": 1, "step": 0, "action": action}), 422, "/action")
