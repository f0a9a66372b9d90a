"""The registry of metrics is complete and unambiguous."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rlviz.domain import metrics as records
from rlviz.domain.metrics import GROUP_TITLES, METRICS, ChartPlace, MetricDefinition, MetricGroup
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import LOGGED, metric_definitions
from tests.support.cases import cases

DEFINED = metric_definitions(list(ALGORITHMS))
NAMES = [definition.name for definition, _ in DEFINED]


def test_no_metric_is_defined_twice() -> None:
    assert [name for name, count in Counter(NAMES).items() if count > 1] == []


@cases("definition", [definition for definition, _ in DEFINED], ids=lambda item: item.name)
def test_a_definition_has_everything_a_chart_needs(definition: MetricDefinition) -> None:
    assert definition.label
    assert definition.label != definition.name
    assert definition.help.endswith(".")
    assert len(definition.help) > 20
    assert definition.group in GROUP_TITLES
    if definition.superseded_by is not None:
        assert definition.superseded_by in NAMES
    if definition.minimum is not None and definition.maximum is not None:
        assert definition.minimum < definition.maximum


def test_labels_are_distinct() -> None:
    assert [label for label, count in Counter(d.label for d, _ in DEFINED).items() if count > 1] == []


@cases("algo", ALGORITHMS.names())
def test_every_metric_that_an_algorithm_names_is_defined(algo: str) -> None:
    assert {*LOGGED, *ALGORITHMS.get(algo).metrics} <= set(NAMES)


def test_every_metric_written_by_the_trainer_is_defined() -> None:
    own = {
        value
        for value in vars(records).values()
        if isinstance(value, str) and value.count("/") == 1 and value[-1] != "/"
    }
    assert own >= {"episode/reward", "eval/mean_reward", "time/recent_fps"}
    assert own <= set(NAMES)


def test_a_metric_lists_the_algorithms_that_log_it_and_a_shared_one_lists_all() -> None:
    loggers = {definition.name: algorithms for definition, algorithms in DEFINED}
    assert loggers["train/clip_fraction"] == ["ppo"]
    assert loggers["train/td_error"] == ["q-learning"]
    assert loggers["train/critic_loss"] == ["sac", "td3"]
    assert loggers["episode/reward"] == ALGORITHMS.names()


def test_an_algorithm_defines_the_metrics_that_only_it_logs() -> None:
    own = MetricDefinition(name="train/surprise", label="Surprise", help="How much.", group=MetricGroup.VALUE)
    new = replace(ALGORITHMS.get("ppo"), id="new", metrics=("train/surprise",), definitions=(own,))
    assert (own, ["new"]) in metric_definitions([ALGORITHMS.get("dqn"), new])


def test_only_the_parts_of_an_actor_critic_loss_are_headlines() -> None:
    loss = next(definition for definition in METRICS if definition.name == "train/loss")
    assert loss.place is ChartPlace.HEADLINE
    assert loss.superseded_by == "train/value_loss"
