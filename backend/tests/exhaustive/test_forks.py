"""Forks that inherit a replay buffer or change environment options. They are exhaustive because they train several
runs.
"""

from __future__ import annotations

from typing import Any

import pytest

from rlviz.domain.errors import InvalidRequest
from rlviz.server.application import Application
from rlviz.server.snapshots.forking import ForkRequest, possible_changes
from rlviz.server.snapshots.models import Effect
from tests.real.test_forks import S, app, fork_with_changes, learned, logged_mean, parent
from tests.support.service import ended, folder_of, start

__all__ = ["app", "parent"]


@pytest.mark.parametrize("changes", [{"hyperparameters": {"n_envs": 4}}, {"seed": 7}])
def test_a_fork_trains_with_other_environments_or_another_seed(
    app: Application, parent: str, changes: dict[str, Any]
) -> None:
    fork_with_changes(app, parent, changes)


def test_an_off_policy_fork_inherits_its_parents_replay_buffer(app: Application) -> None:
    run_id, longer = start(app, algo="dqn", steps=600), start(app, algo="dqn", steps=1_000)
    ended(app, run_id)
    ended(app, longer)
    same = app.forks.fork(run_id, ForkRequest(snapshot="600", total_timesteps=1_000, start=True))
    slower = app.forks.fork(
        run_id, ForkRequest(snapshot="600", total_timesteps=1_000, start=True, hyperparameters={"learning_rate": 1e-5})
    )
    wider = app.forks.fork(
        run_id, ForkRequest(snapshot="600", total_timesteps=1_000, start=True, hyperparameters={"n_envs": 2})
    )
    assert ended(app, same.id).state is S.COMPLETED
    assert ended(app, slower.id).state is S.COMPLETED
    assert ended(app, wider.id).state is S.COMPLETED
    once = app.runs.config(run_id).model_copy(update={"hyperparameters": {"optimize_memory_usage": True}})
    told = {change.name: change for change in possible_changes(once)}
    assert told["n_envs"].effect is Effect.REFUSED
    assert "stores each observation once" in (told["n_envs"].why or "")
    assert told["n_steps"].effect is Effect.REFUSED
    several = app.runs.config(run_id).model_copy(update={"hyperparameters": {"n_steps": 3}})
    [note] = [change.note for change in possible_changes(several) if change.name == "n_envs"]
    assert "one-step returns" in (note or "")
    assert learned(folder_of(app, slower.id)) != learned(folder_of(app, same.id))


def test_a_fork_changes_environment_options_that_still_fit_the_networks(app: Application) -> None:
    run_id = start(app, env_id="FrozenLake-v1", steps=640)
    assert ended(app, run_id).state is S.COMPLETED
    child = app.forks.fork(
        run_id, ForkRequest(snapshot="640", total_timesteps=1_280, start=True, env_options={"is_slippery": False})
    )
    row = ended(app, child.id)
    assert (row.state, row.env_options["is_slippery"], row.cause) == (S.COMPLETED, False, None)
    assert row.parent is not None
    assert (row.parent["changed"], row.parent["environments_anew"]) == (["is_slippery"], True)
    assert row.episodes_before == [], "what is returned there means something else"
    assert row.ep_rew_mean == pytest.approx(logged_mean(folder_of(app, child.id)))
    told = {change.name: change for change in app.forks.changes(run_id).env_options}
    assert (told["is_slippery"].effect, told["map_name"].effect) == (Effect.ANEW, Effect.REFUSED)
    assert "different observations" in (told["map_name"].why or "")
    with pytest.raises(InvalidRequest, match="different observations"):
        app.forks.fork(run_id, ForkRequest(snapshot="640", env_options={"map_name": "8x8"}))
