"""Delivery to servers that answer 500, hang or lose data."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from rlviz import delivery_worker
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import is_delivered, read_sink
from rlviz.server.exchange.delivery import Delivery
from tests.support.mlflow_server import FakeMlflow
from tests.support.readers import needs
from tests.support.run_folders import make_run
from tests.support.service_process import serving
from tests.support.tracking_server import Mood, served
from tests.support.training import QUICK, rows
from tests.support.waiting import eventually

RUN_ID = "ppo-cartpole-20261121-044130-3630"
ROWS = 1_200  # more than one request has
CURVE = {(10 * index, float(index)) for index in range(1, ROWS + 1)}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMlflow]:
    with served(FakeMlflow()) as server:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", server.url)
        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "3")
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
    [
        (Mood.ERROR, "500"),
        (Mood.HANGS, "timed out"),
        (Mood.PAGE, "Please log in"),
        (Mood.FORGETS, "does not have"),
        (Mood.FORGETS_SOME, "does not have"),
    ],
)
def test_a_server_that_refuses_data_is_named_and_has_everything_after_it_recovers(
    folder: RunFolder, server: FakeMlflow, mood: Mood, problem: str
) -> None:
    server.mood = mood
    status, record = deliver(folder)
    assert (status, record.offset, problem in (record.problem or "")) == (1, 0, True), record
    server.mood = Mood.WELL
    status, record = deliver(folder)
    assert (status, record.problem, record.rows, is_delivered(folder, record)) == (0, None, ROWS, True)
    assert server.curve("episode/reward") == CURVE
    assert server.run is not None
    assert server.run["status"] == "FINISHED"


@needs("mlflow")
def test_a_reset_server_is_sent_everything_again(folder: RunFolder, server: FakeMlflow) -> None:
    assert deliver(folder)[0] == 0
    server.forget()
    assert deliver(folder)[0] == 0
    assert server.curve("episode/reward") == CURVE


@needs("mlflow")
@pytest.mark.parametrize(
    "lost", [slice(None), slice(700, None), slice(100, 101)], ids=["all", "those that came last", "one of them"]
)
def test_a_server_that_lost_points_is_sent_them_again(folder: RunFolder, server: FakeMlflow, lost: slice) -> None:
    assert deliver(folder)[0] == 0
    missing = sorted(server.points["episode/reward"])[lost]
    server.points["episode/reward"].difference_update(missing)
    server.taken = 0
    status, record = deliver(folder)
    assert (status, record.rows, is_delivered(folder, record)) == (0, ROWS, True)
    assert server.curve("episode/reward") == CURVE
    assert server.taken == len(missing), "and no others"


@needs("mlflow")
def test_a_server_that_loses_points_during_a_delivery_is_detected_before_it_counts(
    folder: RunFolder, server: FakeMlflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first points are checked as soon as they are sent, the others at the end of the delivery."""
    respond = server.respond

    def lose(path: str, query: dict[str, str], body: bytes) -> Any:
        if "metrics/get-history" in server.asked:
            server.mood = Mood.FORGETS_SOME
        return respond(path, query, body)

    with monkeypatch.context() as patch:
        patch.setattr(server, "respond", lose)
        status, record = deliver(folder)
    assert (status, is_delivered(folder, record), "does not have" in (record.problem or "")) == (1, False, True)
    server.mood = Mood.WELL
    assert deliver(folder)[0] == 0
    assert server.curve("episode/reward") == CURVE


class Patience:
    """Measures the duration of whole blocks, and the longest time without a response."""

    def __init__(self) -> None:
        self.block = self.silence = self._since = 0.0

    @contextmanager
    def within(self) -> Iterator[None]:
        begun = self._since = time.monotonic()
        yield
        self.answered()
        self.block = max(self.block, time.monotonic() - begun)

    def answered(self) -> None:
        now = time.monotonic()
        self.silence, self._since = max(self.silence, now - self._since), now


@needs("mlflow")
def test_a_server_that_lists_its_contents_slowly_is_waited_for(
    folder: RunFolder, server: FakeMlflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has lost the last point of the last requested metric."""
    assert deliver(folder)[0] == 0
    last = list(server.points)[-1]
    server.points[last].remove(lost := max(server.points[last]))
    respond, server.taken = server.respond, 0

    def slowly(path: str, query: dict[str, str], body: bytes) -> Any:
        if server.name_of(path, body) == "metrics/get-history":
            time.sleep(0.2)
        return respond(path, query, body)

    monkeypatch.setattr(server, "respond", slowly)
    patience = Patience()
    Delivery(folder, SinkKind.MLFLOW, within=patience.within, answered=patience.answered).run()
    assert (server.taken, lost in server.points[last]) == (1, True)
    assert patience.silence < patience.block / 2, "each answer is told to whoever would end the process"


@needs("mlflow")
def test_a_server_that_returns_the_same_points_repeatedly_is_named(
    folder: RunFolder, server: FakeMlflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert deliver(folder)[0] == 0
    respond = server.respond
    monkeypatch.setattr(server, "respond", lambda path, query, body: respond(path, {**query, "page_token": "0"}, body))
    status, record = deliver(folder)
    assert (status, "keeps returning the same points" in (record.problem or "")) == (1, True)


@needs("mlflow")
def test_episodes_that_end_alike_at_the_same_moment_are_all_delivered(folder: RunFolder, server: FakeMlflow) -> None:
    """Episodes of parallel environments can have the same time, step and value; MLflow stores such a row once."""
    alike = {"step": 99_999, "values": {"episode/reward": 7.0}}
    with folder.metrics_path.open("a") as metrics:
        for seq, seconds in enumerate((0.0, 0.0, 0.0, 0.001), ROWS + 1):
            metrics.write(json.dumps({**alike, "seq": seq, "time": 2e9 + seconds}) + "\n")
    for _ in range(2):
        assert deliver(folder)[0] == 0
        told = [point for point in server.points["episode/reward"] if point.step == alike["step"]]
        assert sorted(point.timestamp - 2_000_000_000_000 for point in told) == [0, 1, 2, 3]
        server.taken, taken = 0, server.taken
    assert taken == 0, "again is the same as once"


@needs("mlflow")
def test_a_server_that_fails_midway_is_sent_the_rest(folder: RunFolder, server: FakeMlflow) -> None:
    gone = Event()

    def leave() -> None:
        eventually(lambda: server.asked.count("runs/log-batch") > 1, "the first rows")
        server.mood = Mood.ERROR
        gone.set()

    leaving = Thread(target=leave)
    leaving.start()
    deliver(folder)
    leaving.join()
    server.mood = Mood.WELL
    status, record = deliver(folder)
    assert (status, record.rows) == (0, ROWS)
    assert server.curve("episode/reward") == CURVE


@needs("mlflow")
@pytest.mark.timeout(900)  # delivery workers have the lowest priority
@pytest.mark.parametrize("mood", [Mood.ERROR, Mood.HANGS, Mood.FORGETS])
def test_a_run_trains_to_its_end_while_its_sink_is_down_and_is_delivered_later(
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

        eventually(lambda: sink()["state"] == "failing", "the failure", 300.0)
        server.mood = Mood.WELL
        service.api("POST", f"/runs/{run_id}/sinks/mlflow/deliver").raise_for_status()
        eventually(lambda: sink()["state"] == "delivered", "all of it", 300.0)
        logged = [row for row in rows(RunFolder(tmp_path / "runs", run_id)) if "episode/reward" in row["values"]]
    assert server.curve("episode/reward") == {(row["step"], row["values"]["episode/reward"]) for row in logged}
