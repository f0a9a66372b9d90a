"""Runs folders whose names contain special characters."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from rlviz.exchange.sinks.mlflow import _store
from rlviz.learning.playing.video import VideoRecorder, join_videos
from rlviz.sealer import seal
from rlviz.server.analytics.warehouse import Library
from rlviz.server.catalog.database import Database
from rlviz.server.supervisor.sealing import sealed_metrics
from tests.support.run_folders import make_run
from tests.support.service import catalogued

ODD = (
    *("b%20c", "e?f=1", "a#b", "sp ace", "quo'te", 'dou"ble', "größe 名", "[abc]", "st*r", "a**b", "step=5", "a;b"),
    *("back\\slash", "new\nline", "{a,b}", "$HOME", "`x`", "&", "~", "-dash", ":colon:", "x@y", "%", "sqlite:"),
)


def test_the_catalogue_is_in_the_runs_folder_whatever_its_name(tmp_path: Path) -> None:
    for name in ODD:
        folder = tmp_path / "parent" / name
        folder.mkdir(parents=True)
        database = Database(folder / "rlviz.db")
        database.migrate()
        database.back_up("before")
        database.close()
        assert {path.name for path in folder.iterdir()} == {"rlviz.db", "rlviz-before.db"}, name
    assert {path.name for path in (tmp_path / "parent").iterdir()} == set(ODD), "nothing lies beside them"


def test_sealed_metrics_are_read_only_from_the_folder_and_not_by_pattern(tmp_path: Path) -> None:
    """One folder name for each way in which DuckDB could misinterpret a path."""
    read_sealed_metrics(tmp_path, ("e?f=1", "quo'te", "[abc]", "a**b", "b%20c"))


def read_sealed_metrics(root: Path, names: tuple[str, ...]) -> None:
    for number, name in enumerate((*names, "exf=1", "a", "star", "axxb"), 1):
        folder = make_run(root / name, "run", rows=number, status="completed")
        seal(sealed_metrics(folder), 0)
    for number, name in enumerate(names, 1):
        with catalogued(root / name):
            library = Library(root / name / "rlviz.db")
            library.refresh()
            counted = "SELECT run_id, count(*), max(step) FROM metrics WHERE name = 'episode/reward' GROUP BY 1"
            assert library.answer(library.check(counted), [], 9)[0].rows == [["run", number, 10.0 * number]], name


def test_the_mlflow_database_is_in_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    for name in ODD:
        folder = Path("/runs") / name
        assert make_url(_store(folder)).database == str(folder / "mlflow" / "mlflow.db")


def test_videos_are_joined_in_the_folder(tmp_path: Path) -> None:
    import numpy as np

    for name in ("o%20d?d#1 'q\" [x] st*r größe 名;&=5", "back\\slash"):
        folder = tmp_path / name
        folder.mkdir()
        for part in ("a.mp4", "b.mp4"):
            with VideoRecorder(folder / part, fps=10) as recorder:
                recorder.add(np.zeros((16, 16, 3), dtype=np.uint8), None)
        join_videos([folder / "a.mp4", folder / "b.mp4"], folder / "both.mp4")
        assert {path.name for path in folder.iterdir()} == {"a.mp4", "b.mp4", "both.mp4"}
