"""The trainer, from its start to a finished, stopped or failed run."""

from __future__ import annotations

import errno
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import Conflict, IllegalTransition, RunIsActive
from rlviz.domain.events import Ending, EventKind, FinishedData, InterruptedData, StartedData, StoppedData
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.trainer import Trainer
from rlviz.learning.training.watched import WATCH_SECONDS, ControlWatcher, train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.journal import FLUSH_SECONDS
from rlviz.rundir.lock import training_lock
from tests.support.training import checkpoints, column, curves, events, kinds, leftovers, make_run, rows
from tests.support.waiting import PATIENCE, eventually

ALGORITHMS = ("ppo", "dqn")


@pytest.fixture
def _test_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register environments with one line each, as docs/how-to-add/environment.md says."""
    for name, attribute in {"MountainCar-v0": "MOUNTAIN_CAR", "Fragile-v0": "FRAGILE"}.items():
        reference = f"tests.support.environments:{attribute}"
        monkeypatch.setitem(ENVIRONMENTS._references, name, reference)  # type: ignore[index]


def in_background(work: Any) -> Thread:
    thread = Thread(target=work)
    thread.start()
    return thread


def uncounted(data: Any) -> Any:
    """Return an ending without its processor seconds, after checking that it has them."""
    assert data.processor_seconds > 0
    return data.model_copy(update={"processor_seconds": None})


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_run_that_trains_to_its_end_is_finished_and_has_a_model(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=600, checkpoints=checkpoints(every_steps=200))
    assert train_run(folder, worker="somebody")
    assert kinds(folder) == ["started", "checkpoint", "checkpoint", "checkpoint", "finished"]
    started, *saved, finished = events(folder)
    assert started.data == StartedData(attempt=1, worker="somebody")
    assert [event.step for event in saved] == [200, 400, 600]
    assert finished.step >= 600
    assert finished.step >= rows(folder)[-1]["step"] >= 590
    assert uncounted(finished.data) == FinishedData(attempt=1, path="model.zip")
    assert folder.model_path.is_file()
    assert {"rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps", "train/loss"} <= {
        name for row in rows(folder) for name in row["values"]
    }
    assert leftovers(folder) == []


def test_dqn_logs_its_epsilon(tmp_path: Path) -> None:
    folder = make_run(tmp_path, algo="dqn")
    assert train_run(folder)
    epsilons = column(folder, "rollout/exploration_rate")
    assert epsilons[-1] == 0.05
    assert epsilons == sorted(epsilons, reverse=True)  # type: ignore[type-var]


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_stop_requested_before_training_starts_is_not_lost(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=1_000_000)
    folder.write_control(Control(desired=Desired.STOP))
    assert train_run(folder)
    assert kinds(folder) == ["started", "stopped"]
    assert events(folder)[-1].step == 0
    assert folder.model_path.is_file()
    assert rows(folder) == []


def test_a_trainer_stopped_before_it_runs_stops(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000)
    trainer = Trainer(folder)
    trainer.stop()
    trainer.run()
    assert kinds(folder) == ["started", "stopped"]


def test_a_stop_signal_received_before_training_starts_is_not_lost(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000)
    stop = Event()
    stop.set()
    assert train_run(folder, stop)
    assert kinds(folder) == ["started", "stopped"]
    assert folder.model_path.is_file()


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_stop_in_control_json_ends_training_with_a_model(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=1_000_000)
    thread = in_background(lambda: train_run(folder))
    eventually(lambda: column(folder, "episode/index"), "the first episode")
    folder.write_control(Control(desired=Desired.STOP))
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert kinds(folder) == ["started", "stopped"]
    stopped = events(folder)[-1]
    assert 0 < stopped.step < 1_000_000
    assert uncounted(stopped.data) == StoppedData(attempt=1, path="model.zip")
    assert folder.model_path.is_file()


def test_metrics_are_written_to_disk_during_an_update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_run(tmp_path, total_timesteps=256)
    updating, seen = Event(), Event()
    finished: list[int] = []

    def train(model: PPO) -> None:
        assert model.ep_info_buffer is not None
        finished.append(len(model.ep_info_buffer))
        updating.set()
        assert seen.wait(PATIENCE)

    monkeypatch.setattr(PPO, "train", train)
    thread = in_background(lambda: train_run(folder))
    assert updating.wait(PATIENCE)
    eventually(lambda: len(column(folder, "episode/index")) == finished[0] > 0, "every episode before the update")
    seen.set()
    thread.join(PATIENCE)
    assert kinds(folder)[-1] == "finished"
    assert FLUSH_SECONDS + 2 * WATCH_SECONDS <= 0.25, "a row waits a quarter of a second at most"


def test_a_checkpoint_requested_before_training_starts_is_saved(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    folder.write_control(Control(desired=Desired.RUN, checkpoint_request=3))
    assert train_run(folder)
    [saved] = events(folder, EventKind.CHECKPOINT)
    assert saved.data.request == 3
    assert saved.step <= 2  # both environments have stepped once


def test_a_checkpoint_requested_during_training_is_saved_once(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000, checkpoints=checkpoints(every_steps=1_000_000))
    thread = in_background(lambda: train_run(folder))
    for request in (1, 2):
        folder.write_control(Control(desired=Desired.RUN, checkpoint_request=request))
        eventually(lambda: len(events(folder, EventKind.CHECKPOINT)) == request, "the checkpoint")  # noqa: B023
    folder.write_control(Control(desired=Desired.STOP, checkpoint_request=2))
    thread.join(PATIENCE)
    assert [event.data.request for event in events(folder, EventKind.CHECKPOINT)] == [1, 2]


def test_checkpoints_are_also_saved_by_time(tmp_path: Path) -> None:
    plan = checkpoints(every_steps=1_000_000, every_seconds=1.0)
    folder = make_run(tmp_path, total_timesteps=1_000_000, checkpoints=plan)
    thread = in_background(lambda: train_run(folder))
    eventually(lambda: len(events(folder, EventKind.CHECKPOINT)) > 1, "two checkpoints")
    folder.write_control(Control(desired=Desired.STOP))
    thread.join(PATIENCE)
    assert kinds(folder)[-1] == "stopped"


def test_an_unreadable_control_file_is_read_again_when_it_is_readable(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000)
    thread = in_background(lambda: train_run(folder))
    eventually(lambda: column(folder, "episode/index"), "the first episode")
    folder.control_path.write_text("{")
    before = len(column(folder, "episode/index"))
    eventually(lambda: len(column(folder, "episode/index")) > before + 5, "training to go on")
    folder.write_control(Control(desired=Desired.STOP))
    thread.join(PATIENCE)
    assert kinds(folder) == ["started", "stopped"]


def test_a_temporary_disk_failure_does_not_end_the_control_watcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run(tmp_path)
    trainer = Trainer(folder)
    watcher = ControlWatcher(folder.control_path, trainer)

    def fail() -> None:
        raise OSError(28, "No space left on device")

    folder.control_path.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "run_due_work", fail)
        watcher.poll()
    folder.control_path.rmdir()
    folder.write_control(Control(desired=Desired.STOP))
    watcher.poll()
    trainer.run()
    assert kinds(folder) == ["started", "stopped"]


def test_an_ending_that_cannot_be_journaled_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_arguments: object, **_data: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(RunJournals, "event", fail)
    assert not train_run(make_run(tmp_path))
    assert "Input/output error" in capsys.readouterr().err


def test_a_full_disk_raises_an_error_that_ends_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_data: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(RunJournals, "event", fail)
    with pytest.raises(OSError, match="No space left on device"):
        train_run(make_run(tmp_path))


def test_a_run_starts_only_after_its_model_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_run(tmp_path)
    known: list[bool] = []

    def build(config: RunConfig) -> BaseAlgorithm:
        known.append(folder.events_path.exists() and bool(kinds(folder)))
        return build_model(config)

    monkeypatch.setattr("rlviz.learning.training.trainer.build_model", build)
    assert train_run(folder)
    assert known == [False]
    assert kinds(folder) == ["started", "finished"]


@pytest.mark.usefixtures("_test_environments")
def test_an_error_in_training_is_reported_with_its_traceback(tmp_path: Path) -> None:
    folder = make_run(tmp_path, env_id="Fragile-v0", hyperparameters={"n_envs": 1})
    assert not train_run(folder)
    assert kinds(folder) == ["started", "error"]
    error = events(folder)[-1]
    assert error.step == 49
    assert (error.data.type, error.data.message) == ("RuntimeError", "the pole snapped")
    assert str(error.data.traceback).splitlines()[-1] == "RuntimeError: the pole snapped"
    assert "in step" in str(error.data.traceback)
    assert not folder.model_path.exists()
    assert column(folder, "episode/index") == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("changes", "type_", "message"),
    [
        ({"env_id": "CartPol-v1"}, "UnknownName", "Did you mean 'CartPole-v1'?"),
        ({"hyperparameters": {"learning_rate": -1.0}}, "InvalidRequest", "learning_rate"),
    ],
)
def test_an_untrainable_configuration_is_reported_like_an_error(
    tmp_path: Path, changes: dict[str, Any], type_: str, message: str
) -> None:
    folder = make_run(tmp_path, **changes)
    assert not train_run(folder)
    assert kinds(folder) == ["error"], "it has never begun"
    data = events(folder)[-1].data
    assert data.type == type_
    assert message in data.message


def test_an_unreadable_configuration_is_reported_like_an_error(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    folder.config_path.write_text("{}")
    assert not train_run(folder)
    assert "config.json: It is not valid" in str(events(folder)[-1].data.message)


def test_a_folder_in_which_another_trainer_runs_is_left_unchanged(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    with training_lock(folder), pytest.raises(RunIsActive):
        train_run(folder)
    assert not folder.events_path.exists()


@pytest.mark.parametrize("ending", [FinishedData(), InterruptedData(cause="killed")])
def test_an_ended_run_is_not_trained_again(tmp_path: Path, ending: Ending) -> None:
    folder = make_run(tmp_path)
    trainer = Trainer(folder)
    trainer._journals.event(5, ending)
    trainer._journals.close()
    with pytest.raises(IllegalTransition) as caught:
        train_run(folder)
    assert isinstance(caught.value, Conflict)
    assert kinds(folder) == [ending.kind.value]


@pytest.mark.usefixtures("_test_environments")
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_another_environment_can_be_trained_after_registration(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, env_id="MountainCar-v0")
    assert train_run(folder)
    assert kinds(folder) == ["started", "finished"]
    assert column(folder, "episode/reward")[0] == -200.0


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_another_seed_gives_other_curves(tmp_path: Path, algo: str) -> None:
    first, second = (make_run(tmp_path, f"seed-{seed}", algo=algo, seed=seed) for seed in (1, 2))
    assert train_run(first)
    assert train_run(second)
    assert curves(first) != curves(second)
