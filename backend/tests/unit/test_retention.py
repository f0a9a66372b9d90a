"""Retention of the newest checkpoints, videos and records."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import all_but_newest, delete_paths, retain_checkpoints, retain_steps, retain_videos


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path, "run-1")
    folder.checkpoints.mkdir(parents=True)
    folder.evaluations.path.mkdir()
    return folder


@pytest.mark.parametrize(("keep", "left"), [(0, ""), (1, "c"), (2, "bc"), (3, "abc"), (4, "abc"), (9, "abc")])
def test_the_newest_files_stay(tmp_path: Path, keep: int, left: str) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.touch()
    deleted = all_but_newest(paths, keep)
    delete_paths(deleted)
    assert "".join(sorted(path.name for path in tmp_path.iterdir())) == left
    assert [*deleted, *(tmp_path / name for name in left)] == paths


def test_a_file_deleted_by_another_process_causes_no_error(tmp_path: Path) -> None:
    delete_paths([tmp_path / "gone"])


def test_the_checkpoints_of_the_highest_steps_stay(folder: RunFolder) -> None:
    for step in (900, 10_000, 8_000, 100_000):
        folder.checkpoint_path(step).touch()
    retain_checkpoints(folder, 2)
    assert [step for step, _ in folder.checkpoint_files()] == [10_000, 100_000]


def test_the_newest_videos_and_all_summaries_and_unfinished_files_stay(folder: RunFolder) -> None:
    ids = [f"eval_20261121-01431{second}-000" for second in range(5)]
    for evaluation_id in ids:
        folder.evaluations.video_path(evaluation_id).touch()
        folder.evaluations.record_path(evaluation_id).touch()
    unfinished = folder.evaluations.path / f".{ids[4]}.mp4.77.tmp"
    unfinished.touch()
    retain_videos(folder, 3)
    assert [path.stem for path in sorted(folder.evaluations.path.glob("eval*.mp4"))] == ids[2:]
    assert folder.evaluations.ids() == ids
    assert unfinished.exists()


@pytest.mark.parametrize(
    ("max_bytes", "left"),
    [(1_000, "01234"), (100, "01234"), (99, "1234"), (70, "234"), (69, "34"), (30, "4"), (29, "4"), (0, "4")],
)
def test_the_oldest_step_records_are_deleted_until_the_rest_fits_and_the_newest_stays(
    folder: RunFolder, max_bytes: int, left: str
) -> None:
    """Files of 10, 20, 10, 30 and 30 bytes, oldest first."""
    ids = [f"eval_20261121-01431{second}-000" for second in range(5)]
    for evaluation_id, size in zip(ids, (10, 20, 10, 30, 30), strict=True):
        folder.evaluations.steps_path(evaluation_id).write_bytes(b"x" * size)
        folder.evaluations.video_path(evaluation_id).touch()
    unfinished = folder.evaluations.path / f".{ids[4]}.steps.parquet.77.tmp"
    unfinished.touch()
    retain_steps(folder, max_bytes)
    kept = sorted(path.name for path in folder.evaluations.path.glob("eval*.steps.parquet"))
    assert "".join(str(ids.index(name.removesuffix(".steps.parquet"))) for name in kept) == left
    assert unfinished.exists()
    assert len(list(folder.evaluations.path.glob("*.mp4"))) == 5
