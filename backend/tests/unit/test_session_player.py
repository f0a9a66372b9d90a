"""How a session is played, at whose pace and by whose hand, with a clock of the test's own."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pydantic import BaseModel

from rlviz.algorithms.reading import Reading
from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.key_bindings import Controls
from rlviz.domain.session_messages import (
    CLIENT_MESSAGE,
    EpisodeMessage,
    ErrorMessage,
    Hello,
    PolicyMessage,
    ServerMessage,
    SessionMode,
    StateMessage,
)
from rlviz.domain.session_messages import Line as FutureLine
from rlviz.domain.step_record import Actor, StepRecord
from rlviz.environments.base import Environment, Family, Space
from rlviz.rollout.step_records import hash_of
from rlviz.sessions import history
from rlviz.sessions.bounds import bounds_of
from rlviz.sessions.packets import Presence
from rlviz.sessions.player import EPISODE_PAUSE_SECONDS, SessionPlayer
from rlviz.sessions.stage import Stage

LENGTH = 6
LINE = Environment(
    id="Line",
    name="Line",
    family=Family("test", "Test"),
    summary="Walk to the end of a line.",
    observation_space=Space("Box", shape=(1,)),
    action_space=Space("Discrete", n=3),
    reward_threshold=None,
    max_episode_steps=None,
    render_fps=50,
    controls=Controls((), neutral=(1,)),
)


class Line(gymnasium.Env[Any, Any]):
    """Actions −1, 0 and +1; a wind from the seed blows one way or the other. Ends ``LENGTH`` from the middle."""

    observation_space = spaces.Box(-100, 100, (1,), np.float32)
    action_space: spaces.Space[Any] = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 0.0
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at += int(action) - 1 + 0.01 * self.np_random.random()
        return self._seen(), self.at, abs(self.at) >= LENGTH, False, {}

    def render(self) -> Any:
        return np.full((4, 4, 3), round(self.at * 1_000) % 256, np.uint8)

    def _seen(self) -> Any:
        return np.array([self.at], np.float32)


class Walker:
    """A policy that always goes one way; exploring, it stands still."""

    model = SimpleNamespace(observation_space=Line.observation_space)

    def __init__(self, step: int, action: int) -> None:
        self.step, self.action = step, action
        self.action_space = Line.action_space

    def predict(self, observation: Any, state: Any = None, deterministic: bool = False) -> tuple[Any, Any]:
        return np.array([self.action if deterministic else 1]), None

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading(value=observations[:, 0] * 10, action_value=actions.astype(float))


class Policies:
    """Hands out whatever was put in."""

    def __init__(self, *policies: Walker) -> None:
        self.waiting = deque(policies)

    def look(self) -> Any:
        return self.waiting.popleft() if self.waiting else None

    def close(self) -> None: ...


class Rig:
    """A player, somebody who looks, and a clock that moves when the player sleeps."""

    def __init__(self, mode: SessionMode = SessionMode.WATCH, *policies: Walker, **changes: Any) -> None:
        self.now = 1_000.0
        self.policies = Policies(*policies)
        environment = changes.pop("environment", LINE)
        stage = Stage(
            mode=mode,
            environment=environment,
            env=changes.pop("env", Line()),
            make_env=changes.pop("make_env", Line),
            policies=self.policies,
            run_id=changes.pop("run_id", "a-run" if policies else None),
            seed=changes.pop("seed", 7),
            greedy=changes.pop("greedy", True),
        )
        self._wants: deque[Any] = deque()
        self.told: list[ServerMessage] = []
        self.shown: list[tuple[float, StepRecord, Any]] = []
        self.other: list[tuple[StepRecord, Any]] = []
        self.sunk: list[StepRecord] = []
        self.player = SessionPlayer(
            stage,
            self,
            sinks=[lambda _episode, _step, record, _frame: self.sunk.append(record)],
            monotonic=lambda: self.now,
        )

    def tell(self, message: ServerMessage) -> None:
        self.told.append(message)

    def show(self, record: StepRecord, frame: Any, seen: Any = None, line: FutureLine = FutureLine.PLAYED) -> None:
        if line is FutureLine.PLAYED:
            self.shown.append((self.now, record, frame))
            self.seen = seen
        else:
            self.other.append((record, frame))

    def wait(self, seconds: float) -> Any:
        if self._wants:
            return self._wants.popleft()
        self.now += seconds
        return None

    def want(self, **message: Any) -> None:
        self._wants.append(CLIENT_MESSAGE.validate_python(message))

    def look(self, looks: bool = True) -> None:
        self._wants.append(Presence(looks=looks))

    def run(self, seconds: float) -> list[StepRecord]:
        """The records of so long."""
        before, until = len(self.shown), self.now + seconds
        while self.now < until or self._wants:
            self.player.turn()
        return [record for _, record, _ in self.shown[before:]]

    def steps(self, count: int) -> list[StepRecord]:
        """The records up to so many."""
        before = len(self.shown)
        while len(self.shown) < before + count:
            self.player.turn()
        return [record for _, record, _ in self.shown[before:]]

    def said(self, kind: type[BaseModel]) -> list[Any]:
        return [message for message in self.told if isinstance(message, kind)]


@pytest.fixture
def watch() -> Rig:
    rig = Rig(SessionMode.WATCH, Walker(100, 2))
    rig.look()
    return rig


def test_nothing_is_played_until_somebody_looks_and_when_nobody_does_any_more() -> None:
    rig = Rig(SessionMode.WATCH, Walker(100, 2))
    assert rig.run(5) == []
    rig.look()
    assert rig.run(1)
    rig.look(False)
    assert rig.run(5) == []


def test_whoever_looks_is_told_what_is_played_before_the_first_step(watch: Rig) -> None:
    watch.steps(1)
    hello, state, policy, episode = watch.told
    assert isinstance(hello, Hello)
    assert (hello.mode, hello.run_id, hello.fps, hello.greedy) == ("watch", "a-run", 15.0, True)
    assert (hello.actor, hello.actors) == (Actor.POLICY, (Actor.POLICY, Actor.RANDOM, Actor.PERSON))
    assert state == StateMessage(playing=True, fps=15.0, actor=Actor.POLICY, greedy=True)
    assert policy == PolicyMessage(step=100)
    assert episode == EpisodeMessage(episode=0, seed=7)


@pytest.mark.parametrize(
    ("space", "bounds"),
    [
        (spaces.Box(np.array([-2, 0], np.float32), np.array([2, np.inf], np.float32)), ((-2.0, 2.0), (0.0, None))),
        (spaces.Discrete(3), None),
    ],
)
def test_bounds_of_an_action_are_told_number_by_number(space: spaces.Space[Any], bounds: Any) -> None:
    assert bounds_of(space) == bounds


def test_a_record_says_what_its_frame_shows_and_what_the_policy_makes_of_it(watch: Rig) -> None:
    reset, first = watch.steps(2)
    assert (reset.index, reset.action, reset.actor, reset.reward) == (0, None, None, None)
    assert (first.index, first.action, first.actor) == (1, 2, Actor.POLICY)
    assert first.reward == first.episode_return
    assert first.reading is not None
    assert isinstance(first.observation, list)
    assert first.reading.value == pytest.approx(first.observation[0] * 10)
    for _, record, frame in watch.shown:
        assert record.frame_hash == hash_of(frame)


def test_it_plays_at_its_rate_and_no_faster_where_the_environment_is_made_for_less(watch: Rig) -> None:
    watch.steps(5)
    times = [at for at, _, _ in watch.shown]
    assert np.diff(times) == pytest.approx([1 / 15] * 4)
    slow = Rig(SessionMode.WATCH, Walker(1, 2), environment=replace(LINE, render_fps=4))
    slow.look()
    slow.steps(3)
    assert np.diff([at for at, _, _ in slow.shown]) == pytest.approx([0.25] * 2)


def test_a_rate_that_is_asked_for_holds_from_now_on_and_what_is_late_is_not_made_up_for(watch: Rig) -> None:
    watch.want(type="rate", fps=2)
    watch.steps(3)
    assert np.diff([at for at, _, _ in watch.shown[1:]]) == pytest.approx([0.5])
    watch.now += 60
    assert len(watch.run(1)) <= 4, "at two a second"


def test_episode_follows_episode_with_the_next_seed_after_the_last_frame_has_stayed(watch: Rig) -> None:
    watch.steps(LENGTH + 2)
    [(ended_at, last, _), (begun_at, first, _)] = watch.shown[-2:]
    assert last.terminated
    assert (first.episode, first.index) == (1, 0)
    assert begun_at - ended_at == pytest.approx(EPISODE_PAUSE_SECONDS)
    assert [message.seed for message in watch.said(EpisodeMessage)] == [7, 8]


def test_a_newer_policy_plays_from_the_next_step_on_and_is_announced_before_it(watch: Rig) -> None:
    watch.steps(2)
    watch.policies.waiting.append(Walker(200, 0))
    before = len(watch.told)
    [step] = watch.steps(1)
    assert step.action == 0
    assert watch.told[before:] == [PolicyMessage(step=200)]


def test_a_session_whose_policy_is_not_there_yet_waits_for_it() -> None:
    rig = Rig(run_id="a-run")
    rig.look()
    assert rig.run(3) == []
    rig.policies.waiting.append(Walker(1, 2))
    assert rig.run(1)


def test_exploring_takes_what_the_policy_draws_and_greedy_again_what_is_best(watch: Rig) -> None:
    watch.want(type="greedy", on=False)
    assert {step.action for step in watch.steps(3)[1:]} == {1}
    watch.want(type="greedy", on=True)
    assert [step.action for step in watch.steps(1)] == [2]
    assert [state.greedy for state in watch.said(StateMessage)] == [True, False, True]


def test_paused_it_stands_still_and_goes_on_step_by_step(watch: Rig) -> None:
    watch.steps(2)
    watch.want(type="pause")
    assert watch.run(5) == []
    watch.want(type="step", n=3)
    assert [step.index for step in watch.run(5)] == [2, 3, 4]
    watch.want(type="play")
    assert watch.steps(1)[0].index == 5


def test_a_session_for_steps_shows_the_reset_and_then_waits() -> None:
    rig = Rig(SessionMode.STEP, Walker(1, 2))
    rig.look()
    assert [step.index for step in rig.run(5)] == [0]
    rig.want(type="step")
    assert [step.index for step in rig.run(5)] == [1]


@pytest.mark.parametrize("begun", [False, True])
def test_one_who_pauses_before_the_first_step_of_an_episode_is_shown_its_reset(begun: bool) -> None:
    rig = Rig(SessionMode.PLAY)
    rig.look()
    if begun:
        rig.run(1)
        rig.want(type="reset", seed=40)
    rig.want(type="pause")
    assert [step.index for step in rig.run(5)] == [0]


def test_back_plays_the_episode_again_up_to_there_and_other_futures_can_follow() -> None:
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
    """Counts what it is asked to do, and changes its observation in place."""

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
    """Whether both records say the same of a step, whenever it was taken."""
    return one.model_copy(update={"elapsed_ms": other.elapsed_ms}) == other


def test_steps_back_and_forward_again_are_shown_from_memory_and_the_environment_does_nothing() -> None:
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


def test_after_steps_back_an_action_that_was_not_taken_then_has_the_environment_follow() -> None:
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


def test_a_person_who_takes_a_step_again_after_steps_back_is_the_one_who_took_it() -> None:
    env = Counted()
    rig = step_mode(Walker(1, 2), env=env)
    step(rig, 3)
    rig.want(type="back")
    rig.want(type="action", value=2)
    step(rig)
    again = rig.shown[-1][1]
    assert (again.index, again.action, again.actor) == (3, 2, Actor.PERSON)
    assert env.resets == 1


def test_steps_back_beyond_memory_play_the_episode_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "REMEMBERED_FRAMES", 2)
    env = Counted()
    rig = step_mode(Walker(1, 2), env=env)
    step(rig, 5)
    seen = {record.index: record for _, record, _ in rig.shown}
    for resets, number in [(1, 4), (2, 3), (3, 2)]:
        rig.want(type="back")
        assert rig.run(0.5) == [seen[number]]
        assert env.resets == resets


def test_before_the_reset_there_is_nothing_and_it_is_said() -> None:
    rig = Rig(SessionMode.STEP, Walker(1, 2))
    rig.look()
    rig.run(1)
    rig.want(type="back")
    assert rig.run(1) == []
    assert "beginning" in rig.said(ErrorMessage)[0].detail


def test_a_reset_begins_another_episode_with_the_seed_that_was_asked_for(watch: Rig) -> None:
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


def test_a_person_holds_a_key_lets_go_and_taps_one_between_two_steps() -> None:
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


def test_without_an_action_that_does_nothing_the_environment_waits_for_a_key() -> None:
    rig = Rig(SessionMode.PLAY, environment=replace(LINE, controls=Controls((), neutral=(None,))))
    rig.look()
    assert [step.index for step in rig.run(2)] == [0]
    rig.want(type="action", value=2)
    rig.want(type="action", value=None)
    assert [step.action for step in rig.run(2)] == [2]


def test_numbers_are_zero_while_no_key_is_pressed() -> None:
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


def test_the_controls_change_hands_in_mid_episode_and_back(watch: Rig) -> None:
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


def test_chance_plays_the_same_from_the_same_seed() -> None:
    def actions() -> list[Any]:
        rig = Rig(SessionMode.WATCH)
        rig.look()
        return [step.action for step in rig.steps(10)]

    assert actions() == actions()
    assert len(set(map(str, actions()))) > 2


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"type": "action", "value": 3}, "no action"),
        ({"type": "action", "value": "left"}, "no action"),
        ({"type": "action", "value": True}, "no action"),
        ({"type": "action", "value": [[1]]}, "no action"),
        ({"type": "actor", "actor": "policy"}, "Nobody trained"),
    ],
)
def test_what_cannot_be_followed_is_refused_and_changes_nothing(wish: dict[str, Any], why: str) -> None:
    rig = Rig(SessionMode.PLAY)
    rig.look()
    rig.steps(1)
    rig.want(**wish)
    assert rig.steps(1)[0].action == 1
    assert why in rig.said(ErrorMessage)[0].detail


def test_an_action_while_somebody_else_acts_is_refused(watch: Rig) -> None:
    watch.steps(1)
    watch.want(type="action", value=0)
    assert watch.steps(1)[0].action == 2
    assert "Take over" in watch.said(ErrorMessage)[0].detail


def test_whoever_looks_again_is_told_everything_and_no_record_is_counted_twice(watch: Rig) -> None:
    watch.steps(3)
    watch.want(type="pause")
    watch.look(False)
    watch.run(1)
    told, sunk = len(watch.told), list(watch.sunk)
    watch.look()
    [again] = watch.run(1)
    assert again == sunk[-1]
    assert watch.sunk == sunk
    kinds = [type(message) for message in watch.told[told:]]
    assert kinds == [Hello, StateMessage, PolicyMessage, EpisodeMessage]


def test_an_environment_that_draws_no_picture_ends_the_session_with_what_was_expected() -> None:
    class Blind(Line):
        def render(self) -> Any:
            return None

    rig = Rig(SessionMode.WATCH, env=Blind())
    rig.look()
    with pytest.raises(VideoNotWritten, match="NoneType"):
        rig.run(1)


def test_rewards_that_are_no_numbers_are_null() -> None:
    class Odd(Line):
        def step(self, action: Any) -> Any:
            observation, _, *rest = super().step(action)
            return np.full_like(observation, np.nan), float("inf"), *rest

    rig = Rig(SessionMode.WATCH, env=Odd())
    rig.look()
    step = rig.steps(2)[1]
    assert (step.reward, step.episode_return, step.observation) == (None, None, [None])


class Screen(Line):
    """The same, seen as a picture."""

    observation_space = spaces.Box(0, 255, (2, 4, 4), np.uint8)

    def _seen(self) -> Any:
        return np.full((2, 4, 4), round(abs(self.at)), np.uint8)


class Still(Walker):
    scorer = None

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading(value=np.zeros(len(observations)))


def test_what_the_agent_saw_comes_only_when_it_is_asked_for_at_once_and_in_step() -> None:
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


def test_a_slice_comes_with_the_steps_and_one_that_cannot_be_drawn_is_refused(watch: Rig) -> None:
    watch.look()
    watch.steps(1)
    watch.want(type="slice", over=[0, 1])
    watch.run(1)
    [refused] = [message for message in watch.told if isinstance(message, ErrorMessage)]
    assert "cannot be varied" in refused.detail


def step_mode(*policies: Walker, **changes: Any) -> Rig:
    rig = Rig(SessionMode.STEP, *policies, **changes)
    rig.look()
    rig.run(0.5)
    return rig


def step(rig: Rig, count: int = 1) -> None:
    for _ in range(count):
        rig.want(type="step")
        rig.run(0.5)


def test_two_futures_play_side_by_side_from_the_step_at_which_another_action_was_chosen() -> None:
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


def test_the_future_that_is_over_waits_for_the_other_and_the_next_episode_has_one_alone() -> None:
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
def test_the_other_future_is_left_when_it_is_closed_or_the_episode_goes_elsewhere(wish: dict[str, Any]) -> None:
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
    """Exploring, it goes on or stands still."""

    def predict(self, observation: Any, state: Any = None, deterministic: bool = False) -> tuple[Any, Any]:
        return np.array([2 if deterministic else 1 + np.random.randint(0, 2)]), None


def test_steps_after_a_step_back_are_explored_as_they_were_before() -> None:
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


def test_an_environment_that_does_not_repeat_itself_is_not_compared() -> None:
    class Forgetful(Line):
        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            return super().reset()

    rig = step_mode(Walker(100, 2), env=Forgetful(), make_env=Forgetful)
    step(rig, 2)
    rig.want(type="part", value=0)
    rig.run(0.5)
    assert "does not repeat" in rig.said(ErrorMessage)[-1].detail
    assert not rig.other
