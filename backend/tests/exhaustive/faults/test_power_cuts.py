"""A simulated power cut at any byte of a run folder."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from rlviz.domain.events import EventKind
from rlviz.rundir.journal import read_journal
from rlviz.rundir.process_identity import ProcessIdentity
from tests.real.test_kills import service
from tests.support.faults import Figures, times, whole_files
from tests.support.run_folders import LiveRun, make_run
from tests.support.service_process import serving

__all__ = ["service"]

pytestmark = pytest.mark.faults


def test_a_power_cut_at_any_byte_leaves_correct_statuses_and_complete_files(tmp_path: Path, figures: Figures) -> None:
    """Journals end at a random byte, temporary files were never renamed, and the boot id has changed."""
    runs_dir = tmp_path / "runs"
    for number in range(times(20, 300)):
        chance = random.Random(number)
        run = LiveRun(runs_dir, f"cut-{number}")
        for _ in range(chance.randrange(1, 60)):
            run.row()
            if chance.random() < 0.1:
                run.event(EventKind.WARNING, message="something")
        run.close()
        for path in (run.folder.metrics_path, run.folder.events_path):
            content = path.read_bytes().replace(ProcessIdentity.current().boot_id.encode(), b"before-the-cut")
            began = content.index(b"\n") + 1 if path == run.folder.events_path else 0
            path.write_bytes(content[: chance.randrange(began, len(content) + 1)])
        (run.folder.path / ".model.zip.1-1.tmp").write_bytes(b"PK half")
        (run.folder.checkpoints / ".step_5.zip.1-1.tmp").write_bytes(b"PK half")
    make_run(runs_dir, "created-run")
    begin = time.monotonic()
    with serving(tmp_path) as service:
        found = {run["id"]: run for run in service.get("/runs?limit=500")["runs"]}
        figures.add("power cut: correct status of every run after the start", time.monotonic() - begin, "s")
        cut = [run for run_id, run in found.items() if run_id.startswith("cut-")]
        assert len(cut) == times(20, 300)
        for run in cut:
            folder = service.folder(run["id"])
            kept = [line.record for line in read_journal(folder.metrics_path)]
            assert [record and record["seq"] for record in kept] == list(range(1, len(kept) + 1))
            assert (run["status"], run["cause"]) == ("interrupted", "The host was restarted.")
            whole_files(folder)
        assert found["created-run"]["status"] == "created"
        assert "Traceback" not in service.log
