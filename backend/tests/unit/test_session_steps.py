"""Stepping forward and back in a session, and counterfactual futures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rlviz.domain.recording import Actor, StepRecord
from rlviz.domain.sessions import ErrorMessage, SessionMode, StateMessage
from rlviz.learning.sessions import actions as history
from tests.support.session_rig import Line, Rig, Walker


def test_a_stepping_session_shows_the_reset_and_then_waits() -> None:
    rig = Rig(SessionMode.STEP, Walker(1, 2))
    rig.look()
    assert [step.index for step in rig.run(5)] == [0]
    rig.want(type="step")
    assert [step.index for step in rig.run(5)] == [1]


@pytest.mark.parametrize("begun", [False, True])
def test_a_pause_before_the_first_step_of_an_episode_shows_its_reset(begun: bool) -> None:
    rig = Rig(SessionMode.PLAY)
    rig.look()
    if begun:
        rig.run(1)
        rig.want(type="reset", seed=40)
    rig.want(type="pause")
    assert [step.index for step in rig.run(5)] == [0]


def test_a_step_back_replays_the_episode_and_other_futures_can_follow() -> None:
    rig = Rig(SessionMode.STEP, Walker(1, 2))
    rig.look()
    rig.want(type="step", n=3)
    seen = {step.index: step for step in rig.run(1)}
    rig.want(type="back")
    rig.want(type="back")
    assert rig.run(1) == [seen[2], seen[1]]
    rig.want(type="action", value=0)
    rig.want(type="step")
    [other] = rig.run(1)
    assert (other.index, other.action, other.actor) == (2, 0, Actor.PERSON)
    assert other.observation != seen[2].observation
    rig.want(type="step")
    assert [(step.action, step.actor) for step in rig.run(1)] == [(2, Actor.POLICY)], "for one step alone"


class Counted(Line):
    """Counts its calls, and changes its observation in place."""

    def __init__(self) -> None:
        self.resets = self.actions = 0
        self.seen = np.zeros(1, np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.resets += 1
        return super().reset(seed=seed)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.actions += 1
        return super().step(action)

    def _seen(self) -> Any:
        self.seen[0] = self.at
        return self.seen


def same(one: StepRecord, other: StepRecord) -> bool:
    """Return whether both records describe the same step, whatever their times."""
    return one.model_copy(update={"elapsed_ms": other.elapsed_ms}) == other


def test_steps_back_and_forward_are_shown_from_memory_without_the_environment() -> None:
    env = Counted()
    rig = step_mode(Walker(1, 2), env=env)
    step(rig, 5)
    seen = {record.index: (record, frame) for _, record, frame in rig.shown}
    for _ in range(3):
        rig.want(type="back")
    assert rig.run(0.5) == [seen[number][0] for number in (4, 3, 2)]
    assert np.array_equal(rig.shown[-1][2], seen[2][1])
    rig.want(type="step", n=3)
    assert rig.run(0.5) == [seen[number][0] for number in (3, 4, 5)]
    assert np.array_equal(rig.shown[-1][2], seen[5][1])
    assert (env.resets, env.actions) == (1, 5), "nothing was played again"
    step(rig)
    assert (env.resets, env.actions) == (1, 6), "it is where it was, and goes on from there"
    rig.want(type="back")
    rig.want(type="back")
    assert rig.run(0.5)[-1] == seen[4][0], "what was seen before is remembered still"


def test_after_steps_back_a_new_action_makes_the_environment_catch_up() -> None:
    env, straight = Counted(), Counted()
    rig, other = step_mode(Walker(1, 2), env=env), step_mode(Walker(1, 2), env=straight)
    step(rig, 5)
    for _ in range(4):
        rig.want(type="back")
    step(rig)  # from memory
    rig.want(type="action", value=0)
    step(rig, 2)
    assert (env.resets, env.actions) == (2, 5 + 2 + 2)
    step(other, 2)
    other.want(type="action", value=0)
    step(other, 2)
    for (_, one, _), (_, two, _) in zip(rig.shown[-2:], other.shown[-2:], strict=True):
        assert same(one, two), "as if nobody had gone back"
    rig.want(type="back")
    rig.want(type="step")
    assert same(rig.run(0.5)[-1], other.shown[-1][1]), "what was gone back from before is forgotten"


def test_a_step_retaken_by_a_person_after_steps_back_is_attributed_to_them() -> None:
    env = Counted()
    rig = step_mode(Walker(1, 2), env=env)
    step(rig, 3)
    rig.want(type="back")
    rig.want(type="action", value=2)
    step(rig)
    again = rig.shown[-1][1]
    assert (again.index, again.action, again.actor) == (3, 2, Actor.PERSON)
    assert env.resets == 1


def test_steps_back_beyond_memory_replay_the_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "REMEMBERED_FRAMES", 2)
    env = Counted()
    rig = step_mode(Walker(1, 2), env=env)
    step(rig, 5)
    seen = {record.index: record for _, record, _ in rig.shown}
    for resets, number in [(1, 4), (2, 3), (3, 2)]:
        rig.want(type="back")
        assert rig.run(0.5) == [seen[number]]
        assert env.resets == resets


def test_a_step_back_before_the_reset_is_refused_with_a_message() -> None:
    rig = Rig(SessionMode.STEP, Walker(1, 2))
    rig.look()
    rig.run(1)
    rig.want(type="back")
    assert rig.run(1) == []
    assert "beginning" in rig.said(ErrorMessage)[0].detail


def step_mode(*policies: Walker, **changes: Any) -> Rig:
    rig = Rig(SessionMode.STEP, *policies, **changes)
    rig.look()
    rig.run(0.5)
    return rig


def step(rig: Rig, count: int = 1) -> None:
    for _ in range(count):
        rig.want(type="step")
        rig.run(0.5)


def test_two_futures_play_side_by_side_from_the_step_of_the_other_action() -> None:
    rig = step_mode(Walker(100, 2))
    step(rig, 2)
    rig.want(type="part", value=0)
    step(rig, 2)
    assert rig.said(StateMessage)[-1].parted_at == 2
    played, other = [record for _, record, _ in rig.shown][2:], [record for record, _ in rig.other]
    assert [record.index for record in played] == [record.index for record in other] == [2, 3, 4]
    assert played[0] == other[0].model_copy(update={"elapsed_ms": played[0].elapsed_ms}), "the same step for both"
    assert [(record.action, record.actor) for record in other[1:]] == [(0, Actor.PERSON), (2, Actor.POLICY)]
    assert [record.action for record in played[1:]] == [2, 2]
    wind = [one.observation[0] - two.observation[0] for one, two in zip(played, other, strict=True)]
    assert wind == pytest.approx([0, 2, 2]), "the same generator blew the same wind in both"


def test_the_shorter_future_waits_for_the_other_and_the_next_episode_has_only_one() -> None:
    rig = step_mode(Walker(100, 2))
    step(rig, 2)
    rig.want(type="part", value=0)
    step(rig, 6)
    assert (rig.shown[-1][1].index, rig.shown[-1][1].terminated) == (6, True)
    assert (rig.other[-1][0].index, rig.other[-1][0].terminated) == (8, True)
    step(rig)
    assert rig.shown[-1][1].episode == 1
    assert rig.said(StateMessage)[-1].parted_at is None


@pytest.mark.parametrize("wish", [{"type": "part", "value": None}, {"type": "back"}, {"type": "reset", "seed": 3}])
def test_the_other_future_ends_when_it_is_closed_or_the_episode_changes(wish: dict[str, Any]) -> None:
    rig = step_mode(Walker(100, 2))
    step(rig, 2)
    rig.want(type="part", value=0)
    rig.run(0.5)
    rig.want(**wish)
    rig.run(0.5)
    shown = len(rig.other)
    step(rig)
    assert rig.said(StateMessage)[-1].parted_at is None
    assert len(rig.other) == shown


class Drawing(Walker):
    """Moves on or stands still at random when it explores."""

    def predict(self, observation: Any, state: Any = None, deterministic: bool = False) -> tuple[Any, Any]:
        return np.array([2 if deterministic else 1 + np.random.randint(0, 2)]), None


def test_steps_after_a_step_back_explore_as_before() -> None:
    rig = step_mode(Drawing(100, 2), greedy=False)
    step(rig, 7)
    first = [record.action for _, record, _ in rig.shown if record.index > 0]
    for _ in range(4):
        rig.want(type="back")
    rig.run(0.5)
    shown = len(rig.shown)
    step(rig, 4)
    assert [record.action for _, record, _ in rig.shown[shown:]] == first[-4:]
    assert len(set(first)) == 2, "or nothing was drawn"


def test_a_policy_that_explores_draws_the_same_numbers_in_both_futures() -> None:
    rig = step_mode(Drawing(100, 2), greedy=False)
    step(rig, 1)
    rig.want(type="part", value=1)
    step(rig, 5)
    played = [record.action for _, record, _ in rig.shown if record.index > 2]
    assert played == [record.action for record, _ in rig.other if record.index > 2]
    assert len(set(played)) == 2, "or nothing was drawn"


def test_an_environment_that_is_not_reproducible_is_not_compared() -> None:
    class Forgetful(Line):
        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            return super().reset()

    rig = step_mode(Walker(100, 2), env=Forgetful(), make_env=Forgetful)
    step(rig, 2)
    rig.want(type="part", value=0)
    rig.run(0.5)
    assert "does not repeat" in rig.said(ErrorMessage)[-1].detail
    assert not rig.other
