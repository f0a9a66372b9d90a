"""A fork of a run whose hyperparameters were changed during training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stable_baselines3 import PPO

from rlviz.domain.events import EventKind, HyperparameterChangedData
from rlviz.domain.rules import Author, KnobRequest, ScaleKnob, SetKnob
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from rlviz.server.metrics.comparison import ComparisonRequest
from rlviz.server.runs.models import SettingChange
from tests.support.forks import forked, parent_of, scale, turn
from tests.support.service import catalogued
from tests.support.training import column, curves, events


def changed(folder: RunFolder) -> list[HyperparameterChangedData]:
    return [event.data for event in events(folder, EventKind.HYPERPARAMETER_CHANGED)]  # type: ignore[misc]


def family_changes(app: Application, folder: RunFolder) -> Sequence[SettingChange]:
    return next(one.changes for one in app.family.find_family(folder.run_id).members if one.run_id == folder.run_id)


@pytest.mark.parametrize(
    ("algo", "change", "wish", "metric", "expected"),
    [
        ("ppo", turn("learning_rate", 1e-3), {"learning_rate": 5e-4}, "train/learning_rate", 5e-4),
        ("ppo", scale("learning_rate", 0.5), {"learning_rate": 5e-4}, "train/learning_rate", 5e-4),
        ("ppo", turn("clip_range", 0.3), {"clip_range": 0.1}, "train/clip_range", 0.1),
        ("ppo", turn("ent_coef", 0.02), {"ent_coef": 0.05}, None, 0.05),
        ("dqn", turn("learning_rate", 1e-3), {"learning_rate": 5e-4}, "train/learning_rate", 5e-4),
        ("sac", turn("ent_coef", 0.3), {"ent_coef": 0.1}, "train/ent_coef", 0.1),
        (
            "dqn",
            turn("exploration_rate", 0.5),
            {"exploration_initial_eps": 0.125, "exploration_final_eps": 0.125},
            "rollout/exploration_rate",
            0.125,
        ),
    ],
)
def test_a_change_in_a_fork_replaces_the_change_made_in_its_parent(
    tmp_path: Path, algo: str, change: SetKnob | ScaleKnob, wish: dict[str, Any], metric: str | None, expected: float
) -> None:
    fixed = {"hyperparameters": {"ent_coef": 0.2}} if algo == "sac" else {}
    parent = parent_of(tmp_path, algo, change, **fixed)
    child = forked(parent, hyperparameters=wish)
    values = column(child, metric) if metric else [PPO.load(child.model_path).ent_coef]
    assert values
    assert all(value == pytest.approx(expected, rel=1e-6) for value in values)
    assert changed(child) == [], "nothing of the parent's goes on"
    born = child.read_config().parent
    assert born is not None
    assert born.changed == sorted(wish)


def test_a_resume_does_not_halve_a_halved_temperature_again(tmp_path: Path) -> None:
    folder = parent_of(tmp_path, "sac", scale("ent_coef", 0.5), hyperparameters={"ent_coef": 0.2})
    folder.change_control(attempt=2, resume_from="512", total_timesteps=768)
    assert train_run(folder)
    values = column(folder, "train/ent_coef")
    assert values == [pytest.approx(0.1, rel=1e-6)] * len(values)


def test_a_fork_inherits_active_changes_and_reports_them_everywhere(tmp_path: Path) -> None:
    configured = 3e-4
    parent = parent_of(
        tmp_path,
        "ppo",
        scale("learning_rate", 0.5),
        turn("clip_range", 0.1),
        hyperparameters={"learning_rate": configured, "gamma": 0.99},
    )
    child = forked(parent, hyperparameters={"gamma": 0.9})
    assert set(column(child, "train/learning_rate")) == {configured / 2}
    assert set(column(child, "train/clip_range")) == {0.1}
    told = {one.name: one for one in changed(child)}
    assert {name: (one.by, one.after) for name, one in told.items()} == {
        "learning_rate": (Author.PARENT, configured / 2),
        "clip_range": (Author.PARENT, 0.1),
    }
    with catalogued(tmp_path) as app:
        knobs = {one.knob.name: one for one in app.rules.knobs(child.run_id)}
        assert knobs["learning_rate"].changed == told["learning_rate"]
        family = {one.name: (one.before, one.after, one.in_parent) for one in family_changes(app, child)}
        assert family["gamma"] == (0.99, 0.9, False)
        assert family["learning_rate"] == (configured, configured / 2, True)
        compared = app.comparison.compare(ComparisonRequest([parent.run_id, child.run_id], None, 20, [], 100, "step"))
        assert "/while_training/learning_rate" not in {one.path for one in compared.differences}, "both came to it"
        offered = app.forks.changes(child.run_id, snapshot="768").in_force
        assert (offered["learning_rate"], offered["clip_range"]) == (configured / 2, 0.1)


def test_an_unchanged_fork_continues_exactly_as_its_parent(tmp_path: Path) -> None:
    """This includes a scaled schedule, to the last bit."""
    linear = {"learning_rate_schedule": "linear"}
    parent = parent_of(tmp_path, "ppo", scale("learning_rate", 0.7), hyperparameters=linear)
    child = forked(parent, hyperparameters=linear)
    parent.change_control(attempt=2, resume_from="512", total_timesteps=768)
    assert train_run(parent)
    expected = [row for row in curves(parent) if row[0] > 512]
    assert expected
    assert curves(child) == expected


def test_setting_the_configured_value_counts_as_a_change_while_another_value_is_active(tmp_path: Path) -> None:
    parent = parent_of(tmp_path, "ppo", turn("learning_rate", 1e-3), hyperparameters={"learning_rate": 2e-4})
    same = forked(parent, hyperparameters={"learning_rate": 1e-3})
    back = forked(parent, hyperparameters={"learning_rate": 2e-4})
    shaped = forked(parent, hyperparameters={"learning_rate_schedule": "linear"})
    assert set(column(same, "train/learning_rate")) == {1e-3}
    assert set(column(back, "train/learning_rate")) == {2e-4}
    assert max(column(shaped, "train/learning_rate"), key=float) == pytest.approx(1e-3 * (1 - 640 / 768), rel=0.01)
    parents = [folder.read_config().parent for folder in (same, back, shaped)]
    assert [one.changed for one in parents if one] == [[], ["learning_rate"], ["learning_rate_schedule"]]
    with catalogued(tmp_path) as app:
        [change] = [one for one in family_changes(app, back) if one.name == "learning_rate"]
        assert (change.before, change.after) == (1e-3, 2e-4)
        compared = app.comparison.compare(ComparisonRequest([parent.run_id, back.run_id], None, 20, [], 100, "step"))
        [difference] = [one for one in compared.differences if one.path == "/while_training/learning_rate"]
        assert difference.values == {parent.run_id: 1e-3, back.run_id: 2e-4}


def test_a_fork_from_before_a_change_does_not_inherit_it(tmp_path: Path) -> None:
    parent = parent_of(tmp_path, "ppo")
    slower = KnobRequest(number=1, change=turn("learning_rate", 1e-4))
    parent.write_control(
        Control(desired=Desired.RUN, attempt=2, resume_from="512", total_timesteps=1_024, knob_requests=(slower,))
    )
    assert train_run(parent)
    with catalogued(tmp_path) as app:
        in_force = {
            (snapshot, step): app.forks.changes(parent.run_id, snapshot, step).in_force.get("learning_rate")
            for snapshot, step in (("512", None), ("1024", None), (None, 500), (None, 700))
        }
    assert in_force == {("512", None): None, ("1024", None): 1e-4, (None, 500): None, (None, 700): 1e-4}


def test_a_fork_rolled_back_to_its_start_reports_its_inherited_changes_again(tmp_path: Path) -> None:
    parent = parent_of(tmp_path, "ppo", turn("learning_rate", 1e-3))
    child = forked(parent)
    wish = KnobRequest(number=1, change=turn("learning_rate", 1e-5))
    child.write_control(Control(desired=Desired.RUN, attempt=2, resume_from="512", rollback=True, total_timesteps=768))
    assert train_run(child)
    assert [(one.by, one.after) for one in changed(child)] == [(Author.PARENT, 1e-3)] * 2
    with catalogued(tmp_path) as app:
        [rate] = [one for one in app.rules.knobs(child.run_id) if one.knob.name == "learning_rate"]
    assert rate.changed is not None
    assert rate.changed.after == 1e-3
    child.change_control(attempt=3, resume_from="768", rollback=False, total_timesteps=1_024, knob_requests=(wish,))
    assert train_run(child)
    assert set(column(child, "train/learning_rate")) == {1e-3, 1e-5}
