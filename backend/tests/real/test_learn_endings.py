"""The final status of a script's run for every way in which ``learn`` can end."""

from __future__ import annotations

import asyncio
import code
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import optuna
import pytest
import sb3_contrib
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import (
    BaseCallback,
    CallbackList,
    EvalCallback,
    EveryNTimesteps,
    StopTrainingOnMaxEpisodes,
)

from rlviz.library.learn_watch import _frames_keep_last_instruction
from rlviz.rundir.folder import run_folders
from rlviz.sb3 import RunCallback
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.algorithms import small_model
from tests.support.training import rows
from tests.support.waiting import eventually

STEPS = 32


def ended_runs(runs_dir: Path, count: int = 1) -> list[RunRow]:
    """Return the runs in the folder, oldest first, after all have ended."""

    def found() -> list[RunRow]:
        every = [row_of_folder(folder) for folder in run_folders(runs_dir)]
        return every if len(every) == count and all(row.state.has_ended for row in every) else []

    return sorted(eventually(found, "the end of the runs"), key=lambda row: row.started_at or row.created_at)


def ended_run(runs_dir: Path) -> RunRow:
    [row] = ended_runs(runs_dir)
    return row


class At(gymnasium.Wrapper[Any, Any, Any, Any]):
    """CartPole that calls ``act`` in its fifth step."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__(gymnasium.make("CartPole-v1"))
        self._act, self._steps = act, 0

    def step(self, action: Any) -> Any:
        self._steps += 1
        if self._steps == 5:
            self._act()
        return super().step(action)


class Raises(BaseCallback):
    """Raises ``error`` in its hook ``place``."""

    def __init__(self, place: str, error: BaseException) -> None:
        super().__init__()
        self._place, self._error = place, error

    def _raise(self, place: str) -> None:
        if place == self._place:
            raise self._error

    def _on_training_start(self) -> None:
        self._raise("training_start")

    def _on_rollout_start(self) -> None:
        self._raise("rollout_start")

    def _on_step(self) -> bool:
        self._raise("step")
        return True

    def _on_rollout_end(self) -> None:
        self._raise("rollout_end")

    def _on_training_end(self) -> None:
        self._raise("training_end")


class Alone(BaseCallback):
    """Forwards only the start and the steps to another callback."""

    def __init__(self, inner: BaseCallback) -> None:
        super().__init__()
        self.inner = inner

    def _init_callback(self) -> None:
        self.inner.init_callback(self.model)

    def _on_training_start(self) -> None:
        self.inner.on_training_start(self.locals, self.globals)

    def _on_step(self) -> bool:
        self.inner.update_locals(self.locals)
        return self.inner.on_step()


def learn(model: BaseAlgorithm, *callbacks: BaseCallback, steps: float = STEPS) -> None:
    """Learn, and ignore any exception without keeping a reference to it, as a notebook or a search does."""
    try:
        model.learn(steps, callback=list(callbacks))  # type: ignore[arg-type]
    except BaseException:
        return


PLACES = ["training_start", "rollout_start", "step", "rollout_end", "training_end"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("is_first", [True, False], ids=["after ours", "before ours"])
@pytest.mark.parametrize(("error", "status"), [(ValueError("fell over"), "failed"), (KeyboardInterrupt(), "stopped")])
def test_an_error_of_another_callback_fails_the_run(
    tmp_path: Path, place: str, is_first: bool, error: BaseException, status: str
) -> None:
    watch, other = RunCallback(runs_dir=tmp_path), Raises(place, error)
    learn(small_model("ppo", "CartPole-v1"), *((watch, other) if is_first else (other, watch)))
    if place == "training_start" and not is_first:
        assert run_folders_of(tmp_path) == 0, "there was no run yet"
        return
    row = ended_run(tmp_path)
    if place == "training_start":  # nothing that it passes is ours to watch, and it is handled before anyone looks
        assert row.status == "failed"
        assert "learn() ended with an exception in line" in (row.cause or "")
    else:
        assert row.status == status
        assert (row.cause == "ValueError: fell over") == (status == "failed")


def run_folders_of(runs_dir: Path) -> int:
    return len(list(run_folders(runs_dir))) if runs_dir.exists() else 0


def test_an_error_is_recorded_wherever_it_was_raised(tmp_path: Path) -> None:
    model, watch = small_model("ppo", "CartPole-v1"), RunCallback(runs_dir=tmp_path)
    try:
        model.learn(STEPS, callback=[watch, Raises("training_start", ValueError("fell over"))])
    except ValueError:
        assert ended_run(tmp_path).cause == "ValueError: fell over"


@pytest.mark.parametrize("kind", ["ppo", "a2c", "trpo", "dqn", "qrdqn"])
@pytest.mark.parametrize("place", ["step", "train", "dump_logs"])
def test_an_error_of_training_itself_fails_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, place: str
) -> None:
    env = At(lambda: 1 // 0) if place == "step" else gymnasium.make("CartPole-v1", max_episode_steps=5)
    model = small_model(kind, env, **({"n_steps": 1} if kind == "a2c" else {}))  # it logs every hundredth rollout
    own = type(model)
    if place != "step":
        monkeypatch.setattr(own, place, lambda *_, **__: 1 // 0)
    learn(model, RunCallback(runs_dir=tmp_path), steps=4 * STEPS)
    row = ended_run(tmp_path)
    assert (row.status, (row.cause or "").split(":")[0]) == ("failed", "ZeroDivisionError")
    assert type(model) is own


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (optuna.TrialPruned(), "stopped"),
        (asyncio.CancelledError(), "stopped"),
        (SystemExit(3), "failed"),
        (MemoryError(), "failed"),
    ],
)
def test_each_exception_of_a_step_gives_its_run_status(tmp_path: Path, error: BaseException, status: str) -> None:
    learn(small_model("ppo", "CartPole-v1"), RunCallback(runs_dir=tmp_path), Raises("step", error))
    assert ended_run(tmp_path).status == status


def test_a_callback_that_ends_training_early_completes_the_run_with_a_note(tmp_path: Path) -> None:
    model = small_model("ppo", gymnasium.make("CartPole-v1", max_episode_steps=5))
    learn(model, StopTrainingOnMaxEpisodes(1), RunCallback(runs_dir=tmp_path))
    row = ended_run(tmp_path)
    assert (row.status, row.ended_early) == ("completed", "A callback ended training at step 5.")


def nested(runs_dir: Path) -> dict[str, Callable[[], BaseCallback]]:
    return {
        "in lists": lambda: CallbackList([CallbackList([RunCallback(runs_dir=runs_dir)])]),
        "every so many steps": lambda: EveryNTimesteps(16, RunCallback(runs_dir=runs_dir)),
        "after evaluations": lambda: EvalCallback(
            gymnasium.make("CartPole-v1", max_episode_steps=5),
            eval_freq=16,
            n_eval_episodes=1,
            callback_after_eval=RunCallback(runs_dir=runs_dir),
            verbose=0,
        ),
        "in one that forwards steps alone": lambda: Alone(RunCallback(runs_dir=runs_dir)),
    }


@pytest.mark.filterwarnings("ignore:Training and eval env are not of the same type")
@pytest.mark.filterwarnings("ignore:Evaluation environment is not wrapped with a")
@pytest.mark.parametrize("way", nested(Path()))
@pytest.mark.parametrize("fails", [False, True])
def test_a_nested_callback_sees_every_episode_and_the_end(tmp_path: Path, way: str, fails: bool) -> None:
    model = small_model("ppo", gymnasium.make("CartPole-v1", max_episode_steps=5))
    others = [Raises("rollout_end", ValueError("fell over"))] if fails else []
    learn(model, nested(tmp_path)[way](), *others)
    row = ended_run(tmp_path)
    steps = 16 if fails else STEPS
    assert (row.status, row.episodes) == ("failed" if fails else "completed", steps // 5)


def test_each_learn_call_is_a_separate_run_whatever_happened_to_the_previous_one(tmp_path: Path) -> None:
    model, watch = small_model("ppo", "CartPole-v1"), RunCallback(runs_dir=tmp_path)
    for error in (None, ValueError("fell over"), None):
        learn(model, watch, *([Raises("training_start", error)] if error else []))
        assert watch.run is not None
    model.learn(STEPS, callback=watch, reset_num_timesteps=False)
    found = ended_runs(tmp_path, 4)
    assert [row.status for row in found] == ["completed", "failed", "completed", "completed"]
    assert (found[-1].total_timesteps, found[-1].step) == (2 * STEPS, 2 * STEPS)


class Twice(PPO):
    """Learns in two parts, and does other work afterwards."""

    afterwards: Callable[[], object] = staticmethod(lambda: None)

    def learn(self, total_timesteps: int, callback: Any = None, **options: Any) -> Any:
        for _ in range(2):
            super().learn(total_timesteps // 2, callback=callback, **options)
        self.afterwards()
        return self


class Stubborn(PPO):
    """Handles the exceptions of its rollouts, and continues."""

    def learn(self, total_timesteps: int, callback: Any = None, **options: Any) -> Any:
        total, callback = self._setup_learn(total_timesteps, callback)
        callback.on_training_start(locals(), globals())
        while self.num_timesteps < total:
            try:
                self.collect_rollouts(self.env, callback, self.rollout_buffer, self.n_steps)  # type: ignore[arg-type]
            except ZeroDivisionError:
                continue
            self.train()
        callback.on_training_end()
        return self


class Quiet(PPO):
    """Handles Ctrl-C."""

    def learn(self, total_timesteps: int, callback: Any = None, **options: Any) -> Any:
        try:
            return super().learn(total_timesteps, callback=callback, **options)
        except KeyboardInterrupt:
            return self


def own(kind: type[PPO], env: Any) -> PPO:
    return kind("MlpPolicy", env, n_steps=16, batch_size=16, n_epochs=1, policy_kwargs={"net_arch": [4]}, device="cpu")


def test_a_custom_learn_that_trains_in_parts_is_one_run(tmp_path: Path) -> None:
    model = own(Twice, "CartPole-v1")
    learn(model, RunCallback(runs_dir=tmp_path / "good"))
    assert [row.status for row in ended_runs(tmp_path / "good", 2)] == ["completed", "completed"]
    model.afterwards = lambda: 1 // 0  # type: ignore[method-assign]
    learn(model, RunCallback(runs_dir=tmp_path / "bad"))
    assert [row.status for row in ended_runs(tmp_path / "bad", 2)] == ["completed", "failed"]


def test_a_custom_learn_that_handles_errors_continues(tmp_path: Path) -> None:
    learn(own(Stubborn, At(lambda: 1 // 0)), RunCallback(runs_dir=tmp_path))
    assert ended_run(tmp_path).status == "completed"


def test_a_custom_learn_that_handles_ctrl_c_ends_its_run(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    learn(own(Quiet, At(interrupt)), RunCallback(runs_dir=tmp_path))
    assert ended_run(tmp_path).status == "stopped"


def test_an_interrupted_notebook_cell_ends_its_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    cells = code.InteractiveInterpreter(
        {"model": small_model("dqn", At(interrupt)), "watch": RunCallback(runs_dir=tmp_path)}
    )
    cells.runcode(compile("model.learn(100, callback=watch)", "cell", "exec"))
    assert "KeyboardInterrupt" in capsys.readouterr().err
    assert ended_run(tmp_path).status == "stopped"


def test_models_trained_in_parallel_threads_have_separate_runs(tmp_path: Path) -> None:
    def train(number: int) -> None:
        others = [Raises("step", ValueError("fell over"))] if number % 2 else []
        learn(small_model("ppo", "CartPole-v1"), RunCallback(runs_dir=tmp_path, name=f"run {number}"), *others)

    threads = [threading.Thread(target=train, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = sorted((row.name, row.status) for row in ended_runs(tmp_path, 4))
    assert found == [(f"run {number}", "failed" if number % 2 else "completed") for number in range(4)]


def test_algorithms_with_their_own_learn_method_are_recorded(tmp_path: Path) -> None:
    models: list[BaseAlgorithm] = [
        sb3_contrib.RecurrentPPO("MlpLstmPolicy", "CartPole-v1", n_steps=16, batch_size=16, n_epochs=1, device="cpu"),
        sb3_contrib.ARS("LinearPolicy", "CartPole-v1", n_delta=1, device="cpu"),
    ]
    for model in models:
        folder = tmp_path / type(model).__name__
        learn(model, RunCallback(runs_dir=folder))
        learn(model, RunCallback(runs_dir=folder), Raises("step", ValueError("fell over")))
        assert [row.status for row in ended_runs(folder, 2)] == ["completed", "failed"]


def test_this_interpreter_reveals_how_frames_ended() -> None:
    """Without this, endings that pass none of our code are detected by other signs."""
    assert _frames_keep_last_instruction()


def test_without_frame_information_most_endings_are_still_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlviz.library.learn_watch._frames_keep_last_instruction", lambda: False)
    for place, status in (("", "completed"), ("step", "failed"), ("training_end", "failed")):
        folder = tmp_path / f"at-{place}"
        learn(own(Twice, "CartPole-v1"), RunCallback(runs_dir=folder), Raises(place, ValueError("fell over")))
        assert {row.status for row in ended_runs(folder, 1 if place else 2)} == {status}


def test_an_ended_run_leaves_the_model_and_its_callbacks_unchanged(tmp_path: Path) -> None:
    root, model = (
        CallbackList([RunCallback(runs_dir=tmp_path), RunCallback(runs_dir=tmp_path)]),
        small_model("dqn", "CartPole-v1"),
    )
    before = set(vars(root)) | {"logger", "locals", "globals"}
    formats = model.learn(4).logger.output_formats
    model.learn(STEPS, callback=root, reset_num_timesteps=False)
    assert type(model) is DQN
    assert set(vars(root)) <= before | {"model", "parent", "num_timesteps"}
    assert "on_training_end" not in vars(root)
    assert [type(one) for one in model.logger.output_formats] == [type(one) for one in formats]
    for row in ended_runs(tmp_path, 2):
        assert row.status == "completed"
    for folder in run_folders(tmp_path):
        assert any("train/loss" in row["values"] for row in rows(folder))
