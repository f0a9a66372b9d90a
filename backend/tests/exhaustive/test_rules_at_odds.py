"""Rules that fire within one rollout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind, RuleFiredData
from rlviz.domain.rules import Rule
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import events, kinds, make_run, messages, snapshots

BACK = {"kind": "roll_back"}


PAUSE = {"kind": "pause"}


STOP_AFTER_THE_UPDATE = {"kind": "stop", "grace_seconds": 600}


def at_episode(number: int, *do: dict[str, Any], **more: Any) -> Rule:
    when = {"kind": "metric", "metric": "episode/index", "side": "at_least", "value": number}
    return Rule.model_validate({"when": when, "do": do, **more})


def done(folder: RunFolder) -> dict[int, tuple[list[str], list[str]]]:
    """What each rule has done and has not when it fired first, by its number."""
    told: dict[int, tuple[list[str], list[str]]] = {}
    for event in events(folder, EventKind.RULE_FIRED):
        assert isinstance(event.data, RuleFiredData)
        told.setdefault(event.data.rule, (event.data.done, event.data.not_done))
    return told


def trained(root: Path, *rules: Rule, **changes: Any) -> RunFolder:
    plan = snapshots(every_steps=100, keep=100)
    folder = make_run(root, total_timesteps=700, snapshots=plan, rules=list(rules), **changes)
    assert train_run(folder)
    assert messages(folder) == []
    return folder


@pytest.mark.parametrize(
    ("first", "then", "end"),
    [
        (PAUSE, STOP_AFTER_THE_UPDATE, "paused"),
        (STOP_AFTER_THE_UPDATE, PAUSE, "finished"),
        (BACK, STOP_AFTER_THE_UPDATE, "rollback"),
        (PAUSE, BACK, "paused"),
        (BACK, PAUSE, "rollback"),
    ],
)
def test_of_rules_that_fire_within_one_rollout_the_first_decides_how_training_goes_on(
    tmp_path: Path, first: dict[str, Any], then: dict[str, Any], end: str
) -> None:
    folder = trained(tmp_path, at_episode(10, first, at_most=1), at_episode(11, then, at_most=1))
    assert end in kinds(folder)
    words = {"pause": "pause", "stop": "stop", "roll_back": "roll back"}
    told = done(folder)
    assert told[1] == ([words[first["kind"]]], [])
    assert told[2][0] == []
    assert "rule 1" in told[2][1][0]
