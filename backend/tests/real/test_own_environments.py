"""Unusual custom environments, trained, evaluated, watched and resumed.

``tests/exhaustive`` tests the whole table. This module has the cases that need a separate process, and one of each
other kind.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

from rlviz.domain.environment import CustomEnvironment
from rlviz.learning.environments.probe import probe, rehearse, try_state
from tests.support import own_environments
from tests.support.forks import forked, parent_of
from tests.support.lives import live
from tests.support.own_environments import CASES, SOURCE
from tests.support.training import kinds

pytestmark = pytest.mark.filterwarnings("ignore")


def describe(name: str) -> CustomEnvironment:
    return try_state(rehearse(probe(f"{SOURCE}:{name}")))


@pytest.mark.parametrize(("name", "algo"), [("FromOne", "ppo"), ("Grows", "ppo"), ("MatrixOfActions", "td3")])
def test_a_user_environment_is_trained_evaluated_watched_and_resumed(tmp_path: Path, name: str, algo: str) -> None:
    life = live(describe(name), name, algo, tmp_path)
    assert (life.ending, life.cause, life.warnings) == ("finished", "", [])
    assert (life.evaluation, life.session, life.resumed) == (None, None, None)
    if name == "FromOne":  # actions from 1 to 3 earn 1, 2 and 5; from 0 to 2 they would earn 0, 1 and 2
        assert fmean(life.returns) > 60


@pytest.mark.parametrize(("name", "algo"), [("NanLater", "ppo"), ("NanLater", "dqn"), ("NanSeen", "a2c")])
def test_non_finite_numbers_are_attributed_to_the_environment(tmp_path: Path, name: str, algo: str) -> None:
    life = live(describe(name), name, algo, tmp_path)
    told = CASES[getattr(own_environments, name)].told
    assert told is not None
    first = life.warnings[0]
    assert first.startswith("At step ")
    assert "after action " in first
    assert told in first
    assert not [warning for warning in life.warnings if "learning rate" in warning]
    if life.ending == "error":
        assert life.cause.startswith("At step ")
        assert told in life.cause


def test_training_ended_by_its_environment_fails_with_the_cause(tmp_path: Path) -> None:
    life = live(describe("ExitsLater"), "ExitsLater", "ppo", tmp_path)
    assert life.ending == "error"
    assert "step() called sys.exit(4), after action" in life.cause


def test_a_fork_trains_though_the_environment_is_not_configured(tmp_path: Path) -> None:
    """The configuration of the run names its class."""
    small = {"n_envs": 1, "n_steps": 64, "batch_size": 64, "n_epochs": 1}
    custom = describe("Plain")
    parent = parent_of(tmp_path, "ppo", env_id="Plain", custom_environment=custom, hyperparameters=small)
    child = forked(parent)
    assert child.read_config().custom_environment == custom
    assert kinds(child)[-1] == "finished"
