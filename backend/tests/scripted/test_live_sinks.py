"""Delivery to sinks during training."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy.event import listen

from rlviz.domain.errors import ExtraMissing
from rlviz.domain.sink_record import SinkPlan, SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.exchange.sinks.sink import Destination
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import whole_size
from rlviz.rundir.sinks import delivery_state, own_folder, read_plan, read_sinks, write_plan, write_sink
from rlviz.server.exchange import deliveries as live_deliveries
from rlviz.server.exchange import sinks
from rlviz.server.exchange.deliveries import Attempt, LiveDeliveries
from rlviz.server.exchange.sinks import SinkState
from tests.support.service import catalogued, create
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

RUN = {"algo": "ppo", "preset": None, "total_timesteps": 512, "hyperparameters": QUICK["ppo"], "start": True}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Path]]:
    folder = tmp_path_factory.mktemp("sinks")
    with serving(folder, max_concurrent_runs="1", launcher="scripted") as service:
        yield service, folder / "runs"


def only_sink(service: Service, run_id: str) -> dict[str, Any]:
    (sink,) = service.get(f"/runs/{run_id}/sinks")["sinks"]
    return cast("dict[str, Any]", sink)


def test_a_run_is_delivered_while_it_trains_and_completed_at_the_end(here: tuple[Service, Path]) -> None:
    service, runs_dir = here
    run_id = service.api("POST", "/runs", json={**RUN, "sinks": ["tensorboard"]}).json()["id"]
    eventually(lambda: only_sink(service, run_id)["state"] == "delivered", "all of it", 120.0)
    found = only_sink(service, run_id)
    assert service.get(f"/runs/{run_id}")["status"] == "completed"
    assert (found["live"], found["waiting_bytes"], found["problem"]) == (True, 0, None)
    assert found["rows"] == len(RunFolder(runs_dir, run_id).metrics_path.read_text().splitlines())
    assert list(own_folder(RunFolder(runs_dir, run_id), SinkKind.TENSORBOARD).iterdir())


def test_an_unknown_sink_is_refused_and_creates_no_run(here: tuple[Service, Path]) -> None:
    service, _ = here
    before = service.get("/runs")["total"]
    answer = service.api("POST", "/runs", json={**RUN, "sinks": ["aim"]})
    assert answer.status_code == 422
    assert service.api("PUT", "/runs/nobody-knows/sinks/mlflow").status_code == 404
    assert service.get("/runs")["total"] == before


def test_a_sink_with_a_missing_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "find_spec", lambda _name: None)
    with catalogued(tmp_path) as app:
        run_id = create(app)
        with pytest.raises(ExtraMissing, match=r"pip install 'rlviz\[mlflow\]'"):
            app.sinks.add(run_id, [SinkKind.MLFLOW])
        assert read_plan(RunFolder(tmp_path, run_id)) == SinkPlan()


class FakeWorker:
    """A fake process that exits with ``code`` once it is set, or with 1 when its standard input is closed."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.stdin = io.BytesIO()

    def poll(self) -> int | None:
        return self.code

    def wait(self, _seconds: float | None = None) -> int:
        assert self.stdin.closed or self.code is not None
        return self.code or 1

    def is_told_of_the_end(self) -> bool:
        return not self.stdin.closed and self.stdin.getvalue() == b"\n"


class FakeWorkers:
    """Starts fake workers, and advances its ``LiveDeliveries`` step by step."""

    def __init__(self, runs_dir: Path, app: Any) -> None:
        self.begun: list[FakeWorker] = []
        self.now = 0.0
        self.live = LiveDeliveries(runs_dir, app.database, start_worker=self._begin, monotonic=lambda: self.now)

    def _begin(self, _folder: RunFolder, _kind: SinkKind, *, follow: bool) -> subprocess.Popen[bytes]:
        assert follow, "so that it ends with the service"
        self.begun.append(FakeWorker())
        return cast("subprocess.Popen[bytes]", self.begun[-1])

    def look(self, run_id: str) -> None:
        self.live._deliveries.setdefault(run_id, {})
        self.live._check_all()


def test_a_failed_delivery_is_retried_with_growing_intervals_until_it_succeeds(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        folder = RunFolder(tmp_path, run_id)
        write_plan(folder, SinkPlan(kinds=(SinkKind.MLFLOW,)))
        workers = FakeWorkers(tmp_path, app)
        waits = []
        for _ in range(10):
            workers.look(run_id)
            assert workers.live.counts() == {"under_way": 1, "waiting": 0, "failing": 0}
            workers.begun[-1].code = 1
            workers.look(run_id)
            assert workers.live.counts() == {"under_way": 0, "waiting": 0, "failing": 1}
            before, known = workers.now, len(workers.begun)
            while len(workers.begun) == known:
                workers.now += 1.0
                workers.look(run_id)
            waits.append(workers.now - before)
        assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
        _end_run(app, run_id)
        workers.look(run_id)
        assert workers.begun[-1].is_told_of_the_end()
        _deliver(folder)
        workers.begun[-1].code = 0
        workers.look(run_id)
        assert workers.live._deliveries == {}, "there is nothing left to do"
        assert not any(workers.live.counts().values())


def test_a_run_that_cannot_be_monitored_does_not_block_other_deliveries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with catalogued(tmp_path) as app:
        broken, whole = create(app), create(app)
        for run_id in (broken, whole):
            write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW,)))
        workers = FakeWorkers(tmp_path, app)
        check_run = LiveDeliveries._check_run

        def failing(live: LiveDeliveries, run_id: str, state: RunStatus | None) -> None:
            if run_id == broken:
                raise LookupError("an injected fault")
            check_run(live, run_id, state)

        monkeypatch.setattr(LiveDeliveries, "_check_run", failing)
        workers.live._deliveries[broken] = {}
        workers.look(whole)
        assert len(workers.begun) == 1


def test_a_worker_ends_when_its_sink_is_removed_or_its_run_is_gone(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        folder = RunFolder(tmp_path, run_id)
        workers = FakeWorkers(tmp_path, app)
        for leave in (lambda: write_plan(folder, SinkPlan()), lambda: app.runs.delete(run_id)):
            write_plan(folder, SinkPlan(kinds=(SinkKind.MLFLOW,)))
            workers.look(run_id)
            assert not workers.begun[-1].stdin.closed
            leave()
            workers.look(run_id)
            assert workers.begun[-1].stdin.closed
            assert workers.live._deliveries == {}


def test_one_catalogue_query_serves_all_runs(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_ids = [create(app) for _ in range(5)]
        workers = FakeWorkers(tmp_path, app)
        for run_id in run_ids:
            write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW, SinkKind.TENSORBOARD)))
            workers.live._deliveries[run_id] = {}
        asked: list[str] = []
        listen(app.database.engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
        workers.live._check_all()
        assert len([statement for statement in asked if statement.startswith("SELECT")]) == 1
        assert len(workers.begun) == live_deliveries.MOST_WORKERS


def test_rows_added_during_a_delivery_wake_no_worker(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW,)))
        workers = FakeWorkers(tmp_path, app)
        workers.live.reload_plan(run_id)
        workers.look(run_id)
        workers.live._requests.get()
        workers.live.queue_if_due(app.runs.get(run_id))
        assert workers.live._requests.empty()
        _end_run(app, run_id)
        workers.live.queue_if_due(app.runs.get(run_id))
        assert not workers.live._requests.empty()


def test_a_requested_delivery_does_not_wait_for_the_next_retry(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW,)))
        workers = FakeWorkers(tmp_path, app)
        workers.look(run_id)
        assert workers.live.attempt(run_id, SinkKind.MLFLOW).is_under_way
        workers.begun[-1].code = 1
        workers.look(run_id)
        waiting = workers.live.attempt(run_id, SinkKind.MLFLOW)
        assert (waiting.is_under_way, waiting.next_at is not None, len(workers.begun)) == (False, True, 1)
        workers.live.deliver(run_id, SinkKind.MLFLOW)
        assert workers.live._receive_requests()
        workers.live._check_all()
        assert len(workers.begun) == 2
        workers.look(run_id)
        assert not workers.begun[-1].is_told_of_the_end(), "the run trains, and is kept up with"


def test_a_run_exported_once_is_not_kept_up_to_date(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        workers = FakeWorkers(tmp_path, app)
        for code in (0, 1):
            workers.live.deliver(run_id, SinkKind.TENSORBOARD)
            assert workers.live._receive_requests()
            workers.live._check_all()
            workers.live._check_all()
            assert workers.begun[-1].is_told_of_the_end()
            workers.begun[-1].code = code
            workers.live._check_all()
            workers.live._check_all()
            assert workers.live._deliveries == {}
            assert workers.live.attempt(run_id, SinkKind.TENSORBOARD) == Attempt()


def test_each_offered_sink_shows_its_destination_and_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://me:secret@tracking.example:5000/path")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "walkers")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name in ("WANDB_API_KEY", "WANDB_DIR", "TRACKIO_DIR", "WANDB_BASE_URL", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sinks, "find_spec", lambda name: None if name == "trackio" else object())
    with catalogued(tmp_path) as app:
        found = {one.kind: one for one in app.sinks.list_offered()}
        assert found[SinkKind.TRACKIO].install == "pip install 'rlviz[trackio]'"
        assert [one.kind for one in found.values() if one.install is None] == ["wandb", "mlflow", "tensorboard"]
        assert found[SinkKind.MLFLOW].destination.place == "https://tracking.example:5000/path, experiment walkers"
        assert "wandb login" in (found[SinkKind.WANDB].destination.note or "")
        monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
        (wandb,) = [one for one in app.sinks.list_offered() if one.kind is SinkKind.WANDB]
        assert wandb.destination == Destination("https://api.wandb.ai, project rlviz")


def test_a_fork_and_added_seeds_inherit_the_sinks_of_their_run(here: tuple[Service, Path]) -> None:
    service, _ = here
    run_id = service.api("POST", "/runs", json={**RUN, "sinks": ["tensorboard"]}).json()["id"]
    service.wait_for_status(run_id, "completed")

    def live(run: dict[str, Any]) -> list[str]:
        return [one["kind"] for one in service.get(f"/runs/{run['id']}/sinks")["sinks"] if one["live"]]

    def fork(**wish: Any) -> dict[str, Any]:
        answer = service.api("POST", f"/runs/{run_id}/fork", json={"step": 0, **wish})
        answer.raise_for_status()
        return cast("dict[str, Any]", answer.json())

    assert live(fork()) == ["tensorboard"]
    assert live(fork(sinks=[])) == []
    (other,) = service.api("POST", f"/runs/{run_id}/seeds", json={"count": 1}).json()["runs"]
    assert live(other) == ["tensorboard"]
    service.api("DELETE", f"/runs/{run_id}/sinks/tensorboard").raise_for_status()
    assert live(fork()) == [], "the parent is not kept up with any more"
    service.wait_for_status(other["id"], "completed")


def test_the_number_of_simultaneous_deliveries_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_deliveries, "MOST_WORKERS", 2)
    with catalogued(tmp_path) as app:
        workers = FakeWorkers(tmp_path, app)
        for _ in range(3):
            run_id = create(app)
            write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW,)))
            workers.look(run_id)
        assert len(workers.begun) == 2


def test_the_next_service_completes_the_deliveries_of_the_previous_one(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        _end_run(app, run_id)
        write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW,)))
        workers = FakeWorkers(tmp_path, app)
        workers.live.start()
        eventually(lambda: workers.begun and workers.begun[-1].is_told_of_the_end(), "a worker")
        workers.live.close()
        assert workers.begun[-1].stdin.closed


def test_a_delivery_that_was_never_tried_is_pending_for_sync(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        folder = RunFolder(tmp_path, create(app))
        assert read_sinks(folder) == []
        write_plan(folder, SinkPlan(kinds=(SinkKind.MLFLOW,)))
        assert read_sinks(folder) == [SinkRecord(kind=SinkKind.MLFLOW)]


def test_a_sink_that_refuses_data_is_failing_and_says_why(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        folder = RunFolder(tmp_path, run_id)
        app.sinks.add(run_id, [SinkKind.TENSORBOARD])
        (waiting,) = app.sinks.list_for_run(run_id)
        assert (waiting.state, waiting.is_live) == (SinkState.WAITING, True)
        write_sink(folder, SinkRecord(kind=SinkKind.TENSORBOARD, problem="It answers 500.", attempts=3))
        (failing,) = app.sinks.list_for_run(run_id)
        assert (failing.state, failing.record.problem) == (SinkState.FAILING, "It answers 500.")
        _deliver(folder, SinkKind.TENSORBOARD)
        assert [one.state for one in app.sinks.list_for_run(run_id)] == [SinkState.DELIVERED]


def _end_run(app: Any, run_id: str) -> None:
    from rlviz.server.catalog.models import RunRow

    with app.database.write() as session:
        row = session.get(RunRow, run_id)
        row.status = RunStatus.COMPLETED.value
        session.add(row)


def _deliver(folder: RunFolder, kind: SinkKind = SinkKind.MLFLOW) -> None:
    record = SinkRecord(
        kind=kind, foreign_id="1", offset=whole_size(folder.metrics_path), described=delivery_state(folder)
    )
    write_sink(folder, record)
