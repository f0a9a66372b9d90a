"""RunFolder: paths and contents of a run's folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import EvaluationNotFound, RunFolderError, RunNotFound
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import Labels, RunFolder, run_folders

CONFIG = RunConfig(
    run_id="ppo-cartpole-1",
    name="First",
    created_at=datetime(2026, 11, 21, 1, 43, 12, 117000, tzinfo=UTC),
    algo="ppo",
    env_id="CartPole-v1",
    preset="fast",
    seed=7,
    total_timesteps=50_000,
    hyperparameters={"gamma": 0.98, "net_arch": [64, 64]},
)
EVALUATION = "eval_20261121-014312-123"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path, CONFIG.run_id)
    folder.create(CONFIG)
    return folder


def test_a_new_folder_stores_the_given_configuration(folder: RunFolder) -> None:
    assert folder.read_config() == CONFIG
    assert sorted(path.name for path in folder.path.iterdir()) == ["checkpoints", "config.json", "eval"]


def test_a_folder_is_not_created_twice(folder: RunFolder) -> None:
    with pytest.raises(FileExistsError):
        folder.create(CONFIG)


@pytest.mark.parametrize("run_id", ["..", ".", "", "a/b", "/etc", "a\\b", "A", "a\0", "a\n", "x" * 81, "-a", "%2e%2e"])
def test_an_invalid_run_id_has_no_folder(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(RunNotFound):
        RunFolder(tmp_path, run_id)


def test_a_folder_is_found_by_its_path(folder: RunFolder) -> None:
    assert RunFolder.at(folder.path / ".." / folder.run_id).path == folder.path.resolve()


@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff", b"[]", b'{"schema_version": 2}'])
def test_an_unreadable_configuration_is_named(folder: RunFolder, content: bytes | None) -> None:
    folder.config_path.unlink()
    if content is not None:
        folder.config_path.write_bytes(content)
    with pytest.raises(RunFolderError, match=r"config\.json: It "):
        folder.read_config()


def test_control_is_idle_until_it_is_written(folder: RunFolder) -> None:
    assert folder.read_control().desired is Desired.IDLE
    folder.write_control(Control(desired=Desired.RUN))
    assert folder.read_control().desired is Desired.RUN


def test_labels_come_from_the_configuration_until_they_are_changed(folder: RunFolder) -> None:
    assert folder.read_labels() == Labels(name="First")
    folder.write_labels(Labels(name="Best", tags=["paper"], notes="γ lower"))
    assert folder.read_labels() == Labels(name="Best", tags=["paper"], notes="γ lower")


def test_checkpoints_are_listed_by_step_and_unfinished_ones_are_not(folder: RunFolder) -> None:
    for name in ["step_10000.zip", "step_9000.zip", ".step_11000.zip.1.tmp", "step_x.zip", "step_1.zip.part", "a.zip"]:
        (folder.checkpoints / name).touch()
    assert folder.checkpoint_files() == [(9000, folder.checkpoint_path(9000)), (10000, folder.checkpoint_path(10000))]


def test_the_newest_policy_is_the_final_model_or_else_the_last_checkpoint(folder: RunFolder) -> None:
    assert folder.newest_policy() is None
    folder.checkpoint_path(9000).touch()
    folder.checkpoint_path(10000).touch()
    assert folder.newest_policy() == folder.checkpoint_path(10000)
    folder.model_path.touch()
    assert folder.newest_policy() == folder.model_path


def test_a_pinned_policy_outlives_its_checkpoint(folder: RunFolder) -> None:
    checkpoint = folder.checkpoint_path(100)
    checkpoint.write_bytes(b"policy")
    folder.evaluations.pin_policy(EVALUATION, checkpoint)
    folder.evaluations.pin_policy(EVALUATION, checkpoint)
    checkpoint.unlink()
    assert folder.evaluations.pinned_policy_path(EVALUATION).read_bytes() == b"policy"
    with pytest.raises(FileNotFoundError):
        folder.evaluations.pin_policy(EVALUATION, checkpoint)


def test_evaluations_are_listed_oldest_first_and_read_back(folder: RunFolder) -> None:
    ids = ["eval_20261121-014313-000", "eval_20261121-014312-999"]
    for evaluation_id in ids:
        folder.evaluations.write(EvaluationRecord(id=evaluation_id, run_id=folder.run_id, created_at=CONFIG.created_at))
    (folder.evaluations.path / f"{EVALUATION}.mp4").touch()
    (folder.evaluations.path / "eval_notes.json").touch()
    assert folder.evaluations.ids() == sorted(ids)
    assert folder.evaluations.read(ids[0]).id == ids[0]
    with pytest.raises(RunFolderError, match=EVALUATION):
        folder.evaluations.read(EVALUATION)


@pytest.mark.parametrize(
    "evaluation_id", ["../config", "eval_1", "eval_20261121-014312-123/..", "", "eval_٢٠٢٦1121-014312-123"]
)
def test_an_invalid_evaluation_id_has_no_file(folder: RunFolder, evaluation_id: str) -> None:
    for path in (folder.evaluations.video_path, folder.evaluations.record_path, folder.evaluations.pinned_policy_path):
        with pytest.raises(EvaluationNotFound):
            path(evaluation_id)


def test_run_folders_have_the_name_of_a_run_and_a_configuration(tmp_path: Path, folder: RunFolder) -> None:
    RunFolder(tmp_path, "dqn-cartpole-2").create(CONFIG.model_copy(update={"run_id": "dqn-cartpole-2"}))
    (tmp_path / "empty").mkdir()
    (tmp_path / "Not A Run").mkdir()
    (tmp_path / "Not A Run" / "config.json").touch()
    (tmp_path / "rlviz.db").touch()
    assert [found.run_id for found in run_folders(tmp_path)] == ["dqn-cartpole-2", "ppo-cartpole-1"]
    assert list(run_folders(tmp_path / "not there")) == []


def test_a_damaged_control_file_is_replaced_by_the_next_request(folder: RunFolder) -> None:
    folder.control_path.write_text("{")
    assert folder.change_control(desired=Desired.STOP) == folder.read_control() == Control(desired=Desired.STOP)
    assert folder.change_control(checkpoint_request=1).desired is Desired.STOP
