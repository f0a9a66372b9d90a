"""Rules that fire at every row, contradict each other or are invalid."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rlviz.domain.events import EventKind, RuleFiredData
from rlviz.domain.rules import MAX_FIRINGS, MAX_RULES, NewBest, Notify, Rule, ScaleKnob
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.faults import Figures, times
from tests.support.raw_requests import assert_problem
from tests.support.resuming import logged
from tests.support.service_process import serving
from tests.support.training import events, kinds, make_run

pytestmark = pytest.mark.faults

STEPS = times(3_000, 200_000)


def trained(root: Path, name: str, rules: list[Rule]) -> RunFolder:
    folder = make_run(root, name, total_timesteps=STEPS, rules=rules)
    assert train_run(folder)
    assert kinds(folder)[-1] == "finished"
    return folder


def test_twenty_rules_that_match_every_row_fire_up_to_their_limit_and_leave_training_unchanged(
    tmp_path: Path, figures: Figures
) -> None:
    """The number of each episode is greater than the previous one."""
    at_most = min(MAX_FIRINGS, STEPS // 100)
    rules = [
        Rule(when=NewBest(metric="episode/index"), do=[Notify(message=f"Number {number}")], at_most=at_most)
        for number in range(MAX_RULES)
    ]
    without, beset = trained(tmp_path, "without", []), trained(tmp_path, "beset", rules)
    assert logged(beset) == logged(without)
    fired = [event.data for event in events(beset, EventKind.RULE_FIRED)]
    assert all(isinstance(one, RuleFiredData) for one in fired)
    count = Counter(one.rule for one in fired if isinstance(one, RuleFiredData))
    assert set(count.values()) == {at_most}
    assert len(count) == MAX_RULES
    assert [one.is_last for one in fired if isinstance(one, RuleFiredData)].count(True) == MAX_RULES
    figures.add("bytes in the journal per firing of a rule", beset.events_path.stat().st_size / len(fired), "bytes")


def test_the_first_of_twenty_rules_that_change_one_hyperparameter_at_every_row_wins(tmp_path: Path) -> None:
    rules = [
        Rule(when=NewBest(metric="episode/index"), do=[ScaleKnob(knob="learning_rate", factor=factor)], at_most=5)
        for factor in (0.99, *(1 + number / 100 for number in range(1, MAX_RULES)))
    ]
    folder = trained(tmp_path, "contradicting", rules)
    changed = [event.data for event in events(folder, EventKind.HYPERPARAMETER_CHANGED)]
    by_rule = Counter(getattr(one, "rule", None) for one in changed)
    assert set(by_rule) == {1}, "the others say that the first decides"
    said = [event.data for event in events(folder, EventKind.RULE_FIRED) if getattr(event.data, "rule", 1) > 1]
    assert all(isinstance(one, RuleFiredData) and "rule 1 also changes" in one.not_done[0] for one in said)


def test_impossible_rules_are_refused_each_at_its_field(tmp_path: Path) -> None:
    when = {"kind": "metric", "metric": "episode/reward", "side": "above", "value": 1.0}
    notify = {"kind": "notify"}
    refused = [
        ([{"when": {**when, "metric": "episode/joy"}, "do": [notify]}], "/rules/0/when/metric"),
        ([{"when": when, "do": [{"kind": "scale_knob", "knob": "joy", "factor": 2.0}]}], "/rules/0/do/0/knob"),
        ([{"when": when, "do": [notify]}, {"when": when, "do": [notify]}], "/rules/1"),
        ([{"when": when, "do": [{"kind": "pause"}, {"kind": "stop"}]}], "/rules/0"),
        ([{"when": {"kind": "error"}, "do": [notify]}], "/rules/0"),
        ([{"when": {**when, "value": "high"}, "do": [notify]}], "/rules/0/when/value"),
        ([{"when": when, "do": [notify], "at_most": MAX_FIRINGS + 1}], "/rules/0/at_most"),
        ([{"when": {**when, "value": number}, "do": [notify]} for number in range(MAX_RULES + 1)], "/rules"),
    ]
    with serving(tmp_path) as service:
        for rules, pointer in refused:
            answer = service.api("POST", "/runs", json={"algo": "ppo", "rules": rules})
            problem = assert_problem(answer, 422)
            assert any(one["pointer"].startswith(pointer) for one in problem["errors"]), problem
        assert service.get("/runs")["runs"] == []
        assert "Traceback" not in service.log
