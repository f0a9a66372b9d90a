"""The rule engine: which rules fire, when, and what they decide."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from rlviz.domain.metrics import MetricRecord
from rlviz.domain.rules import Rule
from rlviz.learning.training.rules import Engine, dry_run

NAN = math.nan
NOTIFY = {"kind": "notify"}
PLATEAU = {"kind": "plateau", "metric": "m", "steps": 30}
FALL = {"kind": "fall", "metric": "m", "share": 0.5}


def rule(when: dict[str, Any], *do: dict[str, Any], **more: Any) -> Rule:
    return Rule.model_validate({"when": when, "do": do or [NOTIFY], **more})


def fired(rule_: Rule, values: list[float]) -> list[int]:
    """Return the indices in ``values`` at which the rule fires; rows are ten steps apart."""
    engine = Engine([rule_])
    return [index for index, value in enumerate(values) if engine.observe_row(10 * index, {"m": value})]


def metric(value: float, side: str = "above", rows: int = 1) -> dict[str, Any]:
    return {"kind": "metric", "metric": "m", "side": side, "value": value, "rows": rows}


@pytest.mark.parametrize(
    ("when", "values", "places"),
    [
        pytest.param(metric(5), [1, 5, 6], [2], id="above a number, and not at it"),
        pytest.param(metric(5, "at_least"), [1, 5, 6], [1], id="at least a number"),
        pytest.param(metric(5, "below"), [6, 5, 4], [2], id="below a number"),
        pytest.param(metric(5, "at_most"), [6, 5, 4], [1], id="at most a number"),
        pytest.param(metric(5, rows=3), [6, 6, 1, 6, 6, 6], [5], id="only when so many rows in a row are"),
        pytest.param(metric(5), [6, 6, 6], [0], id="once as long as it stays so"),
        pytest.param(metric(5), [6, 1, 6], [0, 2], id="again after it was not so"),
        pytest.param(metric(5, rows=2), [6, 6, 1, 6, 6, 1, 1, 6, 6], [1, 8], id="again after as many rows"),
        pytest.param(metric(5, "below"), [NAN, NAN], [], id="not for what is no number"),
        pytest.param(metric(5, rows=2), [6, NAN, 6], [], id="not across what is no number"),
        pytest.param({"kind": "not_finite", "metric": "m"}, [1, NAN, NAN, 1, math.inf], [1, 4], id="not a number"),
        pytest.param({"kind": "not_finite", "metric": "other"}, [1, NAN], [], id="another metric that is a number"),
        pytest.param({"kind": "not_finite"}, [1, NAN], [1], id="any metric that is not a number"),
        pytest.param(PLATEAU, [1, 2, 2, 1, 2, 2, 3], [4], id="no better for long"),
        pytest.param(
            PLATEAU,
            [0, 1, 1, 1, 1, 2, 2, 2, 2],
            [4, 8],
            id="again, once it rose",
        ),
        pytest.param(PLATEAU, [1, 2, 3, 4, 5, 6], [], id="always a little better"),
        pytest.param(
            {**PLATEAU, "by": 1},
            [1, 1.5, 1.8, 2, 1.9],
            [3],
            id="better by too little",
        ),
        pytest.param({**PLATEAU, "steps": 20, "better": "lower"}, [9, 5, 6, 6], [3], id="of a loss"),
        pytest.param(FALL, [10, 100, 60, 49, 40], [3], id="a fall by half"),
        pytest.param(FALL, [10, 100, 49, 80, 40], [2, 4], id="and another one"),
        pytest.param(FALL, [-1000, -200, -300, -500, -700], [4], id="of what was gained"),
        pytest.param(FALL, [20, 22, 21, 19], [], id="not in the first noise"),
        pytest.param({"kind": "new_best", "metric": "m"}, [5, 4, 6, 7, 7, 3], [2, 3], id="each time it is the best"),
        pytest.param(
            {"kind": "new_best", "metric": "m", "better": "lower"},
            [5, 6, 4, NAN, 3],
            [2, 4],
            id="the lowest is the best",
        ),
    ],
)
def test_a_rule_fires_at_the_expected_rows(when: dict[str, Any], values: list[float], places: list[int]) -> None:
    assert fired(rule(when), values) == places


@pytest.mark.parametrize(
    ("when", "readings", "places"),
    [
        ({"kind": "seconds", "seconds": 60}, [(0, 59, None), (0, 60, None), (0, 99, None)], [1]),
        ({"kind": "steps", "steps": 100}, [(99, 0, None), (128, 0, None), (256, 0, None)], [1]),
        ({"kind": "disk", "bytes": 10**6}, [(0, 0, None), (0, 0, 10**6), (0, 0, 2 * 10**6)], [1]),
        (
            {"kind": "disk", "bytes": 10**6},
            [(0, 0, 10**6), (0, 0, 950_000), (0, 0, 10**6), (0, 0, 1), (0, 0, 10**7)],
            [0, 4],
        ),
    ],
)
def test_a_limit_fires_once_when_it_is_exceeded(when: dict[str, Any], readings: list[Any], places: list[int]) -> None:
    engine = Engine([rule(when)])
    assert [index for index, reading in enumerate(readings) if engine.observe_clock(*reading)] == places


def test_a_rule_that_matches_every_row_fires_up_to_its_limit() -> None:
    draw = random.Random(7)
    for at_most in (1, 3, 10):
        engine = Engine([rule(metric(0.5), at_most=at_most), rule({"kind": "not_finite"}, at_most=at_most)])
        rows = [engine.observe_row(step, {"m": draw.choice([0.0, 1.0, NAN])}) for step in range(2_000)]
        for number in (1, 2):
            assert sum(firing.number == number for found in rows for firing in found) == at_most


def test_the_last_firing_is_marked() -> None:
    engine = Engine([rule(metric(5), at_most=2)])
    [first], _, [second] = (engine.observe_row(step, {"m": value}) for step, value in enumerate([6, 1, 6]))
    assert [first.is_last, second.is_last] == [False, True]


def test_the_first_of_two_contradicting_rules_at_a_row_wins() -> None:
    halve = {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5}
    double = {"kind": "set_knob", "knob": "learning_rate", "value": 1.0}
    engine = Engine([rule(metric(5), {"kind": "pause"}, halve), rule(metric(4), {"kind": "stop"}, double, NOTIFY)])
    first, second = engine.observe_row(1, {"m": 9})
    assert [one.kind for one in first.actions] == ["pause", "scale_knob"]
    assert [one.kind for one in second.actions] == ["notify"]
    assert second.left_out == (
        "Skipped “stop”: rule 1 also changes how training continues.",
        "Skipped “set the learning rate to 1”: rule 1 also changes the learning_rate.",
    )


def test_a_rule_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValidationError, match="Two actions of this rule change how training continues"):
        rule(metric(5), {"kind": "pause"}, {"kind": "stop"})


def test_a_restored_engine_continues_from_its_saved_state() -> None:
    rules = [
        rule(metric(5, rows=3)),
        rule(PLATEAU),
        rule({"kind": "not_finite"}),
    ]
    values = [6.0, 6.0, NAN, 6.0, 6.0, 6.0, 1.0, 5.0, 5.0, NAN, 7.0]
    whole = Engine(rules)
    expected = [whole.observe_row(10 * index, {"m": value}) for index, value in enumerate(values)]
    for cut in range(len(values)):
        before, after = Engine(rules), Engine(rules)
        found = [before.observe_row(10 * index, {"m": value}) for index, value in enumerate(values[:cut])]
        after.restore(pickle.loads(pickle.dumps(before.state())))
        found += [after.observe_row(10 * index, {"m": value}) for index, value in enumerate(values[cut:], start=cut)]
        assert found == expected


def test_a_rule_kept_among_new_ones_keeps_its_state() -> None:
    kept = rule(metric(5))
    engine = Engine([kept])
    engine.observe_row(0, {"m": 6})
    engine.replace([rule(metric(1)), kept])
    [firing] = engine.observe_row(1, {"m": 6})
    assert firing.number == 1


def record(seq: int, value: float | None, time: float | None = None) -> MetricRecord:
    return MetricRecord(seq=seq, time=seq if time is None else time, step=10 * seq, values={"m": value})


def test_a_dry_run_ends_where_training_would_have_ended() -> None:
    rules = [rule(metric(5)), rule({"kind": "not_finite"}, {"kind": "stop"})]
    firings = dry_run(rules, [record(1, 6), record(2, 1), record(3, None), record(4, 6)])
    assert [(firing.number, firing.step) for firing in firings] == [(1, 10), (2, 30)]


def test_a_pause_is_no_training_time_in_a_dry_run() -> None:
    rules = [rule({"kind": "seconds", "seconds": 100})]
    rows = [record(1, 1, 0), record(2, 1, 30), record(3, 1, 10_000), record(4, 1, 10_030)]
    assert [firing.step for firing in dry_run(rules, rows)] == [40]


def test_rules_are_distinguished_by_the_kinds_of_their_parts() -> None:
    adapter = TypeAdapter(Rule)
    same = rule({"kind": "seconds", "seconds": 1_200}, {"kind": "stop", "then": "report", "grace_seconds": 30})
    assert adapter.validate_json(adapter.dump_json(same)) == same
    assert same.words == "When 20 minutes of training have passed: stop and notify"
    with pytest.raises(ValidationError, match="full_moon"):
        rule({"kind": "full_moon"})
