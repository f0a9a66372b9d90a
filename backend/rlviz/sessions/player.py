"""SessionPlayer: plays at the pace of somebody who looks, and does what they say."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.session_messages import (
    Back,
    ChooseActor,
    ChooseGreedy,
    ClientMessage,
    EpisodeMessage,
    ErrorMessage,
    Forward,
    Hello,
    Pause,
    Play,
    PolicyMessage,
    Rate,
    Reset,
    ServerMessage,
    SessionMode,
    StateMessage,
    TakeAction,
)
from rlviz.domain.step_record import Actor, StepRecord
from rlviz.environments.base import Environment
from rlviz.environments.generic_controls import generic_controls
from rlviz.evaluation.canvas import check_picture
from rlviz.rollout.episode import Env, Episode
from rlviz.rollout.play import seed_all
from rlviz.rollout.step_records import record_of
from rlviz.sessions.bounds import bounds_of
from rlviz.sessions.hands import PersonHand, PolicyHand, parse_action
from rlviz.sessions.history import History
from rlviz.sessions.packets import Presence
from rlviz.sessions.policies import PolicySource

EPISODE_PAUSE_SECONDS = 1.0
"""How long the last frame of an episode stays before the next episode begins."""

LONGEST_WAIT_SECONDS = 0.25
"""How long the player sleeps at most: newer weights are looked for meanwhile."""

RATES = {SessionMode.WATCH: 15.0, SessionMode.STEP: 15.0, SessionMode.PLAY: 30.0}
"""Steps a second, unless the environment is made for fewer."""

Sink = Callable[[StepRecord, NDArray[np.uint8]], None]
"""Gets every record with its frame, as it happens: one of a lower index than the one before follows a step back."""


@dataclass(frozen=True)
class Stage:
    """What is played, where, and from which seed on."""

    mode: SessionMode
    environment: Environment
    env: Env
    policies: PolicySource
    run_id: str | None
    seed: int
    greedy: bool


class Outlet(Protocol):
    """To the one who looks, and from them."""

    def tell(self, message: ServerMessage) -> None: ...

    def show(self, record: StepRecord, frame: NDArray[np.uint8]) -> None: ...

    def wait(self, seconds: float) -> ClientMessage | Presence | None:
        """What they want next; None if that is nothing for so long."""


class SessionPlayer:
    """``turn`` again and again. Nothing is played as long as nobody looks."""

    def __init__(
        self,
        stage: Stage,
        outlet: Outlet,
        *,
        sinks: Sequence[Sink] = (),
        alive: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``alive`` is called before whatever may take long, and at least every ``LONGEST_WAIT_SECONDS``."""
        self._stage, self._outlet, self._sinks = stage, outlet, sinks
        self._alive, self._monotonic = alive, monotonic
        self._controls = stage.environment.controls or generic_controls(stage.env.action_space)
        self._policy = PolicyHand()
        self._person = PersonHand(stage.env.action_space, self._controls)
        has_run = stage.run_id is not None
        self._actors = (*((Actor.POLICY,) if has_run else ()), Actor.RANDOM, Actor.PERSON)
        self._actor = Actor.PERSON if stage.mode is SessionMode.PLAY else self._actors[0]
        self._greedy = stage.greedy
        self._fps = min(RATES[stage.mode], float(stage.environment.render_fps))
        self._playing = stage.mode is not SessionMode.STEP
        self._looked_at = False
        self._owed = 0
        self._override: Any = None
        self._history: History | None = None
        self._episodes, self._next_seed = 0, stage.seed
        self._began = self._due = 0.0

    def turn(self) -> None:
        """Follow one message, or take a step if one is due, or wait for either."""
        self._alive()
        self._look_for_policy()
        message = self._outlet.wait(self._seconds_to_wait())
        if message is not None:
            self._follow(message)
        elif self._is_due():
            self._go_on()

    # When

    def _seconds_to_wait(self) -> float:
        if not self._can_go_on():
            return LONGEST_WAIT_SECONDS
        return 0.0 if self._owed else min(max(self._due - self._monotonic(), 0.0), LONGEST_WAIT_SECONDS)

    def _is_due(self) -> bool:
        return self._can_go_on() and (self._owed > 0 or self._monotonic() >= self._due)

    def _can_go_on(self) -> bool:
        """Whether a step can be taken, be it later: somebody wants one, and there is somebody to take it."""
        if not self._looked_at or not (self._playing or self._owed):
            return False
        if self._history is None or self._history.newest.is_last or self._override is not None:
            return self._actor is not Actor.POLICY or self._policy.policy is not None
        if self._actor is Actor.POLICY:
            return self._policy.policy is not None
        return self._actor is not Actor.PERSON or self._person.is_ready

    # Steps

    def _go_on(self) -> None:
        self._owed = max(self._owed - 1, 0)
        if self._history is None or self._history.newest.is_last:
            self._begin()
        else:
            self._step(self._history)
        period = 1 / self._fps
        now = self._monotonic()
        self._due = max(self._due + period, now)  # what is late is not made up for
        if self._history is not None and self._history.newest.is_last:
            self._due = now + EPISODE_PAUSE_SECONDS

    def _begin(self) -> None:
        """The next episode."""
        seed, self._next_seed = self._next_seed, self._next_seed + 1
        self._history = History(Episode(self._stage.env, self._episodes, seed))
        self._episodes += 1
        self._override = None
        self._seed(self._history)
        self._history.episode.begin()
        self._began = self._monotonic()
        self._outlet.tell(EpisodeMessage(episode=self._history.episode.place, seed=seed))
        self._show()

    def _step(self, history: History) -> None:
        actor, action = self._actor, self._override
        self._override = None
        if action is not None:
            actor = Actor.PERSON
        elif actor is Actor.POLICY:
            action = self._policy.action()
        elif actor is Actor.RANDOM:
            action = self._stage.env.action_space.sample()
        else:
            action = self._person.action()
        history.take(action, actor, self._elapsed_ms)
        self._show()

    def _back(self) -> None:
        history = self._history
        if history is None or history.last is None:
            self._refuse("This is the beginning of the episode.")
            return
        self._seed(history)
        self._history = history.back(self._stage.env, self._alive)
        last = self._history.last
        self._began = self._monotonic() - (last.elapsed_ms / 1_000 if last is not None else 0.0)
        self._show()

    def _seed(self, history: History) -> None:
        seed_all(history.episode, self._policy.policy, deterministic=self._greedy)

    def _elapsed_ms(self) -> float:
        return round((self._monotonic() - self._began) * 1_000, 1)

    def _show(self, *, again: bool = False) -> None:
        """Hand out the newest record, with its frame; only to the one who looks, if it is shown ``again``."""
        assert self._history is not None
        step, last = self._history.newest, self._history.last
        frame = check_picture(self._stage.env.render())
        reading = self._policy.consider(step.observation, greedy=self._greedy)
        record = record_of(
            step._replace(reading=reading),
            actor=last.actor if last is not None else None,
            elapsed_ms=last.elapsed_ms if last is not None else 0.0,
            frame=frame,
        )
        self._outlet.show(record, frame)
        for sink in () if again else self._sinks:
            sink(record, frame)

    def _consider(self) -> None:
        """Choose the next action anew: another policy plays, or it plays otherwise."""
        if self._history is not None:
            self._policy.consider(self._history.newest.observation, greedy=self._greedy)

    def _look_for_policy(self) -> None:
        found = self._stage.policies.look()
        if found is None:
            return
        is_first, self._policy.policy = self._policy.policy is None, found
        self._consider()
        if self._looked_at:
            self._outlet.tell(PolicyMessage(step=found.step))
            if is_first and self._history is not None:
                self._show(again=True)  # now with what it makes of it

    # What is wanted

    def _follow(self, message: ClientMessage | Presence) -> None:
        match message:
            case Presence(looks=looks):
                self._looked_at = looks
                if looks:
                    self._introduce()
                return
            case Play():
                self._set_playing(True)
            case Pause():
                self._set_playing(False)
            case Forward(n=n):
                self._set_playing(False)
                self._owed = n
            case Back():
                self._set_playing(False)
                self._back()
            case Reset(seed=seed):
                self._next_seed = self._next_seed if seed is None else seed
                self._history = None
                self._owed = 0 if self._playing else 1
                self._due = self._monotonic()
            case Rate(fps=fps):
                self._fps = fps
                self._due = min(self._due, self._monotonic() + 1 / fps)
            case ChooseActor(actor=actor):
                self._choose(actor)
            case TakeAction(value=value):
                self._press(value)
                return  # too many of them to answer each
            case ChooseGreedy(on=on):
                self._greedy = on
                self._consider()
        self._tell_state()

    def _set_playing(self, playing: bool) -> None:
        self._playing, self._owed = playing, 0
        if playing:
            self._override = None
        self._due = self._monotonic()

    def _choose(self, actor: Actor) -> None:
        if actor not in self._actors:
            self._refuse("Nobody trained a policy for this session. Let chance or a person act.")
            return
        self._actor = actor
        self._person.let_go()

    def _press(self, value: Any) -> None:
        try:
            action = None if value is None else parse_action(self._stage.env.action_space, value)
        except ValueError as error:
            self._refuse(str(error))
            return
        if not self._playing:
            self._override = action
        elif self._actor is Actor.PERSON:
            self._person.press(action)
        elif action is not None:
            self._refuse("Somebody else is acting. Take over first, or pause.")

    # What is told

    def _introduce(self) -> None:
        """Everything from the beginning, for somebody who begins to look."""
        stage = self._stage
        self._outlet.tell(
            Hello(
                mode=stage.mode,
                env_id=stage.environment.id,
                run_id=stage.run_id,
                fps=self._fps,
                actor=self._actor,
                actors=self._actors,
                greedy=self._greedy,
                action_space=stage.environment.action_space,
                observation_space=stage.environment.observation_space,
                action_bounds=bounds_of(stage.env.action_space),
                controls=self._controls,
            )
        )
        self._tell_state()
        if self._policy.policy is not None:
            self._outlet.tell(PolicyMessage(step=self._policy.policy.step))
        if self._history is not None:
            self._outlet.tell(EpisodeMessage(episode=self._history.episode.place, seed=self._history.episode.seed))
            self._show(again=True)
        elif not self._playing:
            self._begin()  # something to look at
        self._due = self._monotonic()

    def _tell_state(self) -> None:
        self._outlet.tell(StateMessage(playing=self._playing, fps=self._fps, actor=self._actor, greedy=self._greedy))

    def _refuse(self, detail: str) -> None:
        self._outlet.tell(ErrorMessage(detail=detail))
