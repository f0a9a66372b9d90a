"""Commands that serve their runs folder, with workers that import torch first or deliver before they end.

``make test`` has the same commands with forked workers, which start in a tenth of the time.
"""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from rlviz.domain.events import EventKind, StartedData
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.rundir.sinks import is_delivered, read_sink
from rlviz.server.proxy import NAME
from tests.scripted.test_cli_alone import statuses
from tests.support.cli import shell
from tests.support.forked_process import FORKED_FIRST
from tests.support.training import events
from tests.support.workers import pid_of, title_of


@pytest.fixture(autouse=True)
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make workers forks that need not import torch, unless a test says otherwise."""
    monkeypatch.setenv(FORKED_FIRST, "1")


def test_a_run_outlives_the_command_that_started_it_and_the_next_command_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FORKED_FIRST)
    begun = shell(tmp_path, "run", "--steps", "200000", "--seed", "1")
    assert begun.returncode == 0, begun.stderr
    run_id = begun.stdout.strip()
    assert not (tmp_path / "runs" / NAME).exists(), "its service has ended with it"
    folder = RunFolder(tmp_path / "runs", run_id)
    [began] = events(folder, EventKind.STARTED)
    assert isinstance(began.data, StartedData)
    worker = psutil.Process(pid_of(began.data.worker))
    assert worker.create_time() < folder.read_config().created_at.timestamp(), "it imported while the service started"
    assert title_of(worker).endswith(f" {folder.path}")
    assert statuses(tmp_path) == {run_id: "running"}
    stopped = shell(tmp_path, "stop", run_id)
    assert stopped.stdout.startswith(f"{run_id} stopped at step ")
    assert statuses(tmp_path) == {run_id: "stopped"}


def test_a_serving_command_delivers_before_it_exits_or_names_the_command_to_run_later(tmp_path: Path) -> None:
    brief = ("run", "--steps", "512", "--set", "n_steps=128", "--sink", "tensorboard")
    waited = shell(tmp_path, *brief, "--wait")
    assert waited.returncode == 0, waited.stderr
    [folder] = run_folders(tmp_path / "runs")
    record = read_sink(folder, SinkKind.TENSORBOARD)
    assert record is not None
    assert is_delivered(folder, record)
    left = shell(tmp_path, "run", "--steps", "200000", "--sink", "tensorboard")
    assert "`rlviz sync` later" in left.stderr
    assert shell(tmp_path, "stop", left.stdout.strip()).returncode == 0
