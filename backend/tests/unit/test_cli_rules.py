"""Parsing of rules and hyperparameter changes on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from rlviz.cli.commands import storage
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.rule_text import parse_change, parse_rule, read_rules
from rlviz.domain import storage_rules
from rlviz.domain.rules import Action, Condition, Rule, StopTraining, metric_label
from tests.support.cases import cases

RETURN = metric_label("rollout/ep_rew_mean")
TYPED = {
    "rollout/ep_rew_mean >= 475 for 5 -> stop and notify": f"{RETURN} is at least 475 for 5 rows: stop and notify",
    "train/loss>1e3->stop without saving": "Loss is above 1000: stop without saving",
    "any not finite -> roll back, learning_rate *= 0.5, at most 3": (
        "any metric is not a number: roll back and halve the learning rate"
    ),
    "train/loss not finite -> roll back to best": "Loss is not a number: roll back to the best policy",
    "rollout/ep_rew_mean plateau 50000 -> ent_coef = 0.02, notify It is stuck": (
        f"{RETURN} has not improved for 50,000 steps: set the entropy coefficient to 0.02 and notify"
    ),
    "rollout/ep_rew_mean falls 30% -> pause": f"{RETURN} has fallen from its best by 30%: pause",
    "rollout/ep_rew_mean best -> snapshot, evaluate": (
        f"{RETURN} is better than ever: take a snapshot and evaluate the policy"
    ),
    "steps 7 -> stop without saving within 30 seconds": "7 steps are done: stop without saving",
    "seconds 90 -> stop": "1.5 minutes of training have passed: stop",
    "steps 5e4 -> notify": "50,000 steps are done: notify",
    "disk 1e9 -> pause": "the run takes 1 GB on disk: pause",
    "error -> roll back, at most 3": "training raises an error: roll back",
    '{"when": {"kind": "steps", "steps": 9}, "do": [{"kind": "stop", "grace_seconds": 5.0}]}': "9 steps are done: stop",
}


@cases(("text", "words"), TYPED.items())
def test_a_typed_rule_becomes_the_intended_rule(text: str, words: str) -> None:
    assert Rule.model_validate(parse_rule(text)).words == f"When {words}"


def test_every_condition_and_every_action_can_be_typed() -> None:
    rules = [Rule.model_validate(parse_rule(text)) for text in TYPED]
    assert {type(rule.when) for rule in rules} == set(get_args(get_args(Condition)[0]))
    assert {type(action) for rule in rules for action in rule.do} == set(get_args(get_args(Action)[0]))
    assert rules[2].at_most == 3


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [("stop", 0), ("stop within 30 seconds", 30), ("stop and notify within 2 minutes", 120), ("stop within 0.5s", 0.5)],
)
def test_a_typed_stop_can_include_a_grace_period(typed: str, seconds: float) -> None:
    [stop] = Rule.model_validate(parse_rule(f"steps 5 -> {typed}")).do
    assert isinstance(stop, StopTraining)
    assert stop.grace_seconds == seconds


@cases(
    ("text", "says"),
    [
        ("stop", "WHEN -> DO"),
        ("loss is high -> stop", "`rlviz rules add --help`"),
        ("steps 1.2.3 -> stop", "'1.2.3' is not a number"),
        ("steps 1e999 -> stop", "'1e999' is not a number"),
        ("seconds 1.2.3 -> stop", "'1.2.3' is not a number"),
        ("steps 5 -> fly", "'fly' is not an action of a rule"),
        ("steps 5 -> gamma = 1.2.3", "not an action of a rule"),
        ("{no json", "not valid JSON"),
    ],
)
def test_an_invalid_rule_is_refused_with_what_to_do(text: str, says: str) -> None:
    with pytest.raises(Failure) as caught:
        parse_rule(text)
    assert says in str(caught.value)
    assert caught.value.status is Exit.BAD_INPUT


def test_rules_of_a_file_come_before_typed_ones(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("rules:\n- when: {kind: steps, steps: 7}\n  do: [{kind: pause}]\n")
    assert [rule["when"]["steps"] for rule in read_rules(["steps 8 -> stop"], file)] == [7, 8]
    for content in ("rules: 3", "- 3", "{", "\x00"):
        file.write_text(content)
        with pytest.raises(Failure, match=r"rules\.yaml"):
            read_rules(None, file)
    with pytest.raises(Failure, match="cannot be read"):
        read_rules(None, tmp_path)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("learning_rate=1e-4", {"kind": "set_knob", "knob": "learning_rate", "value": 1e-4}),
        ("ent_coef *= .5", {"kind": "scale_knob", "knob": "ent_coef", "factor": 0.5}),
    ],
)
def test_a_change_sets_or_scales(text: str, change: dict[str, Any]) -> None:
    assert parse_change(text, "") == change


def test_storage_rules_can_be_given_for_everything_they_apply_to() -> None:
    assert set(storage.KeptKind) == set(get_args(storage_rules.KeepNewest.model_fields["kind"].annotation))
    assert set(storage.Removed) == set(get_args(storage_rules.Remove.model_fields["what"].annotation))
    kinds = get_args(get_args(storage_rules.StorageRule)[0])
    offered = {does.value.replace("-", "_") for does in storage.RuleKind}
    assert offered == {kind.model_fields["do"].annotation.__args__[0] for kind in kinds}
