"""Hyperparameter changes and rules in a real trainer. The exhaustive tests cover every algorithm and exact resumes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rlviz.domain.events import EventKind, HyperparameterChangedData, RuleFiredData
from rlviz.domain.rules import KnobRequest, Rule, RulesDocument, ScaleKnob, SetKnob
from rlviz.learning.training.callback import RunCallback
from rlviz.learning.training.trainer import Trainer
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from tests.support.training import events, kinds, make_run, rows, snapshots

RATE = "train/learning_rate"


def rule(when: dict[str, Any], *do: dict[str, Any], **more: Any) -> Rule:
    return Rule.model_validate({"when": when, "do": do, **more})


def requesting(*changes: SetKnob | ScaleKnob) -> Callable[[RunCallback], None]:
    def request(callback: RunCallback) -> None:
        assert callback.steering is not None
        callback.steering.request(KnobRequest(number=number, change=one) for number, one in enumerate(changes, start=1))

    return request


def rates(folder: RunFolder, name: str = RATE) -> list[tuple[int, float]]:
    return [(row["step"], row["values"][name]) for row in rows(folder) if name in row["values"]]


def changed(folder: RunFolder) -> list[HyperparameterChangedData]:
    return [event.data for event in events(folder, EventKind.HYPERPARAMETER_CHANGED)]  # type: ignore[misc]


def fired(folder: RunFolder) -> list[RuleFiredData]:
    return [event.data for event in events(folder, EventKind.RULE_FIRED)]  # type: ignore[misc]


def test_a_hyperparameter_set_before_training_applies_from_the_first_rollout(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=256)
    folder.change_control(knob_requests=(KnobRequest(number=1, change=SetKnob(knob="learning_rate", value=0.0125)),))
    Trainer(folder).run()  # without a watcher, it receives no requests while it trains
    [change] = events(folder, EventKind.HYPERPARAMETER_CHANGED)
    assert change.step == 0
    assert {value for _, value in rates(folder)} == {0.0125}


def test_a_hyperparameter_stays_within_its_bounds_and_reports_it(tmp_path: Path, at: Callable[..., None]) -> None:
    folder = make_run(tmp_path, total_timesteps=512)
    at(200, requesting(ScaleKnob(knob="clip_range", factor=100)))
    assert train_run(folder)
    [change] = changed(folder)
    assert (change.after, change.limited) == (1.0, True)


def test_a_rule_ends_training_and_the_policy_is_saved(tmp_path: Path) -> None:
    end = rule({"kind": "metric", "metric": "episode/index", "side": "at_least", "value": 5}, {"kind": "stop"})
    folder = make_run(tmp_path, total_timesteps=5_000, rules=[end])
    assert train_run(folder)
    [finished] = events(folder, EventKind.FINISHED)
    assert finished.data.ended_early == "When Episodes is at least 5: stop."  # type: ignore[union-attr]
    assert finished.step < 1_000
    assert folder.model_path.is_file()
    assert [one.done for one in fired(folder)] == [["stop"]]


def test_a_rule_that_aborts_saves_nothing_further(tmp_path: Path) -> None:
    end = rule({"kind": "steps", "steps": 300}, {"kind": "stop", "then": "abort"})
    folder = make_run(tmp_path, total_timesteps=5_000, rules=[end])
    assert train_run(folder)
    [stopped] = events(folder, EventKind.STOPPED)
    assert stopped.data.path is None  # type: ignore[union-attr]
    assert stopped.data.ended_early is not None  # type: ignore[union-attr]
    assert not folder.model_path.exists()


def test_a_stop_waits_for_the_update_within_its_grace_period(tmp_path: Path) -> None:
    end = rule(
        {"kind": "metric", "metric": "episode/index", "side": "at_least", "value": 2},
        {"kind": "stop", "grace_seconds": 600},
    )
    folder = make_run(tmp_path, total_timesteps=5_000, rules=[end])
    assert train_run(folder)
    [finished] = events(folder, EventKind.FINISHED)
    rollout, envs = 128, 2
    assert finished.step % rollout == envs  # one step beyond the rollout's end


def test_a_time_limit_ends_a_rollout_in_progress(tmp_path: Path) -> None:
    end = rule({"kind": "seconds", "seconds": 1.0}, {"kind": "stop"})
    long = {"n_steps": 60_000}
    folder = make_run(tmp_path, total_timesteps=10_000_000, hyperparameters=long, rules=[end])
    assert train_run(folder)
    [finished] = events(folder, EventKind.FINISHED)
    assert finished.step < 10_000_000


def test_a_rule_pauses_takes_snapshots_and_notifies(tmp_path: Path) -> None:
    rules = [
        rule({"kind": "steps", "steps": 200}, {"kind": "snapshot"}, {"kind": "notify", "message": "So far so good"}),
        rule({"kind": "steps", "steps": 400}, {"kind": "pause"}),
    ]
    folder = make_run(tmp_path, total_timesteps=5_000, snapshots=snapshots(), rules=rules)
    assert train_run(folder)
    assert kinds(folder)[-1] == "paused"
    assert [one.notify for one in fired(folder)] == ["So far so good", None]
    assert [taken.manifest.trigger for taken in snapshots_of(folder)] == ["rule", "paused"]
    held = snapshots_of(folder)[-1].name
    folder.change_control(desired=Desired.RUN, attempt=2, resume_from=held, total_timesteps=1_000)
    assert train_run(folder)  # it does not pause there again
    assert kinds(folder)[-1] == "finished"


def test_rules_changed_during_training_apply_immediately(tmp_path: Path, at: Callable[..., None]) -> None:
    end = rule({"kind": "metric", "metric": "episode/index", "side": "above", "value": 0}, {"kind": "stop"})
    folder = make_run(tmp_path, total_timesteps=5_000)

    def change(callback: RunCallback) -> None:
        folder.write_rules(RulesDocument(rules=(end,)))
        assert callback.steering is not None
        callback.steering.replace_rules((end,))

    at(500, change)
    assert train_run(folder)
    [finished] = events(folder, EventKind.FINISHED)
    assert 500 < finished.step < 2_000
    assert "rules_changed" in kinds(folder)


def test_unreadable_rules_raise_a_warning_and_training_continues(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=512)
    folder.rules_path.write_text("{")
    assert train_run(folder)
    [warning] = events(folder, EventKind.WARNING)
    assert "the rules of the configuration apply" in warning.data.message  # type: ignore[union-attr]
