"""Training and user scripts on a full disk."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psutil
import pytest

from rlviz.library.tracking import track
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.faults import filled, train, whole_files, worker_of
from tests.support.service_process import serving
from tests.support.training import rows
from tests.support.waiting import eventually

LONG = 300.0
"""Seconds in which a worker has begun, however busy the machine."""


pytestmark = pytest.mark.faults


def over(evaluation: dict[str, Any]) -> dict[str, Any] | None:
    return evaluation if evaluation["status"] in ("failed", "completed") else None


def test_training_waits_on_a_full_disk_and_filming_and_saving_name_the_cause(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service)
        folder, worker = service.folder(run_id), worker_of(service, run_id)
        with filled(small_disk):
            at = rows(folder)[-1]["seq"]
            spent = worker.cpu_times().user
            eventually(lambda: worker.cpu_times().user > spent + 0.2, "some training, which waits to be written", LONG)
        eventually(lambda: rows(folder)[-1]["seq"] > at, "training to be written again", LONG)

        assert service.api("POST", f"/runs/{run_id}/evaluations", json={"episodes": 100}).status_code == 202
        half = ".*.mp4.*"
        eventually(lambda: list(folder.evaluations.path.glob(half)), "the first frames", LONG)
        with filled(small_disk):
            eventually(lambda: not list(folder.evaluations.path.glob(half)), "the half video to be given up", LONG)
            assert worker.is_running()
        evaluation = eventually(lambda: over(service.get(f"/runs/{run_id}/evaluations/latest")), "its end", LONG)
        assert evaluation["status"] == "failed"
        assert re.search("No space left|disk is full", evaluation["cause"]), evaluation["cause"]
        assert not list(folder.evaluations.path.glob("*.mp4"))

        with filled(small_disk):
            worker.terminate()
            psutil.wait_procs([worker], LONG)
            assert service.get(f"/runs/{run_id}")["id"] == run_id
        run = service.wait_for_status(run_id, "paused")
        assert re.search("disk is full", run["last_warning"]), run["last_warning"]
        assert not folder.model_path.exists()
        eventually(lambda: not list(folder.path.rglob("*.tmp")), "half-written files to be swept away")
        whole_files(folder)
        assert "Traceback" not in service.log


def test_a_user_script_continues_on_a_full_disk_and_loses_no_row_of_its_run(
    small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = track("mine", "Own-v0", runs_dir=small_disk)
    with filled(small_disk):
        for step in range(2_000):
            run.log(step, loss=0.5)
        eventually(lambda: "cannot be written now" in capsys.readouterr().err, "a word about it")
        assert len(rows(RunFolder(small_disk, run.id))) < 2_000
    run.finish()
    folder = RunFolder(small_disk, run.id)
    assert [row["step"] for row in rows(folder)] == list(range(2_000))
    assert row_of_folder(folder).status == "completed"
