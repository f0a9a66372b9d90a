"""Rebuilding the catalogue from unusual folders."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from sqlmodel import col, select

from rlviz.domain.errors import CatalogueUnusable, RunsFolderInUse
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal
from rlviz.server import application as application_module
from rlviz.server.application import Application
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection import rebuild as rebuild_module
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.catalog.projection.metrics import MetricsProjection
from rlviz.server.catalog.projection.rebuild import RebuildResult, rebuild
from rlviz.settings import Settings
from tests.support.service import catalogue, service
from tests.support.training import CREATED_AT, make_run

EVALUATION = "eval_20261121-014312-123"
ANOTHER = "eval_20261121-014313-000"


def test_a_copy_of_a_run_folder_is_named_and_left_unchanged(tmp_path: Path, database: Database) -> None:
    folder = make_run(tmp_path)
    copy = shutil.copytree(folder.path, tmp_path / f"{folder.run_id}-backup")
    result = rebuild(database, tmp_path)
    assert list(catalogue(database)) == [folder.run_id]
    [problem] = result.unreadable
    assert repr(copy.name) in problem
    assert repr(folder.run_id) in problem


def test_a_copy_of_an_evaluation_is_named_and_left_unchanged(tmp_path: Path, database: Database) -> None:
    folder, other = make_run(tmp_path), make_run(tmp_path, "other")
    for run in (folder, other):
        run.evaluations.write(EvaluationRecord(id=EVALUATION, run_id=folder.run_id, created_at=CREATED_AT))
    shutil.copy(folder.evaluations.record_path(EVALUATION), folder.evaluations.record_path(ANOTHER))
    (folder.evaluations.path / "eval_notes.json").write_text("{}")
    result = rebuild(database, tmp_path)
    assert (result.runs, result.evaluations) == (2, 1)
    [of_another_run, under_another_name] = result.unreadable
    assert f"{other.run_id!r} is damaged. eval/{EVALUATION}.json" in of_another_run
    assert f"{folder.run_id!r} is damaged. eval/{ANOTHER}.json" in under_another_name


def test_many_folders_are_read_in_parallel_with_the_same_result(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        make_run(tmp_path, str(number))
    (tmp_path / "ppo-cartpole-3" / "config.json").write_text("{}")
    shutil.copytree(tmp_path / "ppo-cartpole-4", tmp_path / "ppo-cartpole-4-copy")

    def rebuilt() -> tuple[RebuildResult, list[dict[str, object]]]:
        found = rebuild(database, tmp_path)
        with database.read() as session:
            return found, [row.model_dump() for row in session.exec(select(RunRow).order_by(col(RunRow.id)))]

    alone = rebuilt()
    monkeypatch.setattr(rebuild_module, "MANY_FOLDERS", 1)
    monkeypatch.setattr(rebuild_module, "BATCH", 2)
    assert rebuilt() == alone
    assert [row["id"] for row in alone[1] if row["damage"]] == ["ppo-cartpole-3"]
    assert "ppo-cartpole-4-copy" in alone[0].unreadable[0]


@pytest.mark.parametrize("value", ["null", '"three"', "[]"])
def test_a_metric_that_is_not_a_number_has_no_value(tmp_path: Path, value: str) -> None:
    folder = make_run(tmp_path)
    names = ("episode/index", "rollout/ep_rew_mean", "time/fps")
    for seq, given in enumerate(("3", value), 1):
        values = ",".join(f'"{name}":{given}' for name in names)
        with folder.metrics_path.open("a") as file:
            file.write(f'{{"seq":{seq},"time":1.0,"step":{seq},"values":{{{values}}}}}\n')
    row = row_of_folder(folder)
    assert (row.step, row.episodes, row.ep_rew_mean) == (2, 3, None)


def test_an_invalid_episode_record_is_left_out_of_the_curve(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    good = [f'{{"seq":{n},"time":1.0,"step":{n},"values":{{"episode/reward":{n}}}}}' for n in range(1, 31)]
    bad = [
        '{"seq":1,"time":1.0,"step":"1","values":{"episode/reward":9e9}}',
        '{"seq":1,"time":1.0,"step":1,"values":{"episode/reward":"9e9"}}',
        '{"seq":1,"time":1.0,"step":1,"values":[]}',
        '{"seq":1,"time":1.0,"step":1,"values":7}',
        '{"seq":1,"time":1.0}',
        "not JSON",
    ]
    path.write_text("\n".join(line for pair in zip(good, bad * 5, strict=True) for line in pair) + "\n")
    projection = MetricsProjection(None)
    projection.add_lines(read_journal(path))
    assert (projection.curve.best, projection.curve.best_step) == (sum(range(11, 31)) / 20, 30)


def test_an_indexing_that_fails_at_the_first_start_is_completed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder: RunFolder = make_run(tmp_path)

    def fail(*_arguments: object) -> None:
        raise OSError("the disk went")

    first = Application(Settings(_env_file=None, runs_dir=tmp_path))  # type: ignore[call-arg]
    with monkeypatch.context() as patch:
        patch.setattr(application_module, "rebuild", fail)
        with pytest.raises(CatalogueUnusable, match="the disk went"):
            first.open()
    first.database.close()
    with service(tmp_path) as app:
        assert list(catalogue(app.database)) == [folder.run_id]


def test_a_runs_folder_is_used_by_one_service_at_a_time(tmp_path: Path) -> None:
    second = Application(Settings(_env_file=None, runs_dir=tmp_path))  # type: ignore[call-arg]
    with service(tmp_path):
        for refused in (second.open, second.rebuild):
            with pytest.raises(RunsFolderInUse, match=f"process {os.getpid()}"):
                refused()
    assert second.rebuild().runs == 0
    second.database.close()
