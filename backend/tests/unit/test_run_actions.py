"""Available actions of a run by status, and the reasons for unavailable ones."""

from __future__ import annotations

import re

import pytest

from rlviz.domain.config import RunActor
from rlviz.domain.errors import IllegalTransition
from rlviz.domain.run_actions import RunAction, action_table, why_not
from rlviz.domain.status import ACTIVE, RESUMES, TRANSITIONS, RunStatus, check_transition
from tests.support.cases import cases

A, S = RunAction, RunStatus

TARGETS = {A.START: S.QUEUED, A.PAUSE: S.PAUSING, A.STOP: S.STOPPING}


@cases("status", list(RunStatus))
@cases("action", list(TARGETS))
def test_the_available_actions_match_the_transitions(action: RunAction, status: RunStatus) -> None:
    offered = why_not(action, RunActor.POLICY, status, has_policy=True) is None
    stopped_in_the_queue = action is A.STOP and status is S.QUEUED
    assert offered == (TARGETS[action] in TRANSITIONS[status] or stopped_in_the_queue)


@cases("status", list(RunStatus))
def test_a_run_can_be_resumed_or_extended_when_another_attempt_is_allowed(status: RunStatus) -> None:
    possible = [
        action for action in (A.RESUME, A.EXTEND) if why_not(action, RunActor.POLICY, status, has_policy=True) is None
    ]
    assert possible == ([] if status not in RESUMES else [A.EXTEND] if status is S.COMPLETED else [A.RESUME])


@cases("status", list(RunStatus))
def test_a_run_can_be_deleted_unless_it_is_active(status: RunStatus) -> None:
    for actor in RunActor:
        assert (why_not(A.DELETE, actor, status, has_policy=False) is None) == (status not in ACTIVE)


def test_the_service_refuses_with_the_same_sentence_as_the_page() -> None:
    for status in RunStatus:
        reason = why_not(A.PAUSE, RunActor.POLICY, status, has_policy=True)
        if reason is not None:
            with pytest.raises(IllegalTransition, match=re.escape(reason)):
                check_transition(status, S.PAUSING)


def test_the_table_matches_the_function() -> None:
    table = action_table()
    for actor in RunActor:
        for status in RunStatus:
            for action in RunAction:
                number = table["reasons"][actor][status].get(action)
                known = None if number is None else table["sentences"][number]
                assert known == why_not(action, actor, status, has_policy=True)
    assert all(re.match(r"[A-Z].*\.$", sentence) for sentence in table["sentences"])
    trashed = table["reasons"]["policy"]["deleted"]
    assert set(trashed) == set(RunAction) - {A.RESTORE}
