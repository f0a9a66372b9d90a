"""Every kind of command in runs folders whose names contain special characters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import call
from tests.support.service_process import serving
from tests.support.training import QUICK
from tests.unit.test_special_folder_names import ODD as ODD_NAMES
from tests.unit.test_special_folder_names import read_sealed_metrics

ODD = "o%20d?d#1 'q\" [x] st*r größe 名;&$(x)=5 caf\udce9"
"""The last letter is a byte that is no UTF-8, as in folders that older systems have made."""


def test_sealed_metrics_are_read_from_folders_of_every_odd_name(tmp_path: Path) -> None:
    read_sealed_metrics(tmp_path, ODD_NAMES)


def test_every_kind_of_command_works_in_a_folder_of_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / ODD / "trackio"))
    folder = tmp_path / ODD
    with serving(folder) as service:
        run = service.create(preset=None, total_timesteps=128, hyperparameters=QUICK["ppo"], start=True)["id"]
        service.wait_for_status(run, "completed")
        commands = [
            ["runs"],
            ["query", "SELECT run_id, count(*) FROM metrics GROUP BY 1"],
            ["evaluate", run, "--episodes", "1", "--wait"],
            ["film", "growth", run, "-o", str(folder / "growth.mp4")],
            ["export", run, "-o", str(folder / "m.csv")],
            ["export", run, "-o", str(folder / "m.parquet")],
            ["export", run, "--bundle", "-o", str(folder / "run.zip")],
            ["export", run, "--format", "tensorboard", "-o", str(folder / "logs")],
            ["export", run, "--to", "tensorboard"],
            ["export", run, "--to", "trackio"],
            ["import", str(folder / "m.csv"), "--again"],
            ["import", str(folder / "logs"), "--again"],
            ["storage", "show"],
        ]
        for command in commands:
            ended = call(service.runs_dir, *command)
            assert ended.status == 0, (command, ended)
        assert "Traceback" not in service.log
    assert call(folder / "runs", "rebuild").status == 0
    assert call(folder / "runs", "catalog", "check").status == 0
    assert {path.name for path in tmp_path.iterdir()} == {ODD}, "nothing lies beside it"
    assert [path.name for path in (folder / "runs").glob("rlviz.db")] == ["rlviz.db"]
