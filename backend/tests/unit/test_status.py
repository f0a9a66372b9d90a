"""Run statuses and their transitions."""

from __future__ import annotations

import itertools

import pytest

from rlviz.domain.errors import IllegalTransition
from rlviz.domain.status import RESUMES, TRANSITIONS, RunStatus, check_transition
from tests.support.cases import cases

LEGAL = {
    ("created", "queued"),
    ("queued", "starting"),
    ("queued", "stopped"),
    ("queued", "failed"),
    ("starting", "running"),
    ("starting", "stopping"),
    ("running", "stopping"),
    ("starting", "pausing"),
    ("running", "pausing"),
    ("pausing", "stopping"),
    ("stopping", "paused"),
    ("pausing", "paused"),
    *itertools.product(
        ["starting", "running", "pausing", "stopping"], ["completed", "stopped", "failed", "interrupted"]
    ),
}
PAIRS = list(itertools.product(RunStatus, repeat=2))


@cases(("source", "target"), PAIRS, ids=lambda status: status.value)
def test_only_listed_transitions_are_legal_and_others_name_both_states(source: RunStatus, target: RunStatus) -> None:
    if (source.value, target.value) in LEGAL:
        check_transition(source, target)
        return
    with pytest.raises(IllegalTransition) as caught:
        check_transition(source, target)
    assert caught.value.status == 409
    assert str(caught.value).startswith(f"A run that is '{source.value}' cannot become '{target.value}'.")
    assert (caught.value.source, caught.value.target) == (source, target)


@pytest.mark.parametrize("source", [status for status in RunStatus if status.is_final])
def test_an_ended_run_says_what_to_do_instead(source: RunStatus) -> None:
    with pytest.raises(IllegalTransition, match="create a new run"):
        check_transition(source, RunStatus.QUEUED)


def test_every_run_can_reach_an_end() -> None:
    for status in RunStatus:
        reached = {status}
        for _ in RunStatus:
            reached |= {target for source, target in PAIRS if source in reached and (source, target) in LEGAL}
        assert any(end.is_final for end in reached)


def test_each_status_has_the_expected_properties() -> None:
    assert {status.value for status in RunStatus if status.is_active} == {
        "queued",
        "starting",
        "running",
        "pausing",
        "stopping",
    }
    assert {status.value for status in RunStatus if status.has_worker} == {
        "starting",
        "running",
        "pausing",
        "stopping",
    }
    assert {status.value for status in RunStatus if status.is_final} == {
        "paused",
        "completed",
        "stopped",
        "failed",
        "interrupted",
    }


@cases(("source", "target"), PAIRS, ids=lambda status: status.value)
def test_only_a_run_whose_attempt_ended_can_be_queued_for_the_next_one(source: RunStatus, target: RunStatus) -> None:
    if source.is_final and target is RunStatus.QUEUED:
        check_transition(source, target, next_attempt=True)
    else:
        with pytest.raises(IllegalTransition):
            check_transition(source, target, next_attempt=True)


def test_every_status_that_ends_an_attempt_may_be_followed_by_another() -> None:
    assert RESUMES.keys() == {status for status in RunStatus if not TRANSITIONS[status]}
