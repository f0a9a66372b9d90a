"""Hyperparameter changes and rules in a real trainer, with exact resumes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rlviz.domain.events import EventKind, HyperparameterChangedData, RuleFiredData
from rlviz.domain.rules import Author, ScaleKnob, SetKnob
from rlviz.learning.training.rules import RuleClock
from rlviz.learning.training.watched import train_run
from rlviz.rundir.changes import knob_changes
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from tests.real.test_steering import RATE, changed, rates, requesting, rule
from tests.support.resuming import cut, logged
from tests.support.training import events, make_run, snapshots

LENGTHS = {"sac": 2_600, "td3": 2_600, "q-learning": 6_000}
"""Of algorithms, or environments, with fewer rows."""


FIRED = (RuleFiredData, HyperparameterChangedData)


@pytest.mark.parametrize(
    ("algo", "knob", "name"),
    [
        ("ppo", "learning_rate", RATE),
        ("ppo", "clip_range", "train/clip_range"),
        ("a2c", "learning_rate", RATE),
        ("trpo", "learning_rate", RATE),
        ("dqn", "learning_rate", RATE),
        ("dqn", "exploration_rate", "rollout/exploration_rate"),
        ("qrdqn", "exploration_rate", "rollout/exploration_rate"),
        ("sac", "learning_rate", RATE),
        ("td3", "learning_rate", RATE),
        ("q-learning", "exploration_rate", "rollout/exploration_rate"),
    ],
)
def test_a_changed_hyperparameter_applies_from_the_next_rollout(
    tmp_path: Path, at: Callable[..., None], algo: str, knob: str, name: str
) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=LENGTHS.get(algo, 1_500))
    at(600, requesting(SetKnob(knob=knob, value=0.0125)))
    assert train_run(folder)
    [change] = events(folder, EventKind.HYPERPARAMETER_CHANGED)
    assert isinstance(change.data, HyperparameterChangedData)
    assert (change.data.after, change.data.by, change.data.request) == (0.0125, Author.PERSON, 1)
    before = [value for step, value in rates(folder, name) if step <= change.step]
    after = [value for step, value in rates(folder, name) if step > change.step]
    assert 0.0125 not in before
    assert set(after[1:]) == {0.0125}


def test_a_fixed_temperature_and_an_entropy_weight_can_be_set(tmp_path: Path, at: Callable[..., None]) -> None:
    for algo in ("sac", "ppo"):
        folder = make_run(tmp_path, algo=algo, total_timesteps=1_000, hyperparameters={"ent_coef": 0.2})
        at(400, requesting(SetKnob(knob="ent_coef", value=0.1)))
        assert train_run(folder)
        [change] = changed(folder)
        assert (change.before, change.after) == (pytest.approx(0.2), pytest.approx(0.1))


def test_a_value_that_is_set_ends_a_schedule_and_a_factor_scales_it(tmp_path: Path, at: Callable[..., None]) -> None:
    plan = {"learning_rate": 0.01, "learning_rate_schedule": "linear"}
    scaled, fixed = (make_run(tmp_path, name, total_timesteps=1_280, hyperparameters=plan) for name in ("a", "b"))
    at(500, requesting(ScaleKnob(knob="learning_rate", factor=0.5)))
    assert train_run(scaled)
    at(500, requesting(SetKnob(knob="learning_rate", value=0.002)))
    assert train_run(fixed)
    assert [one.replaced_schedule for one in changed(scaled) + changed(fixed)] == [False, True]
    halved = [value for step, value in rates(scaled) if step > 640]
    assert halved == sorted(halved, reverse=True)
    assert halved[0] == pytest.approx(0.5 * 0.01 * 0.5, rel=0.3)
    assert len(set(halved)) == len(halved)
    assert {value for step, value in rates(fixed) if step > 640} == {0.002}


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_an_exact_resume_repeats_changes_by_users_and_rules(tmp_path: Path, at: Callable[..., None], algo: str) -> None:
    half = {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5}
    halve = rule({"kind": "metric", "metric": "episode/index", "value": 25}, half)
    folder = make_run(
        tmp_path, algo=algo, total_timesteps=1_500, snapshots=snapshots(every_steps=200, keep=100), rules=[halve]
    )
    at(800, requesting(SetKnob(knob="learning_rate", value=0.003)))
    assert train_run(folder)
    assert {one.by for one in changed(folder)} == {Author.PERSON, Author.RULE}
    whole = events(folder, EventKind.HYPERPARAMETER_CHANGED)
    for taken in snapshots_of(folder):
        if taken.manifest.step in (0, 1_500):
            continue
        copy = RunFolder(tmp_path / taken.name, folder.run_id)
        resumed = cut(folder, taken, copy.path.parent)
        lines = folder.events_path.read_bytes().splitlines(keepends=True)
        resumed.events_path.write_bytes(b"".join(lines[:-1]))  # as if its worker had died just before the end
        resumed.write_control(Control(desired=Desired.RUN, attempt=2, resume_from=taken.name))
        assert train_run(resumed)
        assert logged(resumed) == logged(folder), taken.name
        again = events(resumed, EventKind.HYPERPARAMETER_CHANGED)
        assert [(one.step, one.data) for one in again[: len(whole)]] == [(one.step, one.data) for one in whole]


@pytest.mark.parametrize("seconds", [0.0, 100.0], ids=["slower", "faster"])
def test_an_exact_resume_repeats_a_time_based_rule_action_at_the_same_step(
    tmp_path: Path, at: Callable[..., None], monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """This holds whatever the clock says when training reaches that step again."""
    now = [0.0]
    monkeypatch.setattr(RuleClock, "seconds", property(lambda _: now[0]))
    halve = rule({"kind": "seconds", "seconds": 60}, {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5})
    folder = make_run(tmp_path, total_timesteps=1_500, snapshots=snapshots(every_steps=200, keep=100), rules=[halve])
    at(800, lambda _: now.__setitem__(0, 100.0))
    assert train_run(folder)
    told = [(one.step, one.data) for one in events(folder) if isinstance(one.data, FIRED)]
    assert len(told) == 2
    taken = next(one for one in snapshots_of(folder) if one.manifest.step > 400)
    resumed = cut(folder, taken, tmp_path / "resumed")
    resumed.metrics_path.write_bytes(folder.metrics_path.read_bytes())
    lines = folder.events_path.read_bytes().splitlines(keepends=True)
    resumed.events_path.write_bytes(b"".join(lines[:-1]))  # as if its worker had died just before the end
    now[0] = seconds
    assert train_run(resumed)
    assert events(resumed, EventKind.DIVERGED) == []
    assert logged(resumed) == logged(folder)
    assert [(one.step, one.data) for one in events(resumed) if isinstance(one.data, FIRED)] == told


def test_a_change_is_applied_and_logged_again_where_a_resumed_run_diverged_before_it(
    tmp_path: Path, at: Callable[..., None]
) -> None:
    """Otherwise a third attempt, which continues from the second, would not know of it."""
    folder = make_run(tmp_path / "run", total_timesteps=1_200, snapshots=snapshots(every_steps=200, keep=100))
    at(800, requesting(SetKnob(knob="learning_rate", value=0.003)))
    assert train_run(folder)
    [first] = events(folder, EventKind.HYPERPARAMETER_CHANGED)
    taken = next(one for one in snapshots_of(folder) if one.manifest.step > 200)
    resumed = cut(folder, taken, tmp_path / "resumed")
    lines = [json.loads(line) for line in folder.metrics_path.read_text().splitlines()]
    other = next(line for line in lines[taken.manifest.last_row :] if "episode/reward" in line["values"])
    other["values"]["episode/reward"] += 1
    resumed.metrics_path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    told = folder.events_path.read_bytes().splitlines(keepends=True)
    resumed.events_path.write_bytes(b"".join(told[:-1]))  # as if its worker had died just before the end
    assert train_run(resumed)
    [diverged] = events(resumed, EventKind.DIVERGED)
    assert diverged.step < first.step
    assert [one.step for one in events(resumed, EventKind.HYPERPARAMETER_CHANGED)] == [first.step, first.step]
    assert {value for step, value in rates(resumed) if step > first.step + 128} == {0.003}
    [held] = knob_changes(resumed).held
    assert (held.step, held.attempt, held.data) == (first.step, 2, first.data)
