"""Sessions controlled by a person: held keys, and handing over the controls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.environment import Controls
from rlviz.domain.recording import Actor
from rlviz.domain.sessions import ErrorMessage, Hello, SessionMode
from rlviz.learning.sessions.actions import bounds_of
from tests.support.session_rig import LINE, Line, Rig, Walker


@pytest.fixture
def watch() -> Rig:
    rig = Rig(SessionMode.WATCH, Walker(100, 2))
    rig.look()
    return rig


@pytest.mark.parametrize(
    ("space", "bounds"),
    [
        (spaces.Box(np.array([-2, 0], np.float32), np.array([2, np.inf], np.float32)), ((-2.0, 2.0), (0.0, None))),
        (spaces.Discrete(3), None),
    ],
)
def test_bounds_of_an_action_are_listed_number_by_number(space: spaces.Space[Any], bounds: Any) -> None:
    assert bounds_of(space) == bounds


def test_a_player_holds_releases_and_taps_keys_between_two_steps() -> None:
    rig = Rig(SessionMode.PLAY)
    rig.look()
    rig.steps(1)
    assert rig.steps(1)[0].action == 1, "no key: the action that does nothing"
    rig.want(type="action", value=2)
    assert [step.action for step in rig.steps(2)] == [2, 2]
    rig.want(type="action", value=None)
    assert rig.steps(1)[0].action == 1
    rig.want(type="action", value=0)
    rig.want(type="action", value=None)
    assert [step.action for step in rig.steps(2)] == [0, 1], "a tap is not lost"
    assert {step.actor for step in rig.sunk[1:]} == {Actor.PERSON}
    assert rig.said(Hello)[0].fps == 30


def test_an_environment_without_a_no_op_action_waits_for_a_key() -> None:
    rig = Rig(SessionMode.PLAY, environment=replace(LINE, controls=Controls((), neutral=(None,))))
    rig.look()
    assert [step.index for step in rig.run(2)] == [0]
    rig.want(type="action", value=2)
    rig.want(type="action", value=None)
    assert [step.action for step in rig.run(2)] == [2]


def test_continuous_actions_are_zero_while_no_key_is_pressed() -> None:
    class Pushed(Line):
        action_space = spaces.Box(np.array([-1, 0.5], np.float32), np.array([1, 1], np.float32))

        def step(self, action: Any) -> Any:
            self.action = action.tolist()
            return super().step(1)

    env = Pushed()
    rig = Rig(SessionMode.PLAY, env=env, environment=replace(LINE, controls=None))
    rig.look()
    rig.steps(2)
    assert env.action == [0, 0.5], "or the bound that is nearest"
    rig.want(type="action", value=[0.25, 1])
    rig.steps(1)
    assert env.action == [0.25, 1]


def test_the_controls_change_between_policy_and_player_mid_episode(watch: Rig) -> None:
    watch.steps(2)
    watch.want(type="actor", actor="person")
    watch.want(type="action", value=0)
    [taken] = watch.steps(1)
    watch.want(type="actor", actor="policy")
    [back] = watch.steps(1)
    assert [(step.episode, step.index, step.action, step.actor) for step in (taken, back)] == [
        (0, 2, 0, Actor.PERSON),
        (0, 3, 2, Actor.POLICY),
    ]
    watch.want(type="actor", actor="person")
    assert watch.steps(1)[0].action == 1, "what was held before is not held any more"


def test_an_action_is_refused_while_another_party_has_the_controls(watch: Rig) -> None:
    watch.steps(1)
    watch.want(type="action", value=0)
    assert watch.steps(1)[0].action == 2
    assert "Take over" in watch.said(ErrorMessage)[0].detail
