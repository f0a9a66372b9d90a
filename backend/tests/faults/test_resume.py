"""Training goes on from a snapshot, in a new process, bit for bit as if it had not been cut."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from rlviz.algorithms import ALGORITHMS
from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.domain.spaces import Space
from rlviz.environments import ENVIRONMENTS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import Snapshot, snapshots_of
from rlviz.services.projection.folder_projection import row_of_folder
from rlviz.training.watched_training import train_run
from tests.faults.support import SOAK, Figures, times
from tests.support.forks import fork_of
from tests.support.resuming import cut, final_state, interrupt_at_random, logged, train_elsewhere
from tests.support.stubborn import Counting, Haunted, Iterating
from tests.support.training import ENV_ID, make_run, messages, snapshots

BACKEND = Path(__file__).parents[2]
STEPS = 2_000 if SOAK else 600
FORKED_AT = 500
CUTS = times(1, 100)


NOTHING = StateKept.NOTHING

pytestmark = [pytest.mark.faults, pytest.mark.timeout(14_400 if SOAK else 900)]


@dataclass(frozen=True)
class Case:
    """``forked``: of a fork, what is changed where its parent has trained FORKED_AT steps; ``told``: what that is."""

    algo: str
    env_id: str | None = None
    hyperparameters: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    forked: dict[str, Any] | None = None
    told: str = ""

    def make(self, root: Path, name: str, plan: SnapshotPlan | None = None) -> RunFolder:
        config = {**self.config, "env_id": self.env_id} if self.env_id is not None else self.config
        config = {"total_timesteps": STEPS, **config, "snapshots": plan or snapshots(every_steps=100, keep=100)}
        if self.forked is None:
            return make_run(root, name, algo=self.algo, hyperparameters=self.hyperparameters, **config)
        before = {**config, "total_timesteps": FORKED_AT}
        parent = make_run(root / name, algo=self.algo, hyperparameters=self.hyperparameters, **before)
        assert train_run(parent)
        [*_, end] = snapshots_of(parent)
        steps = config["total_timesteps"]
        return fork_of(parent, snapshot=end.name, total_timesteps=steps, hyperparameters=self.forked)


def custom(made: type, kept: StateKept) -> dict[str, Any]:
    return CustomEnvironment(
        entry_point=f"{made.__module__}:{made.__name__}",
        summary="",
        observation_space=Space("Box", shape=(2,)),
        action_space=Space("Discrete", n=2),
        reward_threshold=None,
        max_episode_steps=30,
        render_fps=10,
        state_kept_by=kept,
    ).model_dump()


BREAKOUT = "ALE/Breakout-v5"
PICTURES: dict[str, dict[str, Any]] = {
    "ppo": {"n_envs": 1, "n_steps": 64, "n_epochs": 1},
    "a2c": {"n_envs": 1, "n_steps": 5},
    "trpo": {"n_envs": 1, "n_steps": 64, "n_critic_updates": 1},
    "dqn": {"learning_starts": 64, "train_freq": 16, "buffer_size": 150},
    "qrdqn": {"learning_starts": 64, "train_freq": 16, "buffer_size": 150},
}
"""Of algorithms that see pictures: a few updates of a large network."""

BRIEF: dict[str, Any] = {"total_timesteps": 1_500 if SOAK else 192}

FIXED, RMS, ADAM = {"ent_coef": 0.2}, {"use_rms_prop": True}, {"use_rms_prop": False}
EPISODES, LOGGED = {"total_timesteps": 1_200}, {"total_timesteps": 2_400}
"""Of forks: to the end of an episode of Pendulum, and to a row of A2C."""

CASES = {
    "ppo": Case("ppo", "CartPole-v1", {"learning_rate_schedule": "linear", "clip_range_schedule": "linear"}),
    "ppo-normalized": Case("ppo", "Pendulum-v1", {"normalize_observations": True, "normalize_rewards": True}),
    "ppo-gsde": Case("ppo", "MountainCarContinuous-v0", {"use_sde": True, "sde_sample_freq": 4}),
    "ppo-taxi": Case("ppo", "Taxi-v4"),
    "dqn": Case("dqn", "CartPole-v1"),
    "dqn-wrapped-buffer": Case("dqn", "Acrobot-v1", {"buffer_size": 150, "n_envs": 2}),
    "dqn-observations-once": Case("dqn", "CartPole-v1", {"optimize_memory_usage": True, "buffer_size": 250}),
    "dqn-blackjack": Case("dqn", "Blackjack-v1"),
    "a2c": Case("a2c", "CartPole-v1", config={"total_timesteps": 2_400}),  # it logs every 100 iterations of 10 steps
    "a2c-normalized": Case("a2c", "MountainCar-v0", {"normalize_observations": True}),
    "trpo": Case("trpo", "CartPole-v1"),
    "qrdqn": Case("qrdqn", "CartPole-v1"),
    "qrdqn-cliff": Case("qrdqn", "CliffWalking-v1"),
    "sac": Case("sac", "Pendulum-v1"),
    "sac-gsde": Case("sac", "MountainCarContinuous-v0", {"use_sde": True}),
    "sac-fixed-entropy": Case("sac", "Pendulum-v1", {"ent_coef": 0.1, "n_envs": 2}),
    "td3": Case("td3", "Pendulum-v1"),
    "td3-drifting-noise": Case("td3", "Pendulum-v1", {"action_noise": "ornstein-uhlenbeck", "n_envs": 2}),
    "q-learning": Case("q-learning", "FrozenLake-v1", config={"total_timesteps": 10_000}),
    "ppo-lander": Case("ppo", "LunarLander-v3"),
    "dqn-lander": Case("dqn", "LunarLander-v3", config={"env_options": {"enable_wind": True}}),
    "sac-lander": Case("sac", "LunarLander-v3", config={"env_options": {"continuous": True}}),
    "td3-walker": Case("td3", "BipedalWalker-v3", {"normalize_rewards": True}),
    "ppo-custom": Case("ppo", "Counting", config={"custom_environment": custom(Counting, StateKept.ATTRIBUTES)}),
    "dqn-custom": Case("dqn", "Iterating", config={"custom_environment": custom(Iterating, StateKept.REPLAY)}),
    "a2c-taxi": Case("a2c", "Taxi-v4", config={"total_timesteps": 2_400}),
    "trpo-lake": Case("trpo", "FrozenLake-v1"),
    "a2c-lander": Case("a2c", "LunarLander-v3", config={"total_timesteps": 1_200}),
    "trpo-lander": Case("trpo", "LunarLander-v3"),
    "qrdqn-lander": Case("qrdqn", "LunarLander-v3"),
    **{f"{algo}-breakout": Case(algo, BREAKOUT, PICTURES[algo], BRIEF) for algo in PICTURES},
    "sac-fork-fixed": Case("sac", "Pendulum-v1", {}, EPISODES, {"ent_coef": 0.2}, "forked: entropy tuned → fixed"),
    "sac-fork-tuned": Case("sac", "Pendulum-v1", FIXED, EPISODES, {"ent_coef": None}, "forked: entropy fixed → tuned"),
    "a2c-fork-adam": Case("a2c", "CartPole-v1", RMS, LOGGED, {"use_rms_prop": False}, "forked: RMSprop → Adam"),
    "a2c-fork-rmsprop": Case("a2c", "CartPole-v1", ADAM, LOGGED, {"use_rms_prop": True}, "forked: Adam → RMSprop"),
    "evaluated": Case(
        "dqn", "CartPole-v1", config={"evaluation": {"every_steps": 150, "episodes": 2, "stop_after": None}}
    ),
}


def small_buffer(algo: str) -> dict[str, Any]:
    """A replay buffer, if it has one, that is full and has wrapped before training ends."""
    return {"buffer_size": 300} if "buffer_size" in ALGORITHMS.get(algo).hyperparameters.model_fields else {}


LONGER = {"a2c": {"total_timesteps": 2_400}, "q-learning": {"total_timesteps": 10_000}}
"""Algorithms whose rows or rollouts are so far apart that fewer steps would leave nothing to compare after a cut."""

SLOW = {
    f"{algo}-{env_id.rpartition('/')[2]}".lower(): Case(algo, env_id, small_buffer(algo), LONGER.get(algo, {}))
    for algo, fields in (
        (algo, ALGORITHMS.get(algo).hyperparameters.model_fields.keys()) for algo in ALGORITHMS.names()
    )
    for env_id in ENVIRONMENTS.names()
    if ENVIRONMENTS.get(env_id).suits(ALGORITHMS.get(algo))
}
"""Every algorithm on every environment that it suits; a soak continues each CUTS times."""

if SOAK:
    CASES |= SLOW


@dataclass(frozen=True)
class Trained:
    """``whole`` was not interrupted; each of ``continued`` went on from another snapshot of it, in a new process."""

    whole: RunFolder
    continued: list[tuple[Snapshot, RunFolder]]


@pytest.fixture(scope="module")
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trained]:
    """Each case that is tested; one process trains all that are not interrupted, and another one all that go on."""
    root = tmp_path_factory.mktemp("uninterrupted")
    tested = {"ppo", "dqn"}  # that snapshots change nothing is tested of these
    for item in request.session.items:
        if item.path == request.path and "trained" in item.fixturenames and hasattr(item, "callspec"):
            tested.add(item.callspec.params["name"])
    found = {name: Trained(case.make(root, name), []) for name, case in CASES.items() if name in tested}
    train_elsewhere([run.whole for run in found.values()], BACKEND)
    for name, run in found.items():
        taken = [one for one in snapshots_of(run.whole)[:-1] if not one.is_inherited]
        for snapshot in random.Random(name).choices(taken, k=CUTS):
            run.continued.append((snapshot, cut(run.whole, snapshot, tmp_path_factory.mktemp(name))))
    train_elsewhere([folder for run in found.values() for _, folder in run.continued], BACKEND)
    return found


def cell(name: str) -> tuple[str, str]:
    case = CASES[name]
    return case.algo, ", ".join(filter(None, [case.env_id or ENV_ID, case.told]))


@pytest.mark.parametrize("name", CASES)
def test_every_logged_value_is_that_of_the_uninterrupted_run(
    trained: dict[str, Trained], figures: Figures, name: str
) -> None:
    expected = logged(trained[name].whole)
    for snapshot, folder in trained[name].continued:
        rows = logged(folder)
        figures.add_cut("rows", *cell(name), same=rows == expected)
        assert rows == expected
        assert len(rows) > snapshot.manifest.last_row, "nothing was logged after the cut"
        assert messages(folder) == []


@pytest.mark.parametrize("name", CASES)
def test_weights_optimizers_and_generators_end_as_those_of_the_uninterrupted_run(
    trained: dict[str, Trained], figures: Figures, name: str
) -> None:
    theirs = final_state(trained[name].whole)
    for _, folder in trained[name].continued:
        ours = final_state(folder)
        figures.add_cut("state", *cell(name), same=ours == theirs)
        assert ours.keys() == theirs.keys()
        assert [path for path, value in ours.items() if value != theirs[path]] == []


INTERRUPTED = {
    **{"sac": STEPS, "td3": STEPS, "dqn": 20_000, "qrdqn": 10_000},
    **{"ppo": 30_000, "a2c": 20_000, "trpo": 30_000, "q-learning": 100_000},
}
"""Steps that each algorithm trains: long enough to be interrupted often."""


@pytest.mark.parametrize("name", INTERRUPTED if SOAK else ["sac"])
def test_workers_that_are_paused_and_killed_anywhere_in_a_rollout_end_as_one_that_was_not(
    tmp_path: Path, figures: Figures, name: str
) -> None:
    """Not at the start of a rollout, where the others are cut, but whenever it comes."""
    case = replace(CASES[name], config={**CASES[name].config, "total_timesteps": INTERRUPTED[name]})
    plan = snapshots(every_steps=100, keep=3)
    whole, broken = (case.make(tmp_path / which, name, plan) for which in ("whole", "broken"))
    train_elsewhere([whole], BACKEND)
    interrupt_at_random(broken, BACKEND, times(2, 30), random.Random(name))
    assert final_state(broken) == final_state(whole)
    same = logged(broken) == logged(whole)
    figures.add("rows that differ after workers were paused and killed: " + name, not same, "", at_most=0)
    assert same


def test_taking_snapshots_changes_nothing(trained: dict[str, Trained], tmp_path: Path) -> None:
    for name in ("ppo", "dqn"):
        without = CASES[name].make(tmp_path, name, snapshots())
        assert train_run(without)
        assert logged(without) == logged(trained[name].whole)


def test_an_environment_that_cannot_be_copied_begins_an_episode_anew_and_the_run_says_so(tmp_path: Path) -> None:
    made = Case("ppo", "Haunted", {"normalize_observations": True}, {"custom_environment": custom(Haunted, NOTHING)})
    folder = made.make(tmp_path, "haunted")
    assert train_run(folder)
    snapshot = snapshots_of(folder)[1]
    assert not snapshot.manifest.exact
    assert "Nothing that was tried copies the state of Haunted" in (snapshot.manifest.not_exact_because or "")
    continued = cut(folder, snapshot, tmp_path / "cut")
    assert train_run(continued)
    assert logged(continued)[: snapshot.manifest.last_row] == logged(folder)[: snapshot.manifest.last_row]
    [warning] = messages(continued)
    assert warning.startswith("Training does not go on exactly as it was. Nothing that was tried")
    resumed = row_of_folder(continued).resumed
    assert resumed is not None
    assert resumed["not_exact_because"].startswith("Nothing that was tried copies the state of Haunted")
