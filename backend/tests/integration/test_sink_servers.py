"""Servers that answer 500, hang, or lie: training goes on, nothing is lost, and all of it is delivered later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from rlviz import delivery_worker
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import is_delivered, read_sink
from tests.support.http import make_run, serving, wait_for
from tests.support.mlflow_server import FakeMlflow
from tests.support.readers import needs
from tests.support.tracking_server import Mood, served
from tests.support.training import QUICK, rows

RUN_ID = "ppo-cartpole-20261121-044130-3630"
ROWS = 1_200  # more than one request has
CURVE = {(10 * index, float(index)) for index in range(1, ROWS + 1)}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMlflow]:
    with served(FakeMlflow()) as server:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", server.url)
        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "runs", RUN_ID, rows=ROWS, status="completed")


def deliver(folder: RunFolder, kind: SinkKind = SinkKind.MLFLOW) -> tuple[int, SinkRecord]:
    status = delivery_worker.main([str(folder.path), kind.value])
    record = read_sink(folder, kind)
    assert record is not None
    return status, record


@needs("mlflow")
@pytest.mark.parametrize(
    ("mood", "problem"),
    [(Mood.ERROR, "500"), (Mood.HANGS, "timed out"), (Mood.PAGE, "Please log in"), (Mood.FORGETS, "does not have")],
)
def test_a_server_that_does_not_take_it_is_named_and_has_everything_once_it_is_well(
    folder: RunFolder, server: FakeMlflow, mood: Mood, problem: str
) -> None:
    server.mood = mood
    status, record = deliver(folder)
    assert (status, record.offset, problem in (record.problem or "")) == (1, 0, True), record
    server.mood = Mood.WELL
    status, record = deliver(folder)
    assert (status, record.problem, record.rows, is_delivered(folder, record)) == (0, None, ROWS, True)
    assert server.points["episode/reward"] == CURVE
    assert server.run is not None
    assert server.run["status"] == "FINISHED"


@needs("mlflow")
def test_a_server_that_was_set_up_anew_is_given_all_of_it_again(folder: RunFolder, server: FakeMlflow) -> None:
    assert deliver(folder)[0] == 0
    server.forget()
    assert deliver(folder)[0] == 0
    assert server.points["episode/reward"] == CURVE


@needs("mlflow")
def test_a_server_that_kept_the_run_and_lost_its_rows_is_given_them_again(
    folder: RunFolder, server: FakeMlflow
) -> None:
    assert deliver(folder)[0] == 0
    server.points.clear()
    assert deliver(folder)[0] == 0
    assert server.points["episode/reward"] == CURVE


@needs("mlflow")
def test_a_server_that_fails_in_between_is_given_the_rest(folder: RunFolder, server: FakeMlflow) -> None:
    gone = Event()

    def leave() -> None:
        wait_for(lambda: server.asked.count("runs/log-batch") > 1, "the first rows")
        server.mood = Mood.ERROR
        gone.set()

    leaving = Thread(target=leave)
    leaving.start()
    deliver(folder)
    leaving.join()
    server.mood = Mood.WELL
    status, record = deliver(folder)
    assert (status, record.rows) == (0, ROWS)
    assert server.points["episode/reward"] == CURVE


@needs("mlflow")
@pytest.mark.timeout(900)  # delivery workers have the lowest priority
@pytest.mark.parametrize("mood", [Mood.ERROR, Mood.HANGS, Mood.FORGETS])
def test_a_run_trains_to_its_end_beside_a_sink_that_is_away_and_is_delivered_later(
    tmp_path: Path, server: FakeMlflow, mood: Mood
) -> None:
    server.mood = mood
    wanted = {"algo": "ppo", "preset": None, "total_timesteps": 512, "hyperparameters": QUICK["ppo"], "start": True}
    with serving(tmp_path, max_concurrent_runs="1") as service:
        run_id = service.api("POST", "/runs", json={**wanted, "sinks": ["mlflow"]}).json()["id"]
        service.wait_for_status(run_id, "completed")
        events = service.get(f"/runs/{run_id}")
        assert events["warnings"] == 0

        def sink() -> dict[str, object]:
            (found,) = service.get(f"/runs/{run_id}/sinks")["sinks"]
            return dict(found)

        wait_for(lambda: sink()["state"] == "failing", "the failure", 300.0)
        server.mood = Mood.WELL
        service.api("POST", f"/runs/{run_id}/sinks/mlflow/deliver").raise_for_status()
        wait_for(lambda: sink()["state"] == "delivered", "all of it", 300.0)
        logged = [row for row in rows(RunFolder(tmp_path / "runs", run_id)) if "episode/reward" in row["values"]]
    assert server.points["episode/reward"] == {(row["step"], row["values"]["episode/reward"]) for row in logged}
