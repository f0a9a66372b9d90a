"""SessionPlayer: plays episodes at the rate that the person who watches wants, and follows their messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rlviz.domain.session_messages import (
    Back,
    ChooseActor,
    ChooseGreedy,
    ClientMessage,
    Forward,
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
from rlviz.sessions.action_sources import ActionSources
from rlviz.sessions.display import Display
from rlviz.sessions.episode_player import EpisodePlayer
from rlviz.sessions.pace import Pace
from rlviz.sessions.packets import Presence, Recording
from rlviz.sessions.stage import Outlet, SessionInput, Sink, Stage

EPISODE_PAUSE_SECONDS = 1.0
"""How long the last frame of an episode stays before the next episode begins."""

LONGEST_WAIT_SECONDS = 0.25
"""How long the player sleeps at most: newer weights are looked for meanwhile."""

RATES = {SessionMode.WATCH: 15.0, SessionMode.STEP: 15.0, SessionMode.PLAY: 30.0}
"""Steps a second, unless the environment is made for fewer."""


LEAST_RATE = 1.0
"""Steps a second at first, of an environment with a lower frame rate, too slow to watch. Its videos keep that rate."""


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
        self._stage, self._outlet, self._on_recording, self._alive = stage, outlet, on_recording, alive
        controls = stage.environment.controls or generic_controls(stage.env.action_space)
        self._display = Display(stage, outlet, controls, sinks, monotonic)
        has_run = stage.run_id is not None
        actors = (*((Actor.POLICY,) if has_run else ()), Actor.RANDOM, Actor.PERSON)
        first = Actor.PERSON if stage.mode is SessionMode.PLAY else actors[0]
        self._sources = ActionSources(stage.env.action_space, controls, actors, first)
        fps = max(LEAST_RATE, min(RATES[stage.mode], float(stage.environment.render_fps)))
        self._pace = Pace(fps, monotonic, playing=stage.mode is not SessionMode.STEP)
        self._episode = EpisodePlayer(stage, self._display, self._sources, self._pace, alive, monotonic)
        self._looked_at = False
        self._episodes, self._next_seed = 0, stage.seed

    def turn(self) -> None:
        """Handle one message, or take a step if one is due, or wait a moment for either."""
        self._alive()
        self._look_for_policy()
        if self._looked_at:
            self._display.draw_slice(self._sources.policy)
            if self._display.seen.is_owed and not self._pace.playing:
                self._episode.show(again=True)
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
        return self._sources.may_begin if self._episode.is_over else self._sources.is_ready

    def _go_on(self) -> None:
        if self._episode.is_over:
            self._begin()
        else:
            self._episode.step()
        self._pace.step_taken(EPISODE_PAUSE_SECONDS if self._episode.is_over else None)

    def _begin(self) -> None:
        """Begin the next episode, and show its reset."""
        seed, self._next_seed = self._next_seed, self._next_seed + 1
        number, self._episodes = self._episodes, self._episodes + 1
        self._episode.begin(number, seed)
        if self._episode.join():
            self._send_state()
        self._episode.show()

    def _look_for_policy(self) -> None:
        found = self._stage.policies.look()
        if found is None:
            return
        is_first, self._sources.policy.policy = self._sources.policy.policy is None, found
        self._display.slice.renew()
        self._episode.consider()
        if self._looked_at:
            self._display.policy(self._sources)
            if is_first and self._episode.has_begun:
                self._episode.show(again=True)  # now with what it makes of it

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
                # These change no state, or come too often.
                if not isinstance(arrived, TakeAction | ShowSeen | ShowSlice):
                    self._send_state()
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
                self._pace.pause(owed=0 if self._episode.has_begun else 1)  # there is something to look at all the same
            case Forward(n=n):
                self._pace.pause(owed=n)
            case Back():
                self._pace.pause()
                self._episode.back()
            case Reset(seed=seed):
                self._next_seed = self._next_seed if seed is None else seed
                self._episode.forget()
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
                self._episode.join()
            case Part(value=value):
                self._pace.pause()
                self._episode.part(value)
            case ShowSeen():
                self._display.seen.choose(arrived)
                if self._episode.has_begun:
                    self._episode.show(again=True)
            case ShowSlice(over=over, hold=hold):
                self._display.slice.choose(over, hold)
            case ChooseGreedy(on=on):
                self._episode.greedy = on
                self._episode.consider()

    def _introduce(self) -> None:
        """Send everything that somebody who begins to watch needs to know."""
        self._display.hello(self._sources, self._pace, greedy=self._episode.greedy)
        self._send_state()
        self._display.policy(self._sources)
        if self._episode.has_begun:
            self._episode.show_all()
        elif not self._pace.playing:
            self._begin()  # something to look at
        self._pace.hurry()

    def _send_state(self) -> None:
        self._display.state(self._sources, self._pace, greedy=self._episode.greedy, parted_at=self._episode.parted_at)
