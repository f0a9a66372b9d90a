"""Forks through the service, with real workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rlviz.domain.config import ExperimentPlace
from rlviz.domain.errors import ArtifactNotFound, InvalidRequest, NothingToResume
from rlviz.domain.status import RunStatus
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot
from rlviz.server.application import Application
from rlviz.server.runs.configuration import NewRun
from rlviz.server.runs.groups import SeedRequest
from rlviz.server.snapshots.forking import ForkRequest, possible_options
from rlviz.server.snapshots.models import Effect, view_snapshots
from tests.support.service import create, ended, folder_of, service, start
from tests.support.training import QUICK, curves, rows

S = RunStatus


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    with service(tmp_path_factory.mktemp("forks") / "runs") as application:
        yield application


@pytest.fixture(scope="module")
def parent(app: Application) -> str:
    """A run of 640 steps with a snapshot of its end."""
    run_id = start(app, steps=640)
    assert ended(app, run_id).state is S.COMPLETED
    return run_id


def learned(folder: RunFolder, beyond: int = 0) -> list[Any]:
    return [row for row in curves(folder) if row[0] > beyond and row[1]]


def logged_mean(folder: RunFolder) -> float:
    """Return the mean return that was logged last, unless episodes have ended since."""
    return [row["values"]["rollout/ep_rew_mean"] for row in rows(folder) if "rollout/ep_rew_mean" in row["values"]][-1]


def test_an_unchanged_fork_continues_as_its_parent_would_have(app: Application, parent: str) -> None:
    longer = start(app, steps=1_280)
    ended(app, longer)
    child = app.forks.fork(parent, ForkRequest(snapshot="640", total_timesteps=1_280, start=True))
    assert child.parent is not None
    assert (child.parent["run_id"], child.parent["step"], child.parent["changed"]) == (parent, 640, [])
    row = ended(app, child.id)
    assert (row.state, row.step, row.warnings) == (S.COMPLETED, 1_280, 0)
    assert learned(folder_of(app, child.id)) == learned(folder_of(app, longer), beyond=640)
    assert rows(folder_of(app, child.id))[0]["seq"] == 1
    same = app.runs.get(longer)
    assert (row.ep_rew_mean, row.ep_len_mean, row.solved_step) == (same.ep_rew_mean, same.ep_len_mean, same.solved_step)
    assert row.ep_rew_mean == pytest.approx(logged_mean(folder_of(app, child.id))), "and so the rules see it"
    newest = newest_usable_snapshot(folder_of(app, child.id))
    assert newest is not None
    assert newest.name == "1280", "it is resumed from its own snapshots"
    told = {one.name: one for one in view_snapshots(child.id, app.snapshots.list(child.id)).snapshots}
    assert [name for name, one in told.items() if one.inherited] == ["640"]
    grandchild = app.forks.fork(child.id, ForkRequest(snapshot="640"))
    assert grandchild.parent is not None
    assert (grandchild.parent["run_id"], grandchild.parent["snapshot"], grandchild.parent["step"]) == (
        child.id,
        "0",
        640,
    )


def test_a_fork_trains_with_other_values_and_rollouts(app: Application, parent: str) -> None:
    values = {"learning_rate": 1e-4, "ent_coef": 0.01, "clip_range": 0.1, "gamma": 0.9}
    rollouts = {"n_steps": 32, "batch_size": 32, "n_epochs": 1}
    fork_with_changes(app, parent, {"hyperparameters": values | rollouts})


def fork_with_changes(app: Application, parent: str, changes: dict[str, Any]) -> None:
    child = app.forks.fork(parent, ForkRequest(step=700, total_timesteps=1_280, start=True, **changes))
    row = ended(app, child.id)
    assert (row.state, row.cause) == (S.COMPLETED, None)
    assert row.parent is not None
    assert row.parent["changed"] == sorted(changes.get("hyperparameters", {}))
    assert learned(folder_of(app, child.id))[0][0] > 640


def test_a_fork_belongs_to_no_group_or_experiment_of_its_parent(
    app: Application,
) -> None:
    new = NewRun(algo="ppo", env_id="CartPole-v1", total_timesteps=128, hyperparameters=QUICK["ppo"])
    first, second = app.groups.create(new, SeedRequest(seeds=(1, 2)), start=False)
    app.runs.start(second.id)
    assert ended(app, second.id).state is S.COMPLETED
    folder = folder_of(app, second.id)
    trial = ExperimentPlace(id="exp-20261123-180754-a3cdb9", variant="v1", trial=1)
    folder.config_path.write_text(folder.read_config().model_copy(update={"experiment": trial}).model_dump_json())
    for wish in (
        ForkRequest(step=128),
        ForkRequest(step=128, seed=3),
        ForkRequest(step=128, hyperparameters={"gamma": 0.9}),
    ):
        child = app.forks.fork(second.id, replace(wish, total_timesteps=256))
        config = app.runs.config(child.id)
        assert (child.group_id, config.group_id, config.experiment) == (child.id, None, None)
    assert [[row.id for row in group.runs] for group in app.groups.find([first.id])] == [[first.id, second.id]]


def test_a_change_not_allowed_at_a_fork_is_refused_with_the_reason(app: Application, parent: str) -> None:
    told = {change.name: change for change in app.forks.changes(parent).changes}
    assert told["net_arch"].effect is Effect.REFUSED
    assert (told["learning_rate"].effect, told["n_envs"].effect) == (Effect.FITS, Effect.ANEW)
    with pytest.raises(InvalidRequest, match="different network") as caught:
        app.forks.fork(parent, ForkRequest(snapshot="640", hyperparameters={"net_arch": [8], "gamma": 0.9}))
    assert [field.pointer for field in caught.value.fields] == ["/hyperparameters/net_arch"]
    with pytest.raises(InvalidRequest, match="starts at step 640"):
        app.forks.fork(parent, ForkRequest(snapshot="640", total_timesteps=640))
    with pytest.raises(InvalidRequest, match="either a snapshot or a step"):
        app.forks.fork(parent, ForkRequest())
    with pytest.raises(ArtifactNotFound, match="has no snapshot 'gone'"):
        app.forks.fork(parent, ForkRequest(snapshot="gone"))
    never = create(app)
    with pytest.raises(NothingToResume, match="not begun to train"):
        app.forks.fork(never, ForkRequest(step=100))
    child = app.forks.fork(parent, ForkRequest(step=300))  # of that step, the parent has no snapshot
    assert child.parent is not None
    with pytest.raises(NothingToResume, match="not reached yet"):
        app.forks.fork(child.id, ForkRequest(step=100))


def test_a_fork_of_a_run_older_than_a_setting_shows_no_change_at_its_default(app: Application) -> None:
    run_id = start(app, algo="dqn", steps=200)
    ended(app, run_id)
    folder = folder_of(app, run_id)
    config = folder.read_config()
    older = {name: value for name, value in config.hyperparameters.items() if name != "n_steps"}
    assert older != config.hyperparameters
    folder.config_path.write_text(config.model_copy(update={"hyperparameters": older}).model_dump_json())
    for value, changed in ((1, []), (3, ["n_steps"])):
        fork = app.forks.fork(run_id, ForkRequest(snapshot="200", hyperparameters={"n_steps": value}))
        assert fork.parent is not None
        assert fork.parent["changed"] == changed
        assert folder_of(app, fork.id).read_config().hyperparameters["n_steps"] == value


@pytest.mark.parametrize(
    ("env_id", "refused"),
    [
        ("Pendulum-v1", set()),
        ("CartPole-v1", set()),
        ("LunarLander-v3", {"continuous"}),
        ("CarRacing-v3", {"continuous", "frame_stack", "picture_size"}),
        ("ALE/Breakout-v5", {"full_action_space"}),
    ],
)
def test_an_environment_option_is_refused_if_every_other_value_changes_the_spaces(
    env_id: str, refused: set[str]
) -> None:
    environment = ENVIRONMENTS.get(env_id)
    told = possible_options(environment)
    assert {one.name for one in told} == set(environment.chosen)
    assert {one.name for one in told if one.effect is Effect.REFUSED} == refused
    assert all((one.why is not None) == (one.effect is Effect.REFUSED) for one in told)
