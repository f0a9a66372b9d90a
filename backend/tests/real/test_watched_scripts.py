"""A Stable-Baselines3 script trains, logs and saves the same with ``RunCallback`` as without."""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.envs.classic_control import CartPoleEnv
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import CSVOutputFormat, Figure, Logger, configure
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecMonitor, VecNormalize

from rlviz.domain.config import RunConfig
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.sb3 import RunCallback
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.algorithms import small_model
from tests.support.training import messages, rows

STEPS = 48


def only_run(runs_dir: Path) -> RunFolder:
    [folder] = run_folders(runs_dir)
    return folder


def config_of(runs_dir: Path) -> RunConfig:
    return only_run(runs_dir).read_config()


class Does(BaseCallback):
    """Calls ``act`` with the model after its fifth step."""

    def __init__(self, act: Callable[[Any], object]) -> None:
        super().__init__()
        self._act = act

    def _on_step(self) -> bool:
        if self.n_calls == 5:
            self._act(self.model)
        return True


# What training leaves behind


def trained(kind: str, folder: Path, *callbacks: BaseCallback) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the weights, the rows of the user's own logs, and the names of the files."""
    model = small_model(kind, gymnasium.make("CartPole-v1", max_episode_steps=7))
    model.set_logger(configure(str(folder), ["csv", "json"]))
    for _ in range(2):
        model.learn(STEPS, callback=list(callbacks), reset_num_timesteps=False, log_interval=1)  # type: ignore[call-arg]
    model.logger.close()
    logged = {
        "csv": list(csv.DictReader((folder / "progress.csv").read_text().splitlines())),
        "json": [json.loads(line) for line in (folder / "progress.json").read_text().splitlines()],
    }
    for row in (*logged["csv"], *logged["json"]):
        for name in ("time/fps", "time/time_elapsed"):
            row.pop(name, None)
    return dict(model.policy.state_dict()), logged, sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kind", ["ppo", "dqn"])
def test_weights_and_logs_equal_those_of_an_unwatched_script(tmp_path: Path, kind: str) -> None:
    alone = trained(kind, tmp_path / "alone")
    watched = trained(kind, tmp_path / "watched", RunCallback(runs_dir=tmp_path / "runs"))
    assert watched[1:] == alone[1:]
    assert all(torch.equal(watched[0][name], weights) for name, weights in alone[0].items())
    folders = list(run_folders(tmp_path / "runs"))
    assert len(folders) == 2
    for folder in folders:
        last = rows(folder)[-1]
        assert "train/loss" in last["values"], "what the last update found, which the library does not log"
        assert last["step"] == row_of_folder(folder).step


def test_the_model_can_be_saved_copied_and_pickled_while_it_is_watched(tmp_path: Path) -> None:
    class Mine(PPO):
        """Is pickled by value, because no module contains it."""

    copies: list[Any] = []

    def copied(model: Any) -> None:
        saved = io.BytesIO()
        model.save(saved)
        copies.extend((model, Mine.load(io.BytesIO(saved.getvalue())), copy.copy(model)))
        assert pickle.loads(cloudpickle.dumps(Mine)).__name__ == "Mine"

    before = dict(vars(Mine))
    model = Mine("MlpPolicy", "CartPole-v1", n_steps=16, batch_size=16, policy_kwargs={"net_arch": [4]}, device="cpu")
    model.learn(16, callback=[RunCallback(runs_dir=tmp_path), Does(copied)])
    assert [type(one) for one in copies] == [Mine, Mine, Mine]
    assert {name: value for name, value in vars(Mine).items() if name != "__slotnames__"} == before  # of copies


def test_static_and_class_methods_of_a_model_are_unchanged(tmp_path: Path) -> None:
    class Mine(PPO):
        @staticmethod
        def dump_logs(*arguments: Any, **options: Any) -> None:
            assert arguments == (1,)

        @classmethod
        def train(cls) -> None:  # type: ignore[override]
            assert cls is Mine

    Mine("MlpPolicy", "CartPole-v1", n_steps=16, batch_size=16).learn(16, callback=RunCallback(runs_dir=tmp_path))
    assert row_of_folder(only_run(tmp_path)).status == "completed"


def test_a_logger_replaced_by_the_script_is_followed(tmp_path: Path) -> None:
    other = Logger(None, [])
    model = small_model("ppo", "CartPole-v1")
    model.learn(STEPS, callback=[RunCallback(runs_dir=tmp_path / "runs"), Does(lambda model: model.set_logger(other))])
    assert other.output_formats == []
    assert any("rollout/ep_len_mean" in row["values"] for row in rows(only_run(tmp_path / "runs")))


def test_values_that_are_not_numbers_are_left_to_other_loggers(tmp_path: Path) -> None:
    def log(model: Any) -> None:
        for name, value in {
            "text": "fine",
            "picture": Figure(None, close=False),
            "large": 10**400,
            "tensor": torch.tensor(0.5),
            "tensors": torch.zeros(3),
            "scalar": np.float32(0.25),
            "nothing": None,
        }.items():
            model.logger.record(name, value)

    small_model("ppo", "CartPole-v1").learn(16, callback=[RunCallback(runs_dir=tmp_path), Does(log)])
    values = {name: value for row in rows(only_run(tmp_path)) for name, value in row["values"].items()}
    assert {
        name: values.get(name, "left out") for name in ("text", "picture", "large", "tensor", "tensors", "scalar")
    } == {
        "text": "left out",
        "picture": "left out",
        "large": None,
        "tensor": 0.5,
        "tensors": "left out",
        "scalar": 0.25,
    }


def test_output_formats_that_cannot_be_extended_are_replaced_and_restored(tmp_path: Path) -> None:
    model, formats = small_model("ppo", "CartPole-v1"), (CSVOutputFormat(str(tmp_path / "progress.csv")),)
    model.set_logger(Logger(None, formats))  # type: ignore[arg-type]
    model.learn(STEPS, callback=RunCallback(runs_dir=tmp_path / "runs"))
    model.logger.close()
    assert model.logger.output_formats is formats
    assert len(rows(only_run(tmp_path / "runs"))) >= STEPS // 16


# Seeds and lengths


@pytest.mark.parametrize(
    ("seed", "length", "recorded"),
    [
        (2_735_729_614, 16, (2_735_729_614, 16)),
        (7, np.int64(16), (7, 16)),
        (None, 16.0, (0, 16)),
        (3, np.float32(15.5), (3, 16)),
        (3, sys.maxsize, (3, 0)),
        (3, float("inf"), (3, 0)),
    ],
)
def test_seeds_and_lengths_of_every_type_are_recorded(
    tmp_path: Path, seed: Any, length: Any, recorded: tuple[int, int]
) -> None:
    model = small_model("ppo", "CartPole-v1", seed=seed)
    model.learn(length, callback=[RunCallback(runs_dir=tmp_path), Ends()])
    config = config_of(tmp_path)
    assert (config.seed, config.total_timesteps) == recorded
    assert (model.num_timesteps, messages(only_run(tmp_path))) == (16, [])


class Ends(BaseCallback):
    """Ends training at the sixteenth step."""

    def _on_step(self) -> bool:
        return self.num_timesteps < 16


# Environments


class Batched(VecEnv):
    """A simulator that steps all its copies at once, so that there are no single environments."""

    def __init__(self, spec: Callable[[], Any]) -> None:
        self._spec, self._steps = spec, 0
        super().__init__(2, spaces.Box(-1, 1, (3,), np.float32), spaces.Discrete(2))

    def reset(self) -> Any:
        return np.zeros((2, 3), np.float32)

    def step_async(self, actions: Any) -> None: ...

    def step_wait(self) -> Any:
        self._steps += 1
        done = self._steps % 5 == 0
        infos = [{"terminal_observation": np.zeros(3, np.float32)} if done else {} for _ in range(2)]
        return np.zeros((2, 3), np.float32), np.ones(2, np.float32), np.full(2, done), infos

    def close(self) -> None: ...

    def get_attr(self, attr_name: str, indices: Any = None) -> Any:
        return [None, None] if attr_name == "render_mode" else self._spec()

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **options: Any) -> Any:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False, False]


class Spec:
    def __init__(self, env_id: object) -> None:
        self.id = env_id


SPECS: dict[str, tuple[Callable[[], Any], str, int]] = {
    "not implemented": (lambda: (_ for _ in ()).throw(NotImplementedError("spec")), "unknown", 1),
    "no list": (lambda: Spec("Mine-v0"), "unknown", 1),
    "an empty list": (list, "unknown", 0),
    "none": (lambda: [None, None], "unknown", 0),
    "of another kind": (lambda: [{"id": "Mine-v0"}], "unknown", 0),
    "an id that is no text": (lambda: [Spec(5)], "unknown", 0),
    "an id": (lambda: [Spec("Mine-v0")], "Mine-v0", 0),
    "a long id": (lambda: [Spec("Mine\n" * 100)], "Mine Mine", 1),
}


@pytest.mark.parametrize("spec", SPECS)
def test_environments_without_an_id_are_recorded(tmp_path: Path, spec: str) -> None:
    given, env_id, warned = SPECS[spec]
    small_model("ppo", VecMonitor(Batched(given))).learn(64, callback=RunCallback(runs_dir=tmp_path))
    assert config_of(tmp_path).env_id.startswith(env_id)
    assert len(messages(only_run(tmp_path))) == warned
    assert row_of_folder(only_run(tmp_path)).episodes == 12


def test_the_script_can_name_the_environment(tmp_path: Path) -> None:
    model = small_model("ppo", Batched(SPECS["not implemented"][0]))
    model.learn(16, callback=RunCallback(runs_dir=tmp_path, env_id="Mine-v0"))
    assert (config_of(tmp_path).env_id, messages(only_run(tmp_path))) == ("Mine-v0", [])


def with_a_function() -> gymnasium.Env[Any, Any]:
    """An environment registered with an argument that cannot be pickled."""
    gymnasium.register("WithAFunction-v0", entry_point=CartPoleEnv, max_episode_steps=20)
    env = gymnasium.make("WithAFunction-v0")
    assert env.unwrapped.spec is not None
    env.unwrapped.spec.kwargs = {"reward": lambda _state: 1.0}
    return env


class Evasive(gymnasium.Wrapper[Any, Any, Any, Any]):
    @property
    def spec(self) -> Any:
        raise RuntimeError("ask someone else")


def cart_pole() -> gymnasium.Env[Any, Any]:
    return gymnasium.make("CartPole-v1")


@pytest.mark.parametrize(
    ("make", "env_id"),
    [(cart_pole, "CartPole-v1"), (with_a_function, "unknown"), (lambda: Evasive(cart_pole()), "unknown")],
    ids=["plain", "with a function", "evasive"],
)
def test_environments_in_subprocesses_are_recorded(
    tmp_path: Path, make: Callable[[], gymnasium.Env[Any, Any]], env_id: str
) -> None:
    env = VecNormalize(SubprocVecEnv([make, make], start_method="fork"))
    try:
        small_model("ppo", env).learn(64, callback=RunCallback(runs_dir=tmp_path))
    finally:
        env.close()
    assert config_of(tmp_path).env_id == env_id
    assert len(messages(only_run(tmp_path))) == (env_id == "unknown")


class Informs(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Puts a foreign value where the library reports episodes."""

    def __init__(self, episode: Any) -> None:
        super().__init__(gymnasium.make("CartPole-v1", max_episode_steps=5))
        self._episode = episode

    def step(self, action: Any) -> Any:
        *seen, info = super().step(action)
        return (*seen, {**info, "episode": self._episode, 5: "number"})


@pytest.mark.parametrize(
    "episode", [3, None, "one", {"number": 3}, {"r": "good", "l": 3}, {"r": 1.0, "l": float("nan")}]
)
def test_an_invalid_episode_report_is_ignored(tmp_path: Path, episode: Any) -> None:
    env = DummyVecEnv([lambda: Informs(episode)])  # without the library's Monitor
    model: BaseAlgorithm = small_model("ppo", env)
    model._update_info_buffer = lambda *_, **__: None  # type: ignore[method-assign]  # which takes it for a report
    model.learn(STEPS, callback=RunCallback(runs_dir=tmp_path))
    row = row_of_folder(only_run(tmp_path))
    assert (row.status, row.episodes, messages(only_run(tmp_path))) == ("completed", 0, [])


def test_a_forked_process_of_a_training_script_is_independent(tmp_path: Path) -> None:
    watch = RunCallback(runs_dir=tmp_path)

    def fork(_model: Any) -> None:
        if (child := os.fork()) == 0:
            status = 1
            try:
                assert watch.run is not None
                watch.run.log(7, loss=1.0)
                watch.on_step()
                watch.on_training_end()
                status = 7
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

    small_model("ppo", "CartPole-v1").learn(STEPS, callback=[watch, Does(fork)])
    assert row_of_folder(only_run(tmp_path)).status == "completed"
    assert not any("loss" in row["values"] for row in rows(only_run(tmp_path)))


@pytest.mark.parametrize("config", [{"mine": 1}, ["mine"], object(), None])
def test_hyperparameters_of_every_type_are_added_to_those_of_the_model(tmp_path: Path, config: Any) -> None:
    small_model("ppo", "CartPole-v1").learn(16, callback=RunCallback(runs_dir=tmp_path, config=config))
    assert config_of(tmp_path).hyperparameters["n_steps"] == 16


def test_a_script_trains_even_if_no_run_can_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("no folder")
    watch = RunCallback(runs_dir=tmp_path / "file", videos=tmp_path / "file")
    model = small_model("ppo", "CartPole-v1")
    model.learn(STEPS, callback=watch)
    assert model.num_timesteps == STEPS
    assert capsys.readouterr().err.count("this run is not recorded") == 1
    assert model.logger.output_formats == []
