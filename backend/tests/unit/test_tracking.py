"""Values accepted by ``rlviz.track``, and warnings about others."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
import sys
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
import torch
from PIL import Image

from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.domain.ids import is_run_id
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import MAX_STEP
from rlviz.library.tracking import TrackedRun, track
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.training import messages


def rows(run: TrackedRun) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]


def test_a_non_finite_number_is_a_gap_and_a_warning(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, loss=math.nan)
        run.log(2, {"loss": 10**400, "scalar": np.float32(0.5)})
    assert [row["values"] for row in rows(run)] == [{"loss": None}, {"loss": None, "scalar": 0.5}]
    warned = row_of_folder(RunFolder(tmp_path, run.id)).last_warning
    assert warned is not None
    assert "loss" in warned


def test_a_decreasing_step_is_left_out_with_one_warning(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        for step in (5, 3, 4, 5, 6):
            run.log(step, loss=1.0)
    assert [row["step"] for row in rows(run)] == [5, 5, 6]
    assert row_of_folder(RunFolder(tmp_path, run.id)).warnings == 1


def warnings_of(run: TrackedRun) -> list[str]:
    return messages(RunFolder.at(run.path))


@pytest.mark.parametrize("step", [-1, 1.5, True, "3", 2**60, None, math.nan, math.inf, [1], np.zeros(2), object()])
def test_a_row_with_an_invalid_step_is_left_out_with_one_warning(tmp_path: Path, step: Any) -> None:
    with track(runs_dir=tmp_path) as run:
        for _ in range(3):
            run.log(step, loss=1.0)
        run.log(7, loss=2.0)
    assert [row["step"] for row in rows(run)] == [7]
    [warning] = warnings_of(run)
    assert "whole number" in warning


@pytest.mark.parametrize("step", [5, 5.0, np.int32(5), np.uint64(5), np.float64(5), np.array(5), torch.tensor(5)])
def test_integers_of_every_library_are_steps(tmp_path: Path, step: Any) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(step, loss=1.0)
    assert [row["step"] for row in rows(run)] == [5]
    assert warnings_of(run) == []


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("not even that")

    __repr__ = __str__


class UnprintableError(Exception):
    __str__ = Unprintable.__str__


@pytest.mark.parametrize(
    "value", ["high", None, [1.0], np.zeros(2), {}, object(), 1j, Unprintable(), torch.zeros(3), "3", b"3", RunFolder]
)
def test_a_value_that_is_not_a_number_is_left_out_with_one_warning_and_the_rest_of_its_row_stays(
    tmp_path: Path, value: Any
) -> None:
    with track(runs_dir=tmp_path) as run:
        for step in (1, 2):
            run.log(step, loss=0.5, other=value)
            run.log(step, {"loss": value})
    assert [row["values"] for row in rows(run)] == [{"loss": 0.5}, {}, {"loss": 0.5}, {}]
    assert [warning.split(" is ")[0] for warning in warnings_of(run)] == ["other", "loss"]


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        (True, 1),
        (np.True_, 1),
        (np.int8(-3), -3),
        (np.float16(0.5), 0.5),
        (np.array([2.5]), 2.5),
        (torch.tensor(2.5, requires_grad=True), 2.5),
        (Decimal("0.25"), 0.25),
        (Fraction(1, 4), 0.25),
        (10**30, 1e30),
        (-(10**400), None),
        (Fraction(10**400), None),
        (np.float32("nan"), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_every_library_are_recorded(tmp_path: Path, value: Any, recorded: float | None) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, loss=value)
    assert [row["values"] for row in rows(run)] == [{"loss": recorded}]


@pytest.mark.parametrize("name", [5, None, "", ("a", "b"), b"loss"])
def test_an_invalid_name_is_left_out_with_one_warning(tmp_path: Path, name: Any) -> None:
    with track(runs_dir=tmp_path) as run:
        for step in (1, 2):
            run.log(step, {name: 1.0, "loss": 2.0})
    assert [row["values"] for row in rows(run)] == [{"loss": 2.0}, {"loss": 2.0}]
    assert len(warnings_of(run)) == 1


def test_a_name_that_utf_8_cannot_encode_is_recorded_in_escaped_form(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, {"loss\udcff": 1.0})
    assert [row["values"] for row in rows(run)] == [{"loss\\udcff": 1.0}]


@pytest.mark.parametrize("values", [3, [1.0], "loss", object()])
def test_rows_that_are_not_mappings_give_one_warning(tmp_path: Path, values: Any) -> None:
    with track(runs_dir=tmp_path) as run:
        for step in (1, 2):
            run.log(step, values)
        run.log(3, loss=1.0)
    assert [row["step"] for row in rows(run)] == [3]
    assert len(warnings_of(run)) == 1


def test_an_episode_with_invalid_numbers_is_recorded_as_far_as_possible(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.episode(np.int64(3), np.float32(1.5), np.int32(3))
        run.episode(4, "good", 1)  # type: ignore[arg-type]
    assert [row["values"] for row in rows(run)] == [
        {"episode/reward": 1.5, "episode/length": 3, "episode/index": 1},
        {"episode/length": 1, "episode/index": 2},
    ]
    assert len(warnings_of(run)) == 1


def test_components_of_a_return_are_metrics_and_invalid_ones_give_one_warning(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.episode(3, 1.5, 3, components={"goal": 2.0, "fuel": -0.5})
        run.episode(4, 1.0, 1, components=7)  # type: ignore[arg-type]
    first, second = (row["values"] for row in rows(run))
    assert first == {
        **{"episode/reward": 1.5, "episode/length": 3, "episode/index": 1},
        **{"reward/goal": 2.0, "reward/fuel": -0.5},
    }
    assert list(second) == ["episode/reward", "episode/length", "episode/index"]
    assert len(warnings_of(run)) == 1


def test_a_huge_name_is_truncated(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, {"x" * 100_000: 1.0})
    assert [len(name) for name in rows(run)[0]["values"]] == [200]


def config_of(run: TrackedRun) -> RunConfig:
    return RunFolder.at(run.path).read_config()


@pytest.mark.parametrize(
    ("field", "given", "recorded", "warned"),
    [
        ("algo", "", "custom", 1),
        ("algo", None, "None", 0),
        ("env_id", "x" * 500, "x" * (LIMITS.run_name.maximum - 1) + "…", 1),
        ("env_id", Path("/data/env"), "/data/env", 0),
        ("name", "a\nb\x00c", "a b c", 1),
        ("name", "  \n", "custom on unknown", 1),
        ("name", "\udcff and more", "and more", 1),
        ("name", " mine ", "mine", 0),
        ("name", 5, "5", 0),
        ("name", Unprintable(), "<Unprintable>", 0),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else type(value).__name__,
)
def test_names_invalid_for_a_run_are_adjusted_with_a_warning(
    tmp_path: Path, field: str, given: Any, recorded: str, warned: int
) -> None:
    with track(**{field: given}, runs_dir=tmp_path) as run:
        run.log(1, loss=1.0)
    assert getattr(config_of(run), field) == recorded
    assert len(warnings_of(run)) == warned
    assert row_of_folder(RunFolder.at(run.path)).status == "completed"


@pytest.mark.parametrize("algo", ["***", "Ω", "a/b", "PPO (mine)"])
def test_every_algorithm_name_gives_a_run_id(tmp_path: Path, algo: str) -> None:
    with track(algo, "", runs_dir=tmp_path) as run:
        assert is_run_id(run.id)
    assert config_of(run).algo == algo


@pytest.mark.parametrize("seed", [0, 2**31, 2_735_729_614, np.uint32(2**32 - 1), np.int64(7), 7.0, MAX_STEP, True])
def test_every_integer_is_a_valid_seed(tmp_path: Path, seed: Any) -> None:
    with track(seed=seed, runs_dir=tmp_path) as run:
        pass
    assert (config_of(run).seed, warnings_of(run)) == (int(seed), [])
    assert row_of_folder(RunFolder.at(run.path)).seed == int(seed)


@pytest.mark.parametrize("seed", [-1, 2**70, "seven", 0.5, math.nan, math.inf, [1, 2], np.arange(3), Unprintable()])
def test_an_invalid_seed_is_kept_as_text_with_a_warning(tmp_path: Path, seed: Any) -> None:
    with track(seed=seed, config={"lr": 0.1}, runs_dir=tmp_path) as run:
        pass
    config = config_of(run)
    assert (config.seed, config.hyperparameters["lr"]) == (0, 0.1)
    assert isinstance(config.hyperparameters["seed"], str)
    [warning] = warnings_of(run)
    assert "seed" in warning


@pytest.mark.parametrize(
    ("length", "recorded"),
    [
        (None, 0),
        (1e5, 100_000),
        (np.int64(50), 50),
        (np.float32(64), 64),
        (10.5, 11),
        (sys.maxsize, 0),
        (math.inf, 0),
        (math.nan, 0),
        (10**400, 0),
        (0, 0),
        (-5, 0),
    ],
)
def test_every_number_is_a_valid_length_and_infinity_means_unknown(tmp_path: Path, length: Any, recorded: int) -> None:
    with track(total_timesteps=length, runs_dir=tmp_path) as run:
        pass
    assert (config_of(run).total_timesteps, warnings_of(run)) == (recorded, [])


def test_an_invalid_length_is_left_out_with_a_warning(tmp_path: Path) -> None:
    with track(total_timesteps="long", runs_dir=tmp_path) as run:  # type: ignore[arg-type]
        pass
    assert config_of(run).total_timesteps == 0
    assert len(warnings_of(run)) == 1


class Unreadable(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("no items")


@pytest.mark.parametrize(
    ("config", "recorded", "warned"),
    [
        (Namespace(lr=0.1), {"lr": 0.1}, 0),
        ([1, 2], {"config": [1, 2]}, 0),
        ("mine", {"config": "mine"}, 0),
        ({1: {2: np.float32(0.5)}}, {"1": {"2": 0.5}}, 0),
        ({"odd": Unprintable(), "lr": math.inf}, {"odd": "<Unprintable>", "lr": "inf"}, 0),
        ({"large": 2**64, "steps": np.uint64(2**64 - 1)}, {"large": str(2**64), "steps": str(2**64 - 1)}, 0),
        ({"text": "\udcff"}, {"text": "?"}, 0),
        (Unreadable(lr=0.1), {}, 1),
        ({str(number): number for number in range(501)}, {str(number): number for number in range(500)}, 1),
    ],
    ids=["attributes", "a list", "a text", "names", "odd", "large", "surrogates", "unreadable", "many"],
)
def test_hyperparameters_of_every_type_are_recorded(tmp_path: Path, config: Any, recorded: Any, warned: int) -> None:
    with track(config=config, runs_dir=tmp_path) as run:
        pass
    assert config_of(run).hyperparameters == recorded
    assert len(warnings_of(run)) == warned


def test_recursive_settings_and_long_lists_become_short_texts(tmp_path: Path) -> None:
    own: dict[str, Any] = {"long": list(range(1_000_000))}
    own["self"] = own
    with track(config=own, runs_dir=tmp_path) as run:
        pass
    assert len(RunFolder.at(run.path).config_path.read_text()) < 10_000


# How runs end


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("no"), "failed"),
        (UnprintableError(), "failed"),
        (ValueError("bad packet \udcff\x00"), "failed"),
        (KeyboardInterrupt(), "stopped"),
        (optuna.TrialPruned(), "stopped"),
        (asyncio.CancelledError(), "stopped"),
        (SystemExit(3), "failed"),
        (SystemExit(0), "completed"),
    ],
)
def test_the_end_of_the_block_determines_the_end_of_the_run(tmp_path: Path, error: BaseException, status: str) -> None:
    with pytest.raises(type(error)) as caught, track(runs_dir=tmp_path) as run:
        raise error
    assert caught.value is error
    assert row_of_folder(RunFolder(tmp_path, run.id)).status == status


def test_metrics_logged_after_the_end_are_left_out_with_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, loss=1.0)
    for step in (2, 3):
        run.log(step, loss=1.0)
        run.episode(step, 1.0, 1)
        assert run.video(frames(2)) is None
    run.finish(ValueError("too late"))
    assert [row["step"] for row in rows(run)] == [1]
    assert capsys.readouterr().err.count("is finished") == 1
    assert row_of_folder(RunFolder(tmp_path, run.id)).status == "completed"


def test_several_threads_log_into_one_run(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run, ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(run.log, 1, {f"of/{number}": number, "bad": "x"}) for number in range(200)]:
            done.result()
    assert sorted(max(row["values"].values()) for row in rows(run)) == list(range(200))
    assert len(warnings_of(run)) == 1


# Runs that cannot be written


def test_the_program_continues_and_is_told_why_no_run_can_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    with track(runs_dir=tmp_path / "file" / "runs") as run:
        run.log(1, loss=1.0)
        run.episode(1, 1.0, 1)
        assert run.video(frames(2)) is None
        assert not run.is_finished
        assert not run.path.exists()
        assert run.id
    assert run.is_finished
    assert "this run is not recorded" in capsys.readouterr().err


def test_unreadable_settings_raise_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RLVIZ_MAX_CONCURRENT_RUNS", "many")
    with track() as run:
        run.log(1, loss=1.0)
    assert "this run is not recorded" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stream", [None, "closed", "ascii"])
def test_an_unwritable_standard_error_raises_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: str | None
) -> None:
    file = TextIOWrapper(BytesIO(), encoding="ascii")
    if stream == "closed":
        file.close()
    monkeypatch.setattr(sys, "stderr", None if stream is None else file)
    with track(runs_dir=tmp_path) as run:
        run.log(1, {"verlust ä": "hoch ö"})  # type: ignore[dict-item]
    assert len(warnings_of(run)) == 1


def test_a_folder_removed_during_the_run_does_not_end_the_program(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        shutil.rmtree(run.path)
        run.log(1, loss=1.0)
        assert run.video(frames(2)) is None
    assert run.is_finished


# Videos


def frames(count: int) -> list[Any]:
    return [np.full((101, 151, 3), 4 * number, np.uint8) for number in range(count)]


def evaluation(run: TrackedRun, video: Path | None) -> EvaluationRecord:
    assert video is not None
    folder = RunFolder.at(run.path)
    assert video == folder.evaluations.video_path(video.stem)
    return folder.evaluations.read(video.stem)


def test_frames_become_a_video_with_its_episodes(tmp_path: Path) -> None:
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


def test_a_copied_video_is_playable_and_has_no_invented_metadata(tmp_path: Path) -> None:
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
        (5, [], TypeError),
        (None, [], TypeError),
        ((1 // 0 for _ in range(3)), [], ZeroDivisionError),
    ],
)
def test_an_invalid_video_gives_a_warning_and_leaves_nothing(
    tmp_path: Path, source: Any, episodes: Any, error: type[Exception]
) -> None:
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        assert run.video(source, episodes=episodes) is None
        assert list(RunFolder.at(run.path).evaluations.path.glob("*")) == []
        with pytest.raises(error if error is not ZeroDivisionError else ValueError):
            run.add_video(source, episodes=episodes)
    [warning] = warnings_of(run)
    assert warning.startswith("A video could not be added")


def test_an_unwritable_video_gives_a_warning_of_the_run_and_does_not_end_the_program(tmp_path: Path) -> None:
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        shutil.rmtree(run.path / "eval", ignore_errors=True)
        (run.path / "eval").write_text("no folder")
        assert run.video(frames(2)) is None
        run.log(1, loss=0.5)
    assert "A video could not be added" in (run.path / "events.jsonl").read_text()
    assert row_of_folder(RunFolder.at(run.path)).status == "completed"


def test_only_the_newest_videos_and_their_metadata_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_KEEP_EVAL_VIDEOS", "1")
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        videos = [run.video(frames(2), episodes=[(1.0, 1)]) for _ in range(2)]
    assert [video.is_file() for video in videos if video is not None] == [False, True]
    assert len(RunFolder.at(run.path).evaluations.ids()) == 2
