"""A resume from a snapshot in a new process equals uninterrupted training bit for bit."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import SnapshotPlan
from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.events import EventKind
from rlviz.domain.spaces import Space
from rlviz.launchers.base import Launcher
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import Snapshot, snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.faults import SOAK, Figures, times
from tests.support.forks import fork_of
from tests.support.resuming import (
    cut,
    final_state,
    interrupt_at_random,
    logged,
    train_elsewhere,
    train_undisturbed,
)
from tests.support.stubborn import Counting, Haunted, Iterating
from tests.support.training import ENV_ID, events, make_run, messages, snapshots
from tests.support.workers import forking_launcher

BACKEND = Path(__file__).parents[3]
STEPS = 2_000 if SOAK else 400
FORKED_AT = 500 if SOAK else 200
CUTS = times(4, 100)

CUTS_OF_A_RUN = 40
"""About so often a run is cut before it ends; then another one is."""

NOTHING = StateKept.NOTHING

pytestmark = pytest.mark.faults


@dataclass(frozen=True)
class Case:
    """A case. ``forked`` has the changes of a fork at step FORKED_AT of its parent, ``told`` their description."""

    algo: str
    env_id: str | None = None
    hyperparameters: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    forked: dict[str, Any] | None = None
    told: str = ""

    @property
    def cell(self) -> str:
        """Return the row of the table in docs/resume.md: the environment, and the changes of a fork."""
        return ", ".join(filter(None, [self.env_id or ENV_ID, self.told]))

    def make(self, root: Path, name: str, plan: SnapshotPlan | None = None) -> RunFolder:
        config = {**self.config, "env_id": self.env_id} if self.env_id is not None else self.config
        config = {"total_timesteps": STEPS, **config}
        every = 100 if SOAK else max(100, config["total_timesteps"] // 4)
        config["snapshots"] = plan or snapshots(every_steps=every, keep=100)
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
    "ppo": {"n_envs": 1, "n_steps": 32, "batch_size": 32, "n_epochs": 1},
    "a2c": {"n_envs": 1, "n_steps": 5},
    "trpo": {"n_envs": 1, "n_steps": 32, "batch_size": 32, "n_critic_updates": 1, "cg_max_steps": 2},
    "dqn": {"learning_starts": 32, "train_freq": 16, "buffer_size": 100},
    "qrdqn": {"learning_starts": 32, "train_freq": 16, "buffer_size": 100},
    "sac": {"learning_starts": 32, "train_freq": 16, "buffer_size": 100},
    "td3": {"learning_starts": 32, "train_freq": 16, "buffer_size": 100},
}
"""Of algorithms that see pictures: a few updates of a large network."""

BRIEF: dict[str, Any] = {"total_timesteps": 640 if SOAK else 160}

FIXED, RMS, ADAM = {"ent_coef": 0.2}, {"use_rms_prop": True}, {"use_rms_prop": False}
EPISODES = {"total_timesteps": 1_200 if SOAK else 600}
"""Of a fork: to the end of an episode of Pendulum."""

LOGGED = {"total_timesteps": 2_400 if SOAK else 1_300}
"""To a row of A2C, which logs every 100 iterations of 10 steps; and of a fork to one."""

SWEPT = {"total_timesteps": 10_000 if SOAK else 6_000}
"""Some rollouts of Q-learning."""

CASES = {
    "ppo": Case("ppo", "CartPole-v1", {"learning_rate_schedule": "linear", "clip_range_schedule": "linear"}),
    "ppo-normalized": Case("ppo", "Pendulum-v1", {"normalize_observations": True, "normalize_rewards": True}),
    "ppo-gsde": Case("ppo", "MountainCarContinuous-v0", {"use_sde": True, "sde_sample_freq": 4}),
    "ppo-taxi": Case("ppo", "Taxi-v4"),
    "dqn": Case("dqn", "CartPole-v1"),
    "dqn-wrapped-buffer": Case("dqn", "Acrobot-v1", {"buffer_size": 150, "n_envs": 2}),
    "dqn-observations-once": Case("dqn", "CartPole-v1", {"optimize_memory_usage": True, "buffer_size": 250}),
    "dqn-n-step-returns": Case("dqn", "MountainCar-v0", {"n_steps": 3, "buffer_size": 250, "n_envs": 2}),
    "dqn-blackjack": Case("dqn", "Blackjack-v1"),
    "a2c": Case("a2c", "CartPole-v1", config=LOGGED),
    "a2c-normalized": Case("a2c", "MountainCar-v0", {"normalize_observations": True}),
    "trpo": Case("trpo", "CartPole-v1"),
    "qrdqn": Case("qrdqn", "CartPole-v1"),
    "qrdqn-cliff": Case("qrdqn", "CliffWalking-v1"),
    "sac": Case("sac", "Pendulum-v1"),
    "sac-gsde": Case("sac", "MountainCarContinuous-v0", {"use_sde": True}),
    "sac-fixed-entropy": Case("sac", "Pendulum-v1", {"ent_coef": 0.1, "n_envs": 2}),
    "td3": Case("td3", "Pendulum-v1"),
    "td3-drifting-noise": Case("td3", "Pendulum-v1", {"action_noise": "ornstein-uhlenbeck", "n_envs": 2}),
    "q-learning": Case("q-learning", "FrozenLake-v1", config=SWEPT),
    "ppo-lander": Case("ppo", "LunarLander-v3"),
    "dqn-lander": Case("dqn", "LunarLander-v3", config={"env_options": {"enable_wind": True}}),
    "sac-lander": Case("sac", "LunarLander-v3", config={"env_options": {"continuous": True}}),
    "td3-walker": Case("td3", "BipedalWalker-v3", {"normalize_rewards": True}),
    "ppo-custom": Case("ppo", "Counting", config={"custom_environment": custom(Counting, StateKept.ATTRIBUTES)}),
    "dqn-custom": Case("dqn", "Iterating", config={"custom_environment": custom(Iterating, StateKept.REPLAY)}),
    "a2c-taxi": Case("a2c", "Taxi-v4", config=LOGGED),
    "trpo-lake": Case("trpo", "FrozenLake-v1"),
    "a2c-lander": Case("a2c", "LunarLander-v3", config=LOGGED),
    "trpo-lander": Case("trpo", "LunarLander-v3"),
    "qrdqn-lander": Case("qrdqn", "LunarLander-v3"),
    **{
        f"{algo}-breakout": Case(algo, BREAKOUT, PICTURES[algo], BRIEF)
        for algo in PICTURES
        if ENVIRONMENTS.get(BREAKOUT).suits(ALGORITHMS.get(algo))
    },
    "sac-fork-fixed": Case("sac", "Pendulum-v1", {}, EPISODES, {"ent_coef": 0.2}, "forked: entropy tuned → fixed"),
    "sac-fork-tuned": Case("sac", "Pendulum-v1", FIXED, EPISODES, {"ent_coef": None}, "forked: entropy fixed → tuned"),
    "a2c-fork-adam": Case("a2c", "CartPole-v1", RMS, LOGGED, {"use_rms_prop": False}, "forked: RMSprop → Adam"),
    "a2c-fork-rmsprop": Case("a2c", "CartPole-v1", ADAM, LOGGED, {"use_rms_prop": True}, "forked: Adam → RMSprop"),
    "evaluated": Case(
        "dqn", "CartPole-v1", config={"evaluation": {"every_steps": 150, "episodes": 2, "stop_after": None}}
    ),
}

DEAR = ("a2c-taxi", "a2c-lander", "trpo-lander", "qrdqn-lander", "a2c-breakout", "trpo-breakout", "qrdqn-breakout")
"""Their algorithms are tested in other environments, and their environments with other algorithms."""

TESTED = {name: case for name, case in CASES.items() if SOAK or name not in DEAR}

LONGER = {"a2c": LOGGED, "q-learning": SWEPT}
"""Algorithms whose rows or rollouts are so far apart that fewer steps would leave nothing to compare after a cut."""


def case_of(algo: str, env_id: str) -> Case:
    """Return a case whose replay buffer, if any, is full and has wrapped before training ends."""
    has_buffer = "buffer_size" in ALGORITHMS.get(algo).hyperparameters.model_fields
    small = {"buffer_size": 300} if has_buffer else {}
    if ENVIRONMENTS.get(env_id).observation_space.is_picture:
        return Case(algo, env_id, small | PICTURES.get(algo, {}), BRIEF)
    return Case(algo, env_id, small, LONGER.get(algo, {}))


SUITING = {
    f"{algo}-{env_id.rpartition('/')[2]}".lower(): case_of(algo, env_id)
    for algo in ALGORITHMS.names()
    for env_id in ENVIRONMENTS.names()
    if ENVIRONMENTS.get(env_id).suits(ALGORITHMS.get(algo))
    and (algo, env_id) not in [(case.algo, case.cell) for case in CASES.values()]
}
"""Every algorithm on every environment that it suits, where none of the cases above is one of those."""

INTERRUPTED = {**CASES, **SUITING} if SOAK else {"sac": CASES["sac"]}
"""What is cut CUTS times."""


@dataclass(frozen=True)
class Trained:
    """``whole`` was not interrupted; ``continued`` started from its ``snapshot`` in a new process."""

    whole: RunFolder
    snapshot: Snapshot
    continued: RunFolder


@pytest.fixture(scope="module")
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trained]:
    """Train each tested case; one new process trains all continuations."""
    root = tmp_path_factory.mktemp("uninterrupted")
    tested = {"ppo", "dqn"}  # that snapshots change nothing is tested of these
    for item in request.session.items:
        if item.path == request.path and "trained" in item.fixturenames and hasattr(item, "callspec"):
            tested.add(item.callspec.params["name"])
    whole = {name: case.make(root, name) for name, case in TESTED.items() if name in tested}
    assert all(train_run(folder) for folder in whole.values())
    found = {}
    for name, folder in whole.items():
        taken = [one for one in snapshots_of(folder)[:-1] if not one.is_inherited]
        snapshot = random.Random(name).choice(taken)
        found[name] = Trained(folder, snapshot, cut(folder, snapshot, tmp_path_factory.mktemp(name)))
    train_elsewhere([run.continued for run in found.values()], BACKEND)
    return found


@pytest.mark.parametrize("name", TESTED)
def test_every_logged_value_equals_that_of_the_uninterrupted_run(trained: dict[str, Trained], name: str) -> None:
    run = trained[name]
    rows = logged(run.continued)
    assert rows == logged(run.whole)
    assert len(rows) > run.snapshot.manifest.last_row, "nothing was logged after the cut"
    assert messages(run.continued) == []


@pytest.mark.parametrize("name", TESTED)
def test_weights_optimizers_and_generators_end_as_in_the_uninterrupted_run(
    trained: dict[str, Trained], name: str
) -> None:
    theirs, ours = final_state(trained[name].whole), final_state(trained[name].continued)
    assert ours.keys() == theirs.keys()
    assert differing(ours, theirs) == []


def differing(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return the paths at which the two differ."""
    return [path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path)]


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    launcher = forking_launcher()
    yield launcher
    launcher.close()


@pytest.mark.parametrize("name", INTERRUPTED)
def test_a_run_paused_and_killed_anywhere_in_a_rollout_ends_like_an_uninterrupted_one(
    tmp_path: Path, launcher: Launcher, figures: Figures, name: str
) -> None:
    """Other tests interrupt at the start of a rollout, this one anywhere. One run is interrupted repeatedly, so that an
    effect of any interruption would be visible at its end.
    """
    case, chance, plan = INTERRUPTED[name], random.Random(name), snapshots(every_steps=100, keep=3)
    whole = case.make(tmp_path / "whole", name, plan)
    seconds = train_undisturbed(whole, launcher)
    rows, state = logged(whole), final_state(whole)
    left = CUTS
    for number in range(CUTS):
        broken = case.make(tmp_path / str(number), name, plan)
        cuts = interrupt_at_random(broken, launcher, at_most=left, seconds=seconds / CUTS_OF_A_RUN, chance=chance)
        found = differing(final_state(broken), state)
        same = logged(broken) == rows and not found
        figures.add_cuts(case.algo, case.cell, cuts, same=same)
        assert logged(broken) == rows
        assert found == []
        assert messages(broken) == []
        assert events(broken, EventKind.DIVERGED) == []
        shutil.rmtree(tmp_path / str(number))
        left -= cuts
        if left == 0:
            break
    assert left == 0, f"{left} of {CUTS} cuts were not made: training ends too soon for them"


def test_taking_snapshots_does_not_change_training(trained: dict[str, Trained], tmp_path: Path) -> None:
    for name in ("ppo", "dqn"):
        without = CASES[name].make(tmp_path, name, snapshots())
        assert train_run(without)
        assert logged(without) == logged(trained[name].whole)


def test_an_environment_that_cannot_be_copied_restarts_its_episode_and_the_run_says_so(tmp_path: Path) -> None:
    made = Case("ppo", "Haunted", {"normalize_observations": True}, {"custom_environment": custom(Haunted, NOTHING)})
    folder = made.make(tmp_path, "haunted")
    assert train_run(folder)
    snapshot = snapshots_of(folder)[1]
    assert not snapshot.manifest.exact
    assert "No method can copy the state of Haunted" in (snapshot.manifest.not_exact_because or "")
    continued = cut(folder, snapshot, tmp_path / "cut")
    assert train_run(continued)
    assert logged(continued)[: snapshot.manifest.last_row] == logged(folder)[: snapshot.manifest.last_row]
    [warning] = messages(continued)
    assert warning.startswith("Training does not continue exactly. No method can copy")
    resumed = row_of_folder(continued).resumed
    assert resumed is not None
    assert resumed["not_exact_because"].startswith("No method can copy the state of Haunted")
