"""Deleting, resuming and pruning wait briefly for a worker that is still exiting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.cli.commands import maintenance
from rlviz.cli.exits import Exit, Failure
from rlviz.domain.errors import RunIsActive
from rlviz.domain.status import RunStatus
from rlviz.rundir.snapshots import snapshots_of
from tests.support.service import becomes, create, folder_of, service, start


def test_an_ended_run_is_deleted_after_its_worker_exits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with service(tmp_path) as app:
        run_id = create(app)
        looks = iter([True, True, True, False, False])
        monkeypatch.setattr(app.supervisor, "is_live", lambda _run_id: next(looks))
        app.runs.delete(run_id)
        assert not folder_of(app, run_id).is_there()
        assert next(looks, None) is None


def test_a_paused_run_is_resumed_after_its_worker_exits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with service(tmp_path) as app:
        run_id = start(app)
        becomes(app, run_id, RunStatus.RUNNING)
        app.resuming.pause(run_id)
        becomes(app, run_id, RunStatus.PAUSED)
        app.resuming.resume(run_id)  # its worker may live a moment longer
        becomes(app, run_id, RunStatus.RUNNING)
        app.resuming.pause(run_id)
        becomes(app, run_id, RunStatus.PAUSED)
        snapshot = snapshots_of(folder_of(app, run_id))[0].name
        app.resuming.roll_back(run_id, snapshot)
        becomes(app, run_id, RunStatus.RUNNING)


def test_the_wait_for_a_worker_that_does_not_exit_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlviz.server.use_case.EXIT_SECONDS", 0.1)
    with service(tmp_path) as app:
        run_id = create(app)
        with monkeypatch.context() as patch:
            patch.setattr(app.supervisor, "is_live", lambda _run_id: True)
            with pytest.raises(RunIsActive):
                app.runs.delete(run_id)
        assert folder_of(app, run_id).is_there()


class Service:
    """Refuses requests with the given failures, then accepts one."""

    def __init__(self, *refusals: Failure) -> None:
        self.refusals = list(refusals)
        self.asked: list[Any] = []

    def post(self, path: str, body: Any) -> Any:
        self.asked.append((path, body))
        if self.refusals:
            raise self.refusals.pop(0)

    def get(self, _path: str, **_query: Any) -> Any:
        return {"pruning": {"done": 0, "ended_at": 1.0}}


def test_prune_starts_after_the_services_own_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "POLL_SECONDS", 0)
    busy = Failure(Exit.CONFLICT, "The storage rules are being applied.")
    held: Any = Service(busy, busy)
    assert maintenance._apply_rules(held, dry_run=False) == {"done": 0, "ended_at": 1.0}
    assert held.asked == [("/storage/prune", {"dry_run": False})] * 3
    unusable: Any = Service(Failure(Exit.BAD_INPUT, "The rules cannot be read."))
    with pytest.raises(Failure, match="cannot be read"):
        maintenance._apply_rules(unusable, dry_run=False)
