"""The session player: rate, pauses, resets and commands, with a fake clock."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.recording import Actor
from rlviz.domain.sessions import EpisodeMessage, ErrorMessage, Hello, PolicyMessage, SessionMode, StateMessage
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.sessions.player import EPISODE_PAUSE_SECONDS, hash_of
from tests.support.session_rig import LENGTH, LINE, Line, Rig, Walker


@pytest.fixture
def watch() -> Rig:
    rig = Rig(SessionMode.WATCH, Walker(100, 2))
    rig.look()
    return rig


def test_a_session_plays_only_while_it_has_a_viewer() -> None:
    rig = Rig(SessionMode.WATCH, Walker(100, 2))
    assert rig.run(5) == []
    rig.look()
    assert rig.run(1)
    rig.look(False)
    assert rig.run(5) == []


def test_a_new_viewer_is_told_what_is_played_before_the_first_step(watch: Rig) -> None:
    watch.steps(1)
    hello, state, policy, episode = watch.sent
    assert isinstance(hello, Hello)
    assert (hello.mode, hello.run_id, hello.fps, hello.greedy) == ("watch", "a-run", 15.0, True)
    assert (hello.actor, hello.actors) == (Actor.POLICY, (Actor.POLICY, Actor.RANDOM, Actor.PERSON))
    assert state == StateMessage(playing=True, fps=15.0, actor=Actor.POLICY, greedy=True)
    assert policy == PolicyMessage(step=100)
    assert episode == EpisodeMessage(episode=0, seed=7)


def test_a_record_describes_its_frame_and_what_the_policy_predicts_for_it(watch: Rig) -> None:
    reset, first = watch.steps(2)
    assert (reset.index, reset.action, reset.actor, reset.reward) == (0, None, None, None)
    assert (first.index, first.action, first.actor) == (1, 2, Actor.POLICY)
    assert first.reward == first.episode_return
    assert first.reading is not None
    assert isinstance(first.observation, list)
    assert first.reading.value == pytest.approx(first.observation[0] * 10)
    for _, record, frame in watch.shown:
        assert record.frame_hash == hash_of(frame)


def test_a_session_plays_at_its_rate_and_no_faster_than_a_slower_environment(watch: Rig) -> None:
    watch.steps(5)
    times = [at for at, _, _ in watch.shown]
    assert np.diff(times) == pytest.approx([1 / 15] * 4)
    slow = Rig(SessionMode.WATCH, Walker(1, 2), environment=replace(LINE, render_fps=4))
    slow.look()
    slow.steps(3)
    assert np.diff([at for at, _, _ in slow.shown]) == pytest.approx([0.25] * 2)


def test_a_new_rate_applies_immediately_and_delays_are_not_caught_up(watch: Rig) -> None:
    watch.want(type="rate", fps=2)
    watch.steps(3)
    assert np.diff([at for at, _, _ in watch.shown[1:]]) == pytest.approx([0.5])
    watch.now += 60
    assert len(watch.run(1)) <= 4, "at two a second"


def test_the_next_episode_uses_the_next_seed_after_the_last_frame_was_held(watch: Rig) -> None:
    watch.steps(LENGTH + 2)
    [(ended_at, last, _), (begun_at, first, _)] = watch.shown[-2:]
    assert last.terminated
    assert (first.episode, first.index) == (1, 0)
    assert begun_at - ended_at == pytest.approx(EPISODE_PAUSE_SECONDS)
    assert [message.seed for message in watch.said(EpisodeMessage)] == [7, 8]


def test_a_newer_policy_is_announced_and_plays_from_the_next_step(watch: Rig) -> None:
    watch.steps(2)
    watch.policies.waiting.append(Walker(200, 0))
    before = len(watch.sent)
    [step] = watch.steps(1)
    assert step.action == 0
    assert watch.sent[before:] == [PolicyMessage(step=200)]


def test_a_session_waits_for_its_missing_policy() -> None:
    rig = Rig(run_id="a-run")
    rig.look()
    assert rig.run(3) == []
    rig.policies.waiting.append(Walker(1, 2))
    assert rig.run(1)


def test_exploring_samples_actions_and_greedy_takes_the_best_ones(watch: Rig) -> None:
    watch.want(type="greedy", on=False)
    assert {step.action for step in watch.steps(3)[1:]} == {1}
    watch.want(type="greedy", on=True)
    assert [step.action for step in watch.steps(1)] == [2]
    assert [state.greedy for state in watch.said(StateMessage)] == [True, False, True]


def test_a_paused_session_stands_still_and_advances_step_by_step(watch: Rig) -> None:
    watch.steps(2)
    watch.want(type="pause")
    assert watch.run(5) == []
    watch.want(type="step", n=3)
    assert [step.index for step in watch.run(5)] == [2, 3, 4]
    watch.want(type="play")
    assert watch.steps(1)[0].index == 5


def test_a_reset_starts_another_episode_with_the_requested_seed(watch: Rig) -> None:
    watch.steps(3)
    watch.want(type="reset", seed=42)
    watch.want(type="reset")
    watch.steps(1)
    assert [message.seed for message in watch.said(EpisodeMessage)] == [7, 42]
    watch.want(type="reset", seed=42)
    watch.steps(1)
    watch.want(type="reset")
    watch.steps(1)
    assert [message.seed for message in watch.said(EpisodeMessage)][-2:] == [42, 43]


def test_random_actions_repeat_with_the_same_seed() -> None:
    def actions() -> list[Any]:
        rig = Rig(SessionMode.WATCH)
        rig.look()
        return [step.action for step in rig.steps(10)]

    assert actions() == actions()
    assert len(set(map(str, actions()))) > 2


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"type": "action", "value": 3}, "not an action"),
        ({"type": "action", "value": "left"}, "not an action"),
        ({"type": "action", "value": True}, "not an action"),
        ({"type": "action", "value": [[1]]}, "not an action"),
        ({"type": "actor", "actor": "policy"}, "no trained policy"),
    ],
)
def test_an_impossible_command_is_refused_and_changes_nothing(wish: dict[str, Any], why: str) -> None:
    rig = Rig(SessionMode.PLAY)
    rig.look()
    rig.steps(1)
    rig.want(**wish)
    assert rig.steps(1)[0].action == 1
    assert why in rig.said(ErrorMessage)[0].detail


def test_a_returning_viewer_is_told_everything_and_no_record_is_counted_twice(watch: Rig) -> None:
    watch.steps(3)
    watch.want(type="pause")
    watch.look(False)
    watch.run(1)
    sent, sunk = len(watch.sent), list(watch.sunk)
    watch.look()
    [again] = watch.run(1)
    assert again == sunk[-1]
    assert watch.sunk == sunk
    kinds = [type(message) for message in watch.sent[sent:]]
    assert kinds == [Hello, StateMessage, PolicyMessage, EpisodeMessage]


def test_an_environment_that_draws_no_picture_ends_the_session_with_what_was_expected() -> None:
    class Blind(Line):
        def render(self) -> Any:
            return None

    rig = Rig(SessionMode.WATCH, env=Blind())
    rig.look()
    with pytest.raises(VideoNotWritten, match="NoneType"):
        rig.run(1)


def test_non_finite_rewards_are_null() -> None:
    class Odd(Line):
        def step(self, action: Any) -> Any:
            observation, _, *rest = super().step(action)
            return np.full_like(observation, np.nan), float("inf"), *rest

    rig = Rig(SessionMode.WATCH, env=Odd())
    rig.look()
    step = rig.steps(2)[1]
    assert (step.reward, step.episode_return, step.observation) == (None, None, [None])


class Screen(Line):
    """The same environment with picture observations."""

    observation_space = spaces.Box(0, 255, (2, 4, 4), np.uint8)

    def _seen(self) -> Any:
        return np.full((2, 4, 4), round(abs(self.at)), np.uint8)


class Still(Walker):
    scorer = None

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading(value=np.zeros(len(observations)))


def test_agent_observations_are_sent_immediately_on_request_and_in_step() -> None:
    rig = Rig(SessionMode.WATCH, Still(1, 2), env=Screen())
    rig.look()
    rig.steps(2)
    assert rig.seen is None
    rig.want(type="pause")
    rig.want(type="seen", on=True)
    rig.run(1)
    assert rig.seen is not None
    assert (rig.seen.about.pictures, rig.seen.about.score) == (2, None)
    rig.want(type="step")
    [record] = rig.run(1)
    assert rig.seen.pixels.max() == round(record.index)
    rig.look()  # another page
    rig.run(1)
    assert rig.seen is None


def test_a_value_slice_is_sent_with_the_steps_and_an_impossible_one_is_refused(watch: Rig) -> None:
    watch.look()
    watch.steps(1)
    watch.want(type="slice", over=[0, 1])
    watch.run(1)
    [refused] = [message for message in watch.sent if isinstance(message, ErrorMessage)]
    assert "cannot be varied" in refused.detail
