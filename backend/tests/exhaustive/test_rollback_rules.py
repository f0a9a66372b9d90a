"""Rules that roll back when training diverges or the environment fails."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.events import EventKind
from rlviz.domain.spaces import Space
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import superseded_rows
from tests.real.test_rollback import poisoned, rule
from tests.support.resuming import WALL_CLOCK
from tests.support.stubborn import Breaking
from tests.support.training import events, kinds, make_run, messages, rows, snapshots


def counted(folder: RunFolder) -> list[Any]:
    """Return the rows that count for the run, without values that depend on the clock."""
    left_out = superseded_rows(folder)
    found = (
        (row["step"], {name: value for name, value in row["values"].items() if name not in WALL_CLOCK})
        for row in rows(folder)
        if row["seq"] not in left_out
    )
    return [(step, values) for step, values in found if values]


HALVE = {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5}


@pytest.mark.parametrize(("algo", "metric"), [("ppo", "train/loss"), ("dqn", None)])
def test_a_rule_rolls_back_when_weights_are_not_finite_and_halves_the_rate_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algo: str, metric: str | None
) -> None:
    back = rule({"kind": "not_finite", "metric": metric}, {"kind": "roll_back"}, HALVE, at_most=3)
    folder = make_run(
        tmp_path, algo=algo, total_timesteps=700, snapshots=snapshots(every_steps=100, keep=100), rules=[back]
    )
    poisoned(monkeypatch, 450, 2)
    assert train_run(folder)
    assert kinds(folder)[-1] == "finished"
    rollbacks = [event.data for event in events(folder, EventKind.ROLLBACK)]
    assert [(one.rule, one.count) for one in rollbacks] == [(1, 1), (1, 2)]  # type: ignore[union-attr]
    first, second = (event.step for event in events(folder, EventKind.ROLLBACK))
    assert second < first, "one snapshot further back"
    changed = [event.data for event in events(folder, EventKind.HYPERPARAMETER_CHANGED)]
    assert [one.after / changed[0].before for one in changed] == [0.5, 0.25]  # type: ignore[union-attr]
    values = [value for row in counted(folder) for value in row[1].values()]
    assert None not in values
    assert all(map(math.isfinite, values))


BREAKING = CustomEnvironment(
    entry_point=f"{Breaking.__module__}:{Breaking.__name__}",
    summary="",
    observation_space=Space("Box", shape=(2,)),
    action_space=Space("Discrete", n=2),
    reward_threshold=None,
    max_episode_steps=30,
    render_fps=10,
    state_kept_by=StateKept.ATTRIBUTES,
).model_dump()


@pytest.mark.parametrize(("at_most", "ending"), [(3, "finished"), (1, "error")])
def test_a_rule_rolls_back_on_environment_errors_up_to_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_most: int, ending: str
) -> None:
    monkeypatch.setattr(Breaking, "steps", 0)
    monkeypatch.setattr(Breaking, "breaks_at", (300, 500))
    back = rule({"kind": "error"}, {"kind": "roll_back"}, at_most=at_most)
    folder = make_run(
        tmp_path,
        env_id="Breaking",
        custom_environment=BREAKING,
        total_timesteps=512,
        snapshots=snapshots(every_steps=100, keep=100),
        rules=[back],
    )
    assert train_run(folder) is (ending == "finished")
    assert kinds(folder)[-1] == ending
    assert kinds(folder).count("rollback") == min(at_most, 2)
    assert "is rolled back. The simulator has lost its connection." in messages(folder)[0]
