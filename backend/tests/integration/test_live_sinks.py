"""Sinks that a run has from its start, or is given later: the service delivers to them, and training does not wait."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from rlviz.domain.errors import ExtraMissing
from rlviz.domain.sink_record import SinkPlan, SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import whole_size
from rlviz.rundir.sinks import own_folder, read_plan, read_sink, read_sinks, state_of, write_plan, write_sink
from rlviz.services.sinks import live_couriers
from rlviz.services.sinks.live_couriers import LiveCouriers
from rlviz.services.use_cases import sinks
from rlviz.services.use_cases.sinks import SinkState
from tests.support.http import Service, serving, wait_for
from tests.support.service import catalogued, create
from tests.support.training import QUICK

RUN = {"algo": "ppo", "preset": None, "total_timesteps": 512, "hyperparameters": QUICK["ppo"], "start": True}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Path]]:
    folder = tmp_path_factory.mktemp("sinks")
    with serving(folder, max_concurrent_runs="1") as service:
        yield service, folder / "runs"


def only_sink(service: Service, run_id: str) -> dict[str, Any]:
    (sink,) = service.get(f"/runs/{run_id}/sinks")["sinks"]
    return cast("dict[str, Any]", sink)


def test_a_run_is_delivered_as_it_trains_and_has_its_rest_at_the_end(here: tuple[Service, Path]) -> None:
    service, runs_dir = here
    run_id = service.api("POST", "/runs", json={**RUN, "sinks": ["tensorboard"]}).json()["id"]
    wait_for(lambda: only_sink(service, run_id)["state"] == "delivered", "all of it", 120.0)
    found = only_sink(service, run_id)
    assert service.get(f"/runs/{run_id}")["status"] == "completed"
    assert (found["live"], found["waiting_bytes"], found["problem"]) == (True, 0, None)
    assert found["rows"] == len(RunFolder(runs_dir, run_id).metrics_path.read_text().splitlines())
    assert list(own_folder(RunFolder(runs_dir, run_id), SinkKind.TENSORBOARD).iterdir())


def test_a_run_that_has_ended_is_given_a_sink_and_what_changes_later_comes_too(here: tuple[Service, Path]) -> None:
    service, runs_dir = here
    run_id = service.api("POST", "/runs", json=RUN).json()["id"]
    assert service.get(f"/runs/{run_id}/sinks")["sinks"] == []
    service.wait_for_status(run_id, "completed")
    service.api("PUT", f"/runs/{run_id}/sinks/tensorboard").raise_for_status()
    wait_for(lambda: only_sink(service, run_id)["state"] == "delivered", "all of it", 120.0)
    before = read_sink(RunFolder(runs_dir, run_id), SinkKind.TENSORBOARD)
    service.api("PATCH", f"/runs/{run_id}", json={"name": "another"}).raise_for_status()
    wait_for(lambda: only_sink(service, run_id)["state"] == "delivered", "its name", 120.0)
    after = read_sink(RunFolder(runs_dir, run_id), SinkKind.TENSORBOARD)
    assert before is not None
    assert after is not None
    assert before.described != after.described
    left = service.api("DELETE", f"/runs/{run_id}/sinks/tensorboard").json()["sinks"]
    assert [(one["kind"], one["live"], one["rows"]) for one in left] == [("tensorboard", False, after.rows)]


def test_a_sink_that_is_none_is_refused_and_no_run_is_left(here: tuple[Service, Path]) -> None:
    service, _ = here
    before = service.get("/runs")["total"]
    answer = service.api("POST", "/runs", json={**RUN, "sinks": ["aim"]})
    assert answer.status_code == 422
    assert service.api("PUT", "/runs/nobody-knows/sinks/mlflow").status_code == 404
    assert service.get("/runs")["total"] == before


def test_a_sink_whose_package_is_missing_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "find_spec", lambda _name: None)
    with catalogued(tmp_path) as app:
        run_id = create(app)
        with pytest.raises(ExtraMissing, match=r"pip install 'rlviz\[mlflow\]'"):
            app.sinks.add(run_id, [SinkKind.MLFLOW])
        assert read_plan(RunFolder(tmp_path, run_id)) == SinkPlan()


class Courier:
    """As a process: ends with ``code`` when that is set, or with 1 when its standard input is closed."""

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


class Couriers:
    """Starts such couriers, and brings its ``LiveCouriers`` on step by step."""

    def __init__(self, runs_dir: Path, app: Any) -> None:
        self.begun: list[Courier] = []
        self.now = 0.0
        self.live = LiveCouriers(runs_dir, app.database, begin=self._begin, monotonic=lambda: self.now)

    def _begin(self, _folder: RunFolder, _kind: SinkKind, *, follow: bool) -> subprocess.Popen[bytes]:
        assert follow, "so that it ends with the service"
        self.begun.append(Courier())
        return cast("subprocess.Popen[bytes]", self.begun[-1])

    def look(self, run_id: str) -> None:
        self.live._deliveries.setdefault(run_id, {})
        self.live._look_after(run_id)


def test_what_is_not_taken_is_tried_again_ever_more_seldom_until_it_is(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        folder = RunFolder(tmp_path, run_id)
        write_plan(folder, SinkPlan(kinds=(SinkKind.MLFLOW,)))
        couriers = Couriers(tmp_path, app)
        waits = []
        for _ in range(10):
            couriers.look(run_id)
            couriers.begun[-1].code = 1
            couriers.look(run_id)
            before, known = couriers.now, len(couriers.begun)
            while len(couriers.begun) == known:
                couriers.now += 1.0
                couriers.look(run_id)
            waits.append(couriers.now - before)
        assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
        _end_run(app, run_id)
        couriers.look(run_id)
        assert couriers.begun[-1].is_told_of_the_end()
        _deliver(folder)
        couriers.begun[-1].code = 0
        couriers.look(run_id)
        assert couriers.live._deliveries == {}, "there is nothing left to do"


def test_a_courier_ends_when_its_sink_is_removed_or_its_run_is_gone(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        folder = RunFolder(tmp_path, run_id)
        couriers = Couriers(tmp_path, app)
        for leave in (lambda: write_plan(folder, SinkPlan()), lambda: app.runs.delete(run_id)):
            write_plan(folder, SinkPlan(kinds=(SinkKind.MLFLOW,)))
            couriers.look(run_id)
            assert not couriers.begun[-1].stdin.closed
            leave()
            couriers.look(run_id)
            assert couriers.begun[-1].stdin.closed
            assert couriers.live._deliveries == {}


def test_no_more_than_some_deliver_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_couriers, "MOST_COURIERS", 2)
    with catalogued(tmp_path) as app:
        couriers = Couriers(tmp_path, app)
        for _ in range(3):
            run_id = create(app)
            write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW,)))
            couriers.look(run_id)
        assert len(couriers.begun) == 2


def test_what_a_service_left_is_delivered_by_the_next(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        _end_run(app, run_id)
        write_plan(RunFolder(tmp_path, run_id), SinkPlan(kinds=(SinkKind.MLFLOW,)))
        couriers = Couriers(tmp_path, app)
        couriers.live.start()
        wait_for(lambda: couriers.begun and couriers.begun[-1].is_told_of_the_end(), "a courier")
        couriers.live.close()
        assert couriers.begun[-1].stdin.closed


def test_what_was_never_tried_waits_for_rlviz_sync_too(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        folder = RunFolder(tmp_path, create(app))
        assert read_sinks(folder) == []
        write_plan(folder, SinkPlan(kinds=(SinkKind.MLFLOW,)))
        assert read_sinks(folder) == [SinkRecord(kind=SinkKind.MLFLOW)]


def test_a_sink_that_does_not_take_it_is_failing_and_says_why(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        run_id = create(app)
        folder = RunFolder(tmp_path, run_id)
        app.sinks.add(run_id, [SinkKind.TENSORBOARD])
        (waiting,) = app.sinks.of(run_id)
        assert (waiting.state, waiting.is_live) == (SinkState.WAITING, True)
        write_sink(folder, SinkRecord(kind=SinkKind.TENSORBOARD, problem="It answers 500.", attempts=3))
        (failing,) = app.sinks.of(run_id)
        assert (failing.state, failing.record.problem) == (SinkState.FAILING, "It answers 500.")
        _deliver(folder, SinkKind.TENSORBOARD)
        assert [one.state for one in app.sinks.of(run_id)] == [SinkState.DELIVERED]


def _end_run(app: Any, run_id: str) -> None:
    from rlviz.catalog.models import RunRow

    with app.database.write() as session:
        row = session.get(RunRow, run_id)
        row.status = RunStatus.COMPLETED.value
        session.add(row)


def _deliver(folder: RunFolder, kind: SinkKind = SinkKind.MLFLOW) -> None:
    record = SinkRecord(kind=kind, foreign_id="1", offset=whole_size(folder.metrics_path), described=state_of(folder))
    write_sink(folder, record)
