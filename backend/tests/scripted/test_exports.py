"""Export of one or several runs as tables, bundles and event files, and their import."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.config import ExperimentPlace
from rlviz.domain.errors import ImportRefused
from rlviz.domain.export_formats import TableFormat
from rlviz.exchange.import_runs import ImportOptions, import_path
from tests.support.bundles import POLICY
from tests.support.cli import Ended, call
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.taken_elsewhere import files, there
from tests.support.training import curves


def opened(content: bytes, tmp_path: Path, name: str = "several") -> Path:
    """Unpack a downloaded archive."""
    target = tmp_path / name
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(target)
    return target


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("two")
    place = ExperimentPlace(id="exp-a", variant="slow", trial=0)
    for name, settings in (("run-a", {"seed": 3, "experiment": place}), ("run-b", {"algo": "dqn"})):
        folder_of_run = make_run(folder / "runs", name, rows=20, status="completed", **settings)
        folder_of_run.model_path.write_bytes(b"PK\x03\x04 a policy")
    with serving(folder, launcher="scripted") as service:
        yield service


@pytest.mark.parametrize("form", TableFormat)
def test_one_or_several_runs_export_as_tables_that_import_with_the_same_curves(
    two_runs: Service, tmp_path: Path, form: TableFormat
) -> None:
    one = two_runs.api("GET", f"/runs/run-a/export?format={form}")
    assert one.headers["content-disposition"] == f'attachment; filename="run-a.{form}"'
    (tmp_path / f"run-a.{form}").write_bytes(one.content)
    several = opened(two_runs.api("GET", f"/export?runs=run-a,run-b&format={form}").content, tmp_path) / "runs"
    assert files(several) == {
        f"runs.{form}",
        *(f"{name}/{file}" for name in ("run-a", "run-b") for file in (f"metrics.{form}", "config.json")),
    }
    assert (several / "run-a" / f"metrics.{form}").read_bytes() == one.content

    [alone] = import_path(tmp_path / f"run-a.{form}", there(tmp_path), ImportOptions()).runs
    brought = import_path(several, there(tmp_path), ImportOptions(again=True))
    assert brought.refused == []
    assert [curves(run) for run in [alone, *brought.runs]] == [
        curves(two_runs.folder(name)) for name in ("run-a", "run-a", "run-b")
    ]
    configs = [run.read_config() for run in brought.runs]
    assert [(one.name, one.algo, one.env_id, one.seed) for one in configs] == [
        ("run-a", "ppo", "CartPole-v1", 3),
        ("run-b", "dqn", "CartPole-v1", 1),
    ]
    assert len(import_path(several, there(tmp_path), ImportOptions()).known) == 2


def test_several_runs_export_as_bundles_that_import_completely(two_runs: Service, tmp_path: Path) -> None:
    archive = tmp_path / "both.zip"
    archive.write_bytes(two_runs.api("GET", "/export?runs=run-b,run-a&format=bundle").content)
    brought = import_path(archive, there(tmp_path), ImportOptions(trust=True))
    assert [run.run_id for run in brought.runs] == ["run-a", "run-b"]
    assert all(run.model_path.read_bytes() == POLICY for run in brought.runs)
    again = import_path(archive, there(tmp_path), ImportOptions())
    assert [run_id for _, run_id in again.known] == ["run-a", "run-b"]


def test_several_runs_export_for_tensorboard_as_one_folder_each(two_runs: Service, tmp_path: Path) -> None:
    several = opened(two_runs.api("GET", "/export?runs=run-a,run-b&format=tensorboard").content, tmp_path)
    brought = import_path(several, there(tmp_path), ImportOptions())
    assert [curves(run) for run in brought.runs] == [curves(two_runs.folder(name)) for name in ("run-a", "run-b")]


def test_the_command_exports_several_runs_and_a_group_into_a_folder_or_an_archive(
    two_runs: Service, tmp_path: Path
) -> None:
    def exported(*arguments: str) -> Ended:
        return call(two_runs.runs_dir, "export", *arguments)

    curves_there = tmp_path / "curves"
    assert exported("run-a", "run-b", "--format", "parquet", "-o", str(curves_there)).status == 0
    assert {path.name for path in curves_there.iterdir()} == {"runs.parquet", "run-a", "run-b"}
    refused = exported("run-a", "run-b", "-o", str(curves_there))
    assert (refused.status, "already exists" in refused.err) == (4, True)
    assert exported("--group", "run-a", "--bundle", "-o", str(tmp_path / "seeds.zip")).status == 0
    assert opened((tmp_path / "seeds.zip").read_bytes(), tmp_path, "bundles").joinpath("seeds/run-a.zip").is_file()
    assert exported("run-a", "run-b").status == 2
    assert exported("-o", str(tmp_path / "none")).status == 2
    assert exported("--experiment", "exp", "-o", str(tmp_path / "none")).status == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundles", "curves", "seeds.zip"]


def test_an_impossible_combination_of_exports_is_reported(two_runs: Service) -> None:
    assert_problem(two_runs.api("GET", "/export"), 422)
    assert_problem(two_runs.api("GET", "/export?runs=run-a&experiment=exp-a"), 422)
    assert_problem(two_runs.api("GET", "/export?runs=run-a,no-run"), 404)
    assert_problem(two_runs.api("GET", "/export?experiment=no-experiment"), 404)
    assert_problem(two_runs.api("GET", "/export?runs=run-a&format=paper"), 422)
    assert list((two_runs.runs_dir / ".new").glob("*")) == []


@pytest.mark.parametrize("content", [b"", b'[{"seq": 1', b'[{"seq": 1, "time": 1, "step": "x"}]', b'[{"seq": 1}, 5]'])
def test_an_export_that_was_truncated_or_changed_is_refused(tmp_path: Path, content: bytes) -> None:
    for ending in ("json", "parquet"):
        path = tmp_path / f"metrics.{ending}"
        path.write_bytes(content if ending == "json" else b"PAR1" + content)
        with pytest.raises(ImportRefused):
            import_path(path, there(tmp_path), ImportOptions())
    assert files(there(tmp_path)) == set()
