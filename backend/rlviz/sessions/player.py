"""SessionPlayer: plays episodes at the rate that the person who watches wants, and follows their messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rlviz.domain.session_messages import (
    Back,
    ChooseActor,
    ChooseGreedy,
    ClientMessage,
    Forward,
    Line,
    Part,
    Pause,
    Play,
    Rate,
    Reset,
    SessionMode,
    ShowSeen,
    ShowSlice,
    TakeAction,
)
from rlviz.domain.step_record import Actor
from rlviz.environments.generic_controls import generic_controls
from rlviz.rollout.episode import Env, Episode
from rlviz.rollout.play import seed_all
from rlviz.sessions.action_sources import ActionSources, parse_action
from rlviz.sessions.display import Display
from rlviz.sessions.history import History
from rlviz.sessions.other_future import Draws, Generators, OtherFuture
from rlviz.sessions.pace import Pace
from rlviz.sessions.packets import Presence, Recording
from rlviz.sessions.stage import Outlet, SessionInput, Sink, Stage

EPISODE_PAUSE_SECONDS = 1.0
"""How long the last frame of an episode stays before the next episode begins."""

LONGEST_WAIT_SECONDS = 0.25
"""How long the player sleeps at most: newer weights are looked for meanwhile."""

RATES = {SessionMode.WATCH: 15.0, SessionMode.STEP: 15.0, SessionMode.PLAY: 30.0}
"""Steps a second, unless the environment is made for fewer."""


class SessionPlayer:
    """Call ``turn`` in a loop. Nothing is played while nobody watches."""

    def __init__(
        self,
        stage: Stage,
        outlet: Outlet,
        *,
        sinks: Sequence[Sink] = (),
        on_recording: Callable[[Recording], None] = lambda _: None,
        alive: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``on_recording`` is called with the run folder in which episodes played by hand are kept. ``alive`` is called
        before everything that may take long, and at least every ``LONGEST_WAIT_SECONDS``."""
        self._stage, self._outlet, self._on_recording = stage, outlet, on_recording
        self._alive, self._monotonic = alive, monotonic
        controls = stage.environment.controls or generic_controls(stage.env.action_space)
        self._display = Display(stage, outlet, controls, sinks, monotonic)
        has_run = stage.run_id is not None
        actors = (*((Actor.POLICY,) if has_run else ()), Actor.RANDOM, Actor.PERSON)
        first = Actor.PERSON if stage.mode is SessionMode.PLAY else actors[0]
        self._sources = ActionSources(stage.env.action_space, controls, actors, first)
        self._greedy = stage.greedy
        fps = min(RATES[stage.mode], float(stage.environment.render_fps))
        self._pace = Pace(fps, monotonic, playing=stage.mode is not SessionMode.STEP)
        self._looked_at = False
        self._history: History | None = None
        self._draws = Draws()
        self._other: OtherFuture | None = None
        self._other_env: Env | None = None
        self._episodes, self._next_seed = 0, stage.seed
        self._began = 0.0

    def turn(self) -> None:
        """Handle one message, or take a step if one is due, or wait a moment for either."""
        self._alive()
        self._look_for_policy()
        if self._looked_at:
            self._display.draw_slice(self._sources.policy)
            if self._display.seen.is_owed and not self._pace.playing:
                self._show(again=True)
        may_go_on = self._may_go_on()
        wait = self._pace.seconds_left if may_go_on else LONGEST_WAIT_SECONDS
        arrived = self._outlet.wait(min(wait, LONGEST_WAIT_SECONDS))
        if arrived is not None:
            self._follow(arrived)
        elif may_go_on and not self._pace.seconds_left:
            self._go_on()

    def _may_go_on(self) -> bool:
        """Whether a step will be taken, now or when it is due: one is wanted, and whoever acts has an action."""
        if not self._looked_at or not self._pace.wants_steps:
            return False
        return self._sources.may_begin if self._is_over else self._sources.is_ready

    @property
    def _is_over(self) -> bool:
        """Whether the next step begins an episode."""
        if self._history is None:
            return True
        return self._history.newest.is_last and (self._other is None or self._other.newest.is_last)

    # Steps

    def _go_on(self) -> None:
        if self._is_over:
            self._begin()
        else:
            self._step()
        self._pace.step_taken(EPISODE_PAUSE_SECONDS if self._is_over else None)

    def _begin(self) -> None:
        """Begin the next episode, and show its reset."""
        seed, self._next_seed = self._next_seed, self._next_seed + 1
        history = self._history = History(Episode(self._stage.env, self._episodes, seed))
        self._episodes += 1
        self._sources.forget_next()
        self._draws.clear()
        self._seed(history)
        history.episode.begin()
        self._began = self._monotonic()
        self._display.episode(history)
        if self._other is not None:
            self._join()
            self._tell_state()
        self._show()

    def _step(self) -> None:
        """Take a step in the episode, and in the other future if there is one. If one of them is over, it waits for the
        other to end."""
        assert self._history is not None
        actor, action = self._sources.act()
        if not self._history.newest.is_last:
            self._take(self._history, action, actor)
        if self._other is not None and not self._other.newest.is_last:
            self._other.take(actor, action, self._elapsed_ms)
            self._show_other()

    def _take(self, history: History, action: Any, actor: Actor) -> None:
        """Take a step in the episode. One that somebody went back from is shown from memory."""
        if history.go_forward(action, actor):
            self._show_remembered(history, self._generators())
            return
        history = self._history = self._caught_up(history)
        history.take(action, actor, self._elapsed_ms)
        self._show()

    def _back(self) -> None:
        history = self._history
        if history is None or history.last is None:
            raise ValueError("This is the beginning of the episode.")
        self._join()
        now = self._generators()
        self._seed(history)
        if not history.go_back():
            self._history = history = history.again(self._stage.env, len(history.taken) - 1, self._alive)
        self._show_remembered(history, now)

    def _show_remembered(self, history: History, now: Generators) -> None:
        """Show a step that was there before, and go on from it: the clock, and the generators as they were then, or as
        they are ``now`` if that is not known any more."""
        last = history.last
        self._began = self._monotonic() - (last.elapsed_ms / 1_000 if last is not None else 0.0)
        (self._draws.at(history.newest.number) or now).restore()
        self._show()

    def _caught_up(self, history: History) -> History:
        """If somebody went back to a remembered step, the environment is played again up to it."""
        if not history.is_behind:
            return history
        now = self._generators()
        seed_all(history.episode, self._sources.policy.policy, deterministic=self._greedy)
        caught_up = history.caught_up(self._alive)
        now.restore()
        return caught_up

    def _part(self, value: Any) -> None:
        """Begin a second future, whose first action is ``value``."""
        if self._history is None or self._history.newest.is_last:
            raise ValueError("The episode is over. Go a step back, or begin another, and choose an action there.")
        self._join()
        action = parse_action(self._stage.env.action_space, value)
        if self._other_env is None:
            self._other_env = self._stage.make_env()
        self._other = OtherFuture(self._history, action, self._other_env, self._sources.policy, self._alive)
        self._show_other()

    def _join(self) -> None:
        """Close the second future, and go on with the episode alone."""
        self._other = None

    def _seed(self, history: History) -> None:
        self._sources.policy.begin()
        seed_all(history.episode, self._sources.policy.policy, deterministic=self._greedy)

    def _generators(self) -> Generators:
        """The present states of all random generators that the next action may be drawn from."""
        policy = self._sources.policy.policy
        return Generators(self._stage.env.action_space, *([] if policy is None else [policy.action_space]))

    def _elapsed_ms(self) -> float:
        return round((self._monotonic() - self._began) * 1_000, 1)

    def _show(self, *, again: bool = False) -> None:
        assert self._history is not None
        if not again:
            self._draws.remember(self._history.newest.number, self._generators())
        hurried = self._pace.playing and not again
        self._display.step(self._history, self._sources.policy, greedy=self._greedy, again=again, hurried=hurried)

    def _show_other(self) -> None:
        assert self._other is not None
        with self._other.generators.used():
            greedy = self._greedy or self._other.is_decided
            self._display.step(self._other.history, self._other.policy, greedy=greedy, line=Line.OTHER)

    def _consider(self) -> None:
        """Choose the next actions again, because the policy or the way it plays has changed."""
        if self._history is not None:
            self._sources.policy.consider(self._history.newest.observation, greedy=self._greedy)
        if self._other is not None:
            self._other.policy.policy = self._sources.policy.policy
            with self._other.generators.used():
                self._other.policy.consider(self._other.newest.observation, greedy=self._greedy)

    def _look_for_policy(self) -> None:
        found = self._stage.policies.look()
        if found is None:
            return
        is_first, self._sources.policy.policy = self._sources.policy.policy is None, found
        self._display.slice.renew()
        self._consider()
        if self._looked_at:
            self._display.policy(self._sources)
            if is_first and self._history is not None:
                self._show(again=True)  # now with what it makes of it

    # What is wanted

    def _follow(self, arrived: SessionInput) -> None:
        match arrived:
            case Presence(looks=looks):
                self._looked_at = looks
                self._display.begin()
                if looks:
                    self._introduce()
            case Recording():
                self._on_recording(arrived)
            case _:
                refusal = self._handle(arrived)
                if not isinstance(
                    arrived, TakeAction | ShowSeen | ShowSlice
                ):  # which change no state, or come too often
                    self._tell_state()
                if refusal is not None:
                    self._display.refusal(refusal)

    def _handle(self, arrived: ClientMessage) -> str | None:
        """Do what the message asks for; return why it cannot be done, or None."""
        try:
            self._do(arrived)
        except ValueError as error:
            return str(error)
        return None

    def _do(self, arrived: ClientMessage) -> None:
        match arrived:
            case Play():
                self._sources.forget_next()
                self._pace.play()
            case Pause():
                self._pace.pause(owed=1 if self._history is None else 0)  # there is something to look at all the same
            case Forward(n=n):
                self._pace.pause(owed=n)
            case Back():
                self._pace.pause()
                self._back()
            case Reset(seed=seed):
                self._next_seed = self._next_seed if seed is None else seed
                self._history = None
                self._join()
                if self._pace.playing:
                    self._pace.hurry()
                else:
                    self._pace.pause(owed=1)
            case Rate(fps=fps):
                self._pace.change(fps)
            case ChooseActor(actor=actor):
                self._sources.choose(actor)
            case TakeAction(value=value):
                self._sources.press(value, playing=self._pace.playing)
            case Part(value=None):
                self._join()
            case Part(value=value):
                self._pace.pause()
                self._part(value)
            case ShowSeen():
                self._display.seen.choose(arrived)
                if self._history is not None:
                    self._show(again=True)
            case ShowSlice(over=over, hold=hold):
                self._display.slice.choose(over, hold)
            case ChooseGreedy(on=on):
                self._greedy = on
                self._consider()

    # What is told

    def _introduce(self) -> None:
        """Tell somebody who begins to watch everything that they need to know."""
        self._display.hello(self._sources, self._pace, greedy=self._greedy)
        self._tell_state()
        self._display.policy(self._sources)
        if self._history is not None:
            self._display.episode(self._history)
            self._show(again=True)
            if self._other is not None:
                self._show_other()
        elif not self._pace.playing:
            self._begin()  # something to look at
        self._pace.hurry()

    def _tell_state(self) -> None:
        parted_at = self._other.parted_at if self._other is not None else None
        self._display.state(self._sources, self._pace, greedy=self._greedy, parted_at=parted_at)
