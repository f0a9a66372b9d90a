"""What a program of the user's own may hand to ``rlviz.track``, and what becomes of the rest."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rlviz.domain.errors import InvalidRequest
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.library.tracking import TrackedRun, track
from rlviz.rundir.folder import RunFolder
from rlviz.services.projection.folder_projection import row_of_folder


def rows(run: TrackedRun) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]


def test_a_number_that_is_not_finite_is_a_gap_and_a_warning(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, loss=math.nan)
        run.log(2, {"loss": 10**400, "scalar": np.float32(0.5)})
    assert [row["values"] for row in rows(run)] == [{"loss": None}, {"loss": None, "scalar": 0.5}]
    warned = row_of_folder(RunFolder(tmp_path, run.id)).last_warning
    assert warned is not None
    assert "loss" in warned


def test_a_step_that_goes_back_is_left_out_with_one_warning(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        for step in (5, 3, 4, 5, 6):
            run.log(step, loss=1.0)
    assert [row["step"] for row in rows(run)] == [5, 5, 6]
    assert row_of_folder(RunFolder(tmp_path, run.id)).warnings == 1


@pytest.mark.parametrize("step", [-1, 1.5, True, "3", 2**60])
def test_what_is_no_step_is_refused(tmp_path: Path, step: Any) -> None:
    with track(runs_dir=tmp_path) as run, pytest.raises(ValueError, match="whole number"):
        run.log(step, loss=1.0)


@pytest.mark.parametrize("value", ["high", None, [1.0], np.zeros(2)])
def test_what_is_no_number_is_refused(tmp_path: Path, value: Any) -> None:
    with track(runs_dir=tmp_path) as run, pytest.raises(TypeError, match="only numbers"):
        run.log(1, loss=value)


def test_a_huge_name_is_cut(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, {"x" * 100_000: 1.0})
    assert [len(name) for name in rows(run)[0]["values"]] == [200]


@pytest.mark.parametrize("wrong", [{"algo": ""}, {"env_id": "x" * 500}, {"name": "a\nb"}, {"seed": -1}])
def test_names_that_no_run_can_have_are_refused_before_there_is_a_folder(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(InvalidRequest):
        track(**wrong, runs_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("error", "status"), [(ValueError("no"), "failed"), (KeyboardInterrupt(), "stopped")])
def test_how_the_block_ends_is_how_the_run_ends(tmp_path: Path, error: BaseException, status: str) -> None:
    with pytest.raises(type(error)), track(runs_dir=tmp_path) as run:
        raise error
    assert row_of_folder(RunFolder(tmp_path, run.id)).status == status
    with pytest.raises(RuntimeError, match="finished"):
        run.log(1, loss=1.0)


# Videos


def frames(count: int) -> list[Any]:
    return [np.full((101, 151, 3), 4 * number, np.uint8) for number in range(count)]


def evaluation(run: TrackedRun, video: Path | None) -> EvaluationRecord:
    assert video is not None
    folder = RunFolder.at(run.path)
    assert video == folder.evaluations.video_path(video.stem)
    return folder.evaluations.read(video.stem)


def test_frames_become_a_video_with_the_episodes_in_it(tmp_path: Path) -> None:
    with track("mine", "Own-v0", seed=7, runs_dir=tmp_path) as run:
        run.log(40, loss=0.5)
        record = evaluation(run, run.video(iter(frames(12)), episodes=[(1.5, 4), (2.5, 6)], fps=10))
    assert (record.status, record.checkpoint_step) == (EvaluationStatus.COMPLETED, 40)
    assert record.summary is not None
    assert record.summary.video is not None
    assert (record.summary.video.width, record.summary.video.height) == (152, 102), "browsers refuse odd sizes"
    assert (record.summary.video.frames, record.summary.video.duration) == (12, 1.2)
    assert [(one.episode_return, one.episode_length, one.first_frame) for one in record.summary.episodes] == [
        (1.5, 4, 0),
        (2.5, 6, 5),
    ]
    assert record.summary.episode_return is not None
    assert record.summary.episode_return.mean == 2.0


def test_a_file_is_copied_as_browsers_play_it_and_nothing_is_made_up_of_what_nobody_said(tmp_path: Path) -> None:
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        made = run.video(frames(9), fps=30)
        assert made is not None
        taken = evaluation(run, run.video(str(made), step=3))
        picture = tmp_path / "moving.gif"
        Image.fromarray(frames(1)[0]).save(picture, save_all=True, append_images=[Image.fromarray(frames(3)[2])])
        encoded = evaluation(run, run.video(picture))
    for record in (taken, encoded):
        assert record.summary is not None
        assert record.summary.video is not None
        assert (record.summary.video.codec, record.summary.video.pix_fmt) == ("h264", "yuv420p")
        assert (record.summary.episodes, record.summary.episode_return, record.summary.episode_length) == (
            [],
            None,
            None,
        )
    assert (taken.checkpoint_step, encoded.checkpoint_step) == (3, 0)
    assert taken.summary is not None
    assert taken.summary.video is not None
    assert taken.summary.video.frames == 9


@pytest.mark.parametrize(
    ("source", "episodes", "error"),
    [
        ("nowhere.mp4", [], FileNotFoundError),
        (__file__, [], ValueError),
        ([], [], ValueError),
        ([np.zeros((3, 3), np.uint8)], [], ValueError),
        (frames(2), [3.0], ValueError),
        (frames(2), [(math.nan, 3)], ValueError),
    ],
)
def test_what_is_no_video_is_refused_and_leaves_nothing(
    tmp_path: Path, source: Any, episodes: Any, error: type[Exception]
) -> None:
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        with pytest.raises(error):
            run.video(source, episodes=episodes)
        assert list(RunFolder.at(run.path).evaluations.path.glob("*")) == []


def test_a_video_that_cannot_be_written_is_a_warning_of_the_run_and_ends_nothing(tmp_path: Path) -> None:
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        shutil.rmtree(run.path / "eval", ignore_errors=True)
        (run.path / "eval").write_text("no folder")
        assert run.video(frames(2)) is None
        run.log(1, loss=0.5)
    assert "A video could not be kept" in (run.path / "events.jsonl").read_text()
    assert row_of_folder(RunFolder.at(run.path)).status == "completed"


def test_only_the_newest_videos_stay_and_what_was_said_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_KEEP_EVAL_VIDEOS", "1")
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        videos = [run.video(frames(2), episodes=[(1.0, 1)]) for _ in range(2)]
    assert [video.is_file() for video in videos if video is not None] == [False, True]
    assert len(RunFolder.at(run.path).evaluations.ids()) == 2
