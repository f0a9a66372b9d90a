"""A fork with another optimizer, entropy coefficient or action noise than its parent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from stable_baselines3 import A2C, SAC, TD3

from rlviz.domain.errors import InvalidRequest
from rlviz.domain.events import EventKind
from rlviz.domain.rules import Rule, RulesDocument, SetKnob
from rlviz.learning.training.snapshot.verify import verify_snapshot
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.snapshots.forking import ForkRequest, possible_changes
from rlviz.server.snapshots.models import Effect
from tests.support.forks import forked, parent_of, turn
from tests.support.service import catalogued
from tests.support.training import column, curves, events, kinds, make_run

NUMBER = {"ent_coef": 0.2}


@pytest.mark.parametrize("where", [{"snapshot": "512"}, {"snapshot": None, "step": 400}], ids=["snapshot", "step"])
def test_a_tuned_entropy_coefficient_becomes_a_fixed_number(tmp_path: Path, where: dict[str, Any]) -> None:
    child = forked(parent_of(tmp_path, "sac"), hyperparameters=NUMBER, **where)
    assert kinds(child)[-1] == "finished"
    values = column(child, "train/ent_coef")
    assert values == [pytest.approx(0.2, rel=1e-6)] * len(values) != []
    assert len(column(child, "train/ent_coef_loss")) <= 1, "but for what waited to be logged, nothing tunes it"
    with catalogued(tmp_path) as app:
        assert "ent_coef" in {one.knob.name for one in app.rules.knobs(child.run_id)}
    assert verify_snapshot(child, snapshots_of(child)[-1].name).identical


@pytest.mark.parametrize(
    ("configured", "changes", "begins"),
    [(0.2, (), 0.2), (0.2, (turn("ent_coef", 0.05),), 0.05), (0.0, (), 1.0)],
    ids=["as configured", "as it was changed", "from nothing"],
)
def test_a_fixed_entropy_coefficient_becomes_tuned_from_its_value(
    tmp_path: Path, configured: float, changes: tuple[SetKnob, ...], begins: float
) -> None:
    parent = parent_of(tmp_path, "sac", *changes, hyperparameters={"ent_coef": configured})
    child = forked(parent, hyperparameters={"ent_coef": None})
    values = column(child, "train/ent_coef")
    assert values[0] == pytest.approx(begins, rel=0.05)
    assert column(child, "train/ent_coef_loss"), "it is tuned"
    trained = SAC.load(child.model_path, device="cpu")
    assert float(trained.log_ent_coef.detach().exp()) != pytest.approx(begins, rel=0.005)
    assert verify_snapshot(child, snapshots_of(child)[-1].name).identical


def test_a_fork_with_reset_parts_resumes_exactly_from_its_own_snapshots(tmp_path: Path) -> None:
    parent = parent_of(tmp_path, "sac", hyperparameters=NUMBER)
    child = forked(parent, hyperparameters={"ent_coef": None}, total_timesteps=1_536)
    beyond = [row for row in curves(child) if row[0] > 1_024]
    child.change_control(attempt=2, resume_from="1024")
    assert train_run(child)
    resumed = events(child, EventKind.RESUMED)[-1]
    assert resumed.data.verified >= len(beyond) > 0  # type: ignore[union-attr]
    assert events(child, EventKind.DIVERGED) == []


@pytest.mark.parametrize("was", [True, False])
def test_rmsprop_and_adam_replace_each_other_without_moments(tmp_path: Path, *, was: bool) -> None:
    parent = parent_of(tmp_path, "a2c", hyperparameters={"use_rms_prop": was})
    child = forked(parent, hyperparameters={"use_rms_prop": not was}, snapshot="520")
    assert kinds(child)[-1] == "finished"
    optimizer = A2C.load(child.model_path).policy.optimizer
    assert type(optimizer) is (torch.optim.Adam if was else torch.optim.RMSprop)
    updates = {int(one["step"]) for one in optimizer.state_dict()["state"].values()}
    assert updates == {25}, "of 248 steps in rollouts of ten, and none of the parent's"
    assert verify_snapshot(child, snapshots_of(child)[-1].name).identical


def test_rmsprop_continues_with_another_epsilon(tmp_path: Path) -> None:
    child = forked(parent_of(tmp_path, "a2c"), hyperparameters={"rms_prop_eps": 1e-3}, snapshot="520")
    assert A2C.load(child.model_path).policy.optimizer.param_groups[0]["eps"] == 1e-3


@pytest.mark.parametrize(
    ("before", "after", "deviation"),
    [
        ({}, {"action_noise_std": 0.4}, 0.4),
        ({}, {"action_noise": "ornstein-uhlenbeck"}, 0.1),
        ({"action_noise": "ornstein-uhlenbeck", "n_envs": 2}, {"action_noise_std": 0.4}, 0.4),
        ({"action_noise": "ornstein-uhlenbeck"}, {"action_noise": "none"}, None),
        ({"action_noise": "none"}, {"action_noise": "normal"}, 0.1),
    ],
)
def test_changed_action_noise_starts_with_the_fork(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], deviation: float | None
) -> None:
    child = forked(parent_of(tmp_path, "td3", hyperparameters=before), hyperparameters=after)
    assert kinds(child)[-1] == "finished"
    noise: Any = TD3.load(child.model_path).action_noise
    noise = getattr(noise, "base_noise", noise)
    assert (None if noise is None else float(noise._sigma[0])) == deviation
    assert verify_snapshot(child, snapshots_of(child)[-1].name).identical


def test_the_form_shows_the_consequences_of_a_change(tmp_path: Path) -> None:
    def told(algo: str, **hyperparameters: Any) -> dict[str, Any]:
        config = make_run(tmp_path, f"{algo}-{len(hyperparameters)}", algo=algo, hyperparameters=hyperparameters)
        return {one.name: one for one in possible_changes(config.read_config())}

    tuned, fixed, a2c, td3 = told("sac"), told("sac", **NUMBER), told("a2c"), told("td3")
    assert tuned["ent_coef"].effect is fixed["ent_coef"].effect is Effect.FITS
    assert "left behind" in (tuned["ent_coef"].note or "")
    assert "starts from the value at the start of the fork" in (fixed["ent_coef"].note or "")
    assert (a2c["use_rms_prop"].effect, a2c["ent_coef"].note) == (Effect.FITS, None)
    assert "without moments" in (a2c["use_rms_prop"].note or "")
    assert (td3["action_noise"].effect, td3["action_noise_std"].note) == (Effect.FITS, "The noise process restarts.")
    assert tuned["log_std_init"].effect is Effect.REFUSED
    assert "only at the start" in (tuned["log_std_init"].why or "")


def test_a_number_adjusted_by_a_rule_cannot_be_tuned_automatically(tmp_path: Path) -> None:
    halve = Rule.model_validate(
        {
            "when": {"kind": "steps", "steps": 600},
            "do": [{"kind": "scale_knob", "knob": "ent_coef", "factor": 0.5}],
        }
    )
    parent = parent_of(tmp_path, "sac", hyperparameters=NUMBER, rules=(halve,))
    with catalogued(tmp_path) as app:
        with pytest.raises(InvalidRequest, match="Rule 1 says") as caught:
            app.forks.fork(parent.run_id, ForkRequest(snapshot="512", hyperparameters={"ent_coef": None}))
        assert [field.pointer for field in caught.value.fields] == ["/hyperparameters/ent_coef"]
        app.rules.change(parent.run_id, ())
        child = app.forks.fork(parent.run_id, ForkRequest(snapshot="512", hyperparameters={"ent_coef": None}))
        assert app.rules.rules(child.id) == ()


def test_a_fork_inherits_rules_added_to_its_parent_after_the_parent_started(tmp_path: Path) -> None:
    later = Rule.model_validate({"when": {"kind": "steps", "steps": 600}, "do": [{"kind": "stop", "then": "save"}]})
    parent = parent_of(tmp_path, "ppo")
    parent.write_rules(RulesDocument(number=1, rules=(later,)))
    child = forked(parent, total_timesteps=2_048)
    assert child.read_config().rules == (later,)
    assert 512 < max(step for step, _ in curves(child)) < 1_024, "its rule has ended it"


def test_the_saved_policy_is_a_plain_stable_baselines3_policy(tmp_path: Path) -> None:
    child = forked(parent_of(tmp_path, "sac"), hyperparameters=NUMBER)
    assert float(SAC.load(child.model_path).ent_coef) == 0.2
