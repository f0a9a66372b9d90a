"""Plays the episodes of a session at the viewer's speed, and handles the viewer's messages.

``EpisodePlayer`` plays the current episode, with steps back and a second future. ``Display`` turns what happens into
messages; steps become StepRecords that JSON can represent.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from rlviz.domain.environment import Controls
from rlviz.domain.errors import NotSliceable
from rlviz.domain.recording import Actor, PolicyReading, StepRecord
from rlviz.domain.sessions import (
    Back,
    ChooseActor,
    ChooseGreedy,
    ClientMessage,
    EpisodeMessage,
    ErrorMessage,
    Forward,
    Hello,
    Line,
    Part,
    Pause,
    Play,
    PolicyMessage,
    Rate,
    Reset,
    SessionMode,
    ShowSeen,
    ShowSlice,
    StateMessage,
    TakeAction,
)
from rlviz.domain.spaces import MOST_NUMBERS
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.environments.generic_controls import generic_controls
from rlviz.learning.playing.rollout import Env, Episode, Step, digest_of, seed_all
from rlviz.learning.sessions.actions import ActionSources, History, Pace, PolicyActions, bounds_of, parse_action
from rlviz.learning.sessions.insight import GeneratorHistory, Generators, LiveSeen, LiveSlice, OtherFuture
from rlviz.learning.sessions.packets import Presence, Recording
from rlviz.learning.sessions.stage import Outlet, SessionInput, Sink, Stage
from rlviz.stats.pictures import is_picture


def record_of(
    step: Step,
    *,
    actor: Actor | None = None,
    elapsed_ms: float = 0.0,
    frame: NDArray[np.uint8] | None = None,
    most_actions: int | None = None,
) -> StepRecord:
    """Return the record of ``step``, which ``actor`` took; ``frame`` shows the state after it.

    If a Discrete space has more than ``most_actions`` actions, the reading contains only the best ones.
    """
    is_large = isinstance(step.observation, np.ndarray) and _is_large(step.observation)
    is_reset = step.number == 0
    return StepRecord(
        episode=step.episode,
        index=step.number,
        observation=None if is_large else as_json(step.observation),
        observation_hash=hash_of(step.observation) if is_large else None,
        action=None if is_reset else as_json(step.action),
        actor=None if is_reset else actor,
        reward=None if is_reset else _finite(step.reward),
        reward_components=None
        if step.components is None
        else {name: _finite(value) for name, value in step.components.items()},
        episode_return=_finite(step.episode_return),
        terminated=step.terminated,
        truncated=step.truncated,
        elapsed_ms=elapsed_ms,
        frame_hash=None if frame is None else hash_of(frame),
        cell=step.cell,
        reading=None if step.reading is None else _in_numbers(step.reading, most_actions),
    )


def hash_of(array: NDArray[Any]) -> str:
    """Return the BLAKE2b hash of the bytes of ``array`` in C order, as 32 hexadecimal digits."""
    return digest_of(array).hex()


def as_json(value: Any) -> JsonValue:
    """Convert an observation or action to numbers, lists and text. Values not finite or of other types become null."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, dict):
        return {str(key): as_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    return None


def _is_large(observation: NDArray[Any]) -> bool:
    return is_picture(observation.shape, observation.dtype) or observation.size > MOST_NUMBERS


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _in_numbers(reading: Reading, most_actions: int | None) -> PolicyReading:
    """Convert a reading to JSON. Quantiles are ordered by action; the networks order them by quantile."""
    quantiles = None if reading.quantiles is None else reading.quantiles.T
    places = _best(reading, most_actions)

    def of_actions(values: NDArray[Any] | None) -> JsonValue:
        return _known(values if values is None or places is None else values[places])

    return PolicyReading.model_validate(
        {
            "value": as_json(reading.value),
            "probabilities": of_actions(reading.probabilities),
            "mean": _known(reading.mean),
            "deviation": _known(reading.deviation),
            "squashed": reading.squashed,
            "q_values": of_actions(reading.q_values),
            "action_value": as_json(reading.action_value),
            "quantiles": of_actions(quantiles),
            "places": None if places is None else places.tolist(),
        }
    )


def _best(reading: Reading, most: int | None) -> NDArray[np.intp] | None:
    """Return the indices of the ``most`` best actions (by probability, else value), or None if there are no more."""
    values = reading.probabilities if reading.probabilities is not None else reading.q_values
    if values is None and reading.quantiles is not None:
        values = reading.quantiles.mean(axis=0)
    if most is None or values is None or len(values) <= most:
        return None
    return np.argsort(-values, kind="stable")[:most]


def _known(values: NDArray[Any] | None) -> JsonValue:
    """Return None for a policy whose weights are not finite, because it computes nothing useful."""
    return None if values is None or not np.isfinite(values).all() else as_json(values)


MOST_ACTIONS = 64
"""Number of actions of a Discrete space, the best ones, that a session shows readings of."""


class Display:
    """Sends messages and frames through ``outlet``, and passes every step to ``sinks``."""

    def __init__(
        self,
        stage: Stage,
        outlet: Outlet,
        controls: Controls,
        sinks: Sequence[Sink],
        monotonic: Callable[[], float],
    ) -> None:
        self._stage, self._outlet, self._controls, self._sinks = stage, outlet, controls, sinks
        self._monotonic = monotonic
        self.begin()

    def begin(self) -> None:
        """Start for a new viewer. Pictures of what the agent saw, and slices, are off until requested."""
        self.seen = LiveSeen(self._monotonic)
        self.slice = LiveSlice(self._monotonic)

    def hello(self, sources: ActionSources, pace: Pace, *, greedy: bool) -> None:
        environment = self._stage.environment
        self._outlet.send(
            Hello(
                mode=self._stage.mode,
                env_id=environment.id,
                run_id=self._stage.run_id,
                fps=pace.fps,
                actor=sources.actor,
                actors=sources.actors,
                greedy=greedy,
                action_space=environment.action_space,
                observation_space=environment.observation_space,
                action_bounds=bounds_of(self._stage.env.action_space),
                controls=self._controls,
            )
        )

    def state(self, sources: ActionSources, pace: Pace, *, greedy: bool, parted_at: int | None) -> None:
        self._outlet.send(
            StateMessage(playing=pace.playing, fps=pace.fps, actor=sources.actor, greedy=greedy, parted_at=parted_at)
        )

    def policy(self, sources: ActionSources) -> None:
        """Send which policy plays. Nothing is sent while there is none."""
        if sources.policy.policy is not None:
            self._outlet.send(PolicyMessage(step=sources.policy.policy.step))

    def episode(self, history: History) -> None:
        self._outlet.send(EpisodeMessage(episode=history.episode.place, seed=history.episode.seed))

    def draw_slice(self, policy: PolicyActions) -> None:
        """Send the requested value slice if it is due."""
        try:
            found = self.slice.draw(policy.policy)
        except NotSliceable as error:
            self.refusal(str(error))
        else:
            if found is not None:
                self._outlet.send(found)

    def refusal(self, detail: str) -> None:
        self._outlet.send(ErrorMessage(detail=detail))

    def step(
        self,
        history: History,
        policy: PolicyActions,
        *,
        greedy: bool,
        line: Line = Line.PLAYED,
        again: bool = False,
        hurried: bool = False,
    ) -> None:
        """Show the newest step with its frame and the reading of ``policy``, which also chooses its next action.

        Args:
            again: Whether the step was shown before. Such steps, and those of the other future, do not go to the sinks.
            hurried: Whether more steps follow at once, so that slow parts may be left out.
        """
        last = history.last
        frame = history.frame()
        reading = policy.choose_action(history.newest.observation, greedy=greedy)
        step = history.newest._replace(reading=reading)
        record = record_of(
            step,
            actor=last.actor if last is not None else None,
            elapsed_ms=last.elapsed_ms if last is not None else 0.0,
            frame=frame,
            most_actions=MOST_ACTIONS if self._stage.environment.action_space.kind == "Discrete" else None,
        )
        if line is Line.OTHER:
            self._outlet.show(record, frame, line=line)
            return
        self._outlet.show(record, frame, self.seen.choose_pictures(step.observation, policy, hurried=hurried))
        self.slice.note(step)
        if not again and self._stage.start is None:
            for sink in self._sinks:
                sink(history.episode, step, record, frame)


class EpisodePlayer:
    """Plays the current episode and shows each step on ``display``. ``alive`` is called during a replay."""

    def __init__(
        self,
        stage: Stage,
        display: Display,
        sources: ActionSources,
        pace: Pace,
        alive: Callable[[], None],
        monotonic: Callable[[], float],
    ) -> None:
        self._stage, self._display, self._sources, self._pace = stage, display, sources, pace
        self._alive, self._monotonic = alive, monotonic
        self.greedy = stage.greedy
        self._history: History | None = None
        self._generator_history = GeneratorHistory()
        self._other: OtherFuture | None = None
        self._other_env: Env | None = None
        self._began = 0.0

    @property
    def has_begun(self) -> bool:
        return self._history is not None

    @property
    def is_over(self) -> bool:
        """Whether the next step starts an episode."""
        if self._history is None:
            return True
        return self._history.newest.is_last and (self._other is None or self._other.newest.is_last)

    @property
    def parted_at(self) -> int | None:
        """The step at which the second future started, or None."""
        return self._other.parted_at if self._other is not None else None

    def begin(self, number: int, seed: int) -> None:
        """Start episode ``number`` with a reset, which ``show`` shows."""
        history = self._history = History(Episode(self._stage.env, number, seed, start=self._stage.start))
        self._sources.forget_next()
        self._generator_history.clear()
        self._seed(history)
        history.episode.begin()
        self._began = self._monotonic()
        self._display.episode(history)

    def forget(self) -> None:
        """Leave the episode; the next step starts another one."""
        self._history = None
        self.join()

    def step(self) -> None:
        """Take a step in the episode and in the other future, if any. If one is over, it waits for the other."""
        assert self._history is not None
        actor, action = self._sources.act()
        if not self._history.newest.is_last:
            self._take(self._history, action, actor)
        if self._other is not None and not self._other.newest.is_last:
            self._other.take_action(actor, action, self._elapsed_ms)
            self._show_other()

    def back(self) -> None:
        """Go one step back. Raises ValueError at the start of the episode."""
        history = self._history
        if history is None or history.last is None:
            raise ValueError("This is the beginning of the episode.")
        self.join()
        now = self._generators()
        self._seed(history)
        if not history.go_back():
            self._history = history = history.replay(self._stage.env, len(history.taken) - 1, self._alive)
        self._show_remembered(history, now)

    def part(self, value: Any) -> None:
        """Start a second future with the action ``value``. Raises ValueError if that is not possible."""
        if self._history is None or self._history.newest.is_last:
            raise ValueError("The episode is over. Go back one step or start a new episode, then choose an action.")
        self.join()
        action = parse_action(self._stage.env.action_space, value)
        if self._other_env is None:
            self._other_env = self._stage.make_env()
        self._other = OtherFuture(self._history, action, self._other_env, self._sources.policy, self._alive)
        self._show_other()

    def join(self) -> bool:
        """Close the second future. Returns whether there was one."""
        had_parted, self._other = self._other is not None, None
        return had_parted

    def choose_again(self) -> None:
        """Choose the next actions again, because the policy or its settings have changed."""
        if self._history is not None:
            self._sources.policy.choose_action(self._history.newest.observation, greedy=self.greedy)
        if self._other is not None:
            self._other.policy.policy = self._sources.policy.policy
            with self._other.generators.used():
                self._other.policy.choose_action(self._other.newest.observation, greedy=self.greedy)

    def show(self, *, again: bool = False) -> None:
        """Show the newest step. ``again``: it was shown before."""
        assert self._history is not None
        if not again:
            self._generator_history.remember(self._history.newest.number, self._generators())
        hurried = self._pace.playing and not again
        self._display.step(self._history, self._sources.policy, greedy=self.greedy, again=again, hurried=hurried)

    def show_all(self) -> None:
        """Show everything that is played to a new viewer."""
        assert self._history is not None
        self._display.episode(self._history)
        self.show(again=True)
        if self._other is not None:
            self._show_other()

    def _take(self, history: History, action: Any, actor: Actor) -> None:
        """Take a step. A step that the viewer went back from is shown from memory."""
        if history.go_forward(action, actor):
            self._show_remembered(history, self._generators())
            return
        history = self._history = self._caught_up(history)
        history.take_action(action, actor, self._elapsed_ms)
        self.show()

    def _show_remembered(self, history: History, now: Generators) -> None:
        """Show a remembered step, and continue from its generators, or from ``now`` if they are no longer known."""
        last = history.last
        self._began = self._monotonic() - (last.elapsed_ms / 1_000 if last is not None else 0.0)
        (self._generator_history.at(history.newest.number) or now).restore()
        self.show()

    def _caught_up(self, history: History) -> History:
        """Replay the environment up to the current step if the viewer went back to a remembered step."""
        if not history.is_behind:
            return history
        now = self._generators()
        seed_all(history.episode, self._sources.policy.policy, deterministic=self.greedy)
        caught_up = history.replay_to_newest(self._alive)
        now.restore()
        return caught_up

    def _seed(self, history: History) -> None:
        self._sources.policy.begin()
        seed_all(history.episode, self._sources.policy.policy, deterministic=self.greedy)

    def _generators(self) -> Generators:
        """Return the states of all random generators that the next action may draw from."""
        policy = self._sources.policy.policy
        return Generators(self._stage.env.action_space, *([] if policy is None else [policy.action_space]))

    def _elapsed_ms(self) -> float:
        return round((self._monotonic() - self._began) * 1_000, 1)

    def _show_other(self) -> None:
        assert self._other is not None
        with self._other.generators.used():
            greedy = self.greedy or self._other.is_decided
            self._display.step(self._other.history, self._other.policy, greedy=greedy, line=Line.OTHER)


EPISODE_PAUSE_SECONDS = 1.0
"""How long the last frame of an episode stays before the next episode begins."""

LONGEST_WAIT_SECONDS = 0.25
"""Longest sleep of the player; it looks for newer weights in between."""

RATES = {SessionMode.WATCH: 15.0, SessionMode.STEP: 15.0, SessionMode.PLAY: 30.0}
"""Steps per second, unless the environment is made for fewer."""


LEAST_RATE = 1.0
"""Initial steps per second of an environment whose own rate is too slow to watch. Its videos keep that rate."""


class SessionPlayer:
    """Plays a session; call ``run_once`` in a loop. Nothing is played without a viewer."""

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
        """Create the player.

        Args:
            on_recording: Called with the run folder that stores episodes played by hand.
            alive: Called before anything slow, and at least every ``LONGEST_WAIT_SECONDS``.
        """
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

    def run_once(self) -> None:
        """Handle one message, take a step if one is due, or wait briefly for either."""
        self._alive()
        self._load_newer_policy()
        if self._looked_at:
            self._display.draw_slice(self._sources.policy)
            if self._display.seen.is_owed and not self._pace.playing:
                self._episode.show(again=True)
        can_step = self._can_step()
        wait = self._pace.seconds_left if can_step else LONGEST_WAIT_SECONDS
        arrived = self._outlet.wait(min(wait, LONGEST_WAIT_SECONDS))
        if arrived is not None:
            self._handle_input(arrived)
        elif can_step and not self._pace.seconds_left:
            self._step_or_begin()

    def _can_step(self) -> bool:
        """Return whether a step will be taken: one is wanted, and the actor has an action."""
        if not self._looked_at or not self._pace.wants_steps:
            return False
        return self._sources.may_begin if self._episode.is_over else self._sources.is_ready

    def _step_or_begin(self) -> None:
        if self._episode.is_over:
            self._begin()
        else:
            self._episode.step()
        self._pace.step_taken(EPISODE_PAUSE_SECONDS if self._episode.is_over else None)

    def _begin(self) -> None:
        """Start the next episode and show its reset."""
        seed, self._next_seed = self._next_seed, self._next_seed + 1
        number, self._episodes = self._episodes, self._episodes + 1
        self._episode.begin(number, seed)
        if self._episode.join():
            self._send_state()
        self._episode.show()

    def _load_newer_policy(self) -> None:
        found = self._stage.policies.find_newer()
        if found is None:
            return
        is_first, self._sources.policy.policy = self._sources.policy.policy is None, found
        self._display.slice.renew()
        self._episode.choose_again()
        if self._looked_at:
            self._display.policy(self._sources)
            if is_first and self._episode.has_begun:
                self._episode.show(again=True)  # now with the policy's reading

    def _handle_input(self, arrived: SessionInput) -> None:
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
                # These do not change the state, or are too frequent.
                if not isinstance(arrived, TakeAction | ShowSeen | ShowSlice):
                    self._send_state()
                if refusal is not None:
                    self._display.refusal(refusal)

    def _handle(self, arrived: ClientMessage) -> str | None:
        """Apply the message. Returns None, or why that is not possible."""
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
                self._pace.pause(owed=0 if self._episode.has_begun else 1)  # show at least the first frame
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
                self._episode.choose_again()

    def _introduce(self) -> None:
        """Send everything that a new viewer needs."""
        self._display.hello(self._sources, self._pace, greedy=self._episode.greedy)
        self._send_state()
        self._display.policy(self._sources)
        if self._episode.has_begun:
            self._episode.show_all()
        elif not self._pace.playing:
            self._begin()  # show the first frame
        self._pace.hurry()

    def _send_state(self) -> None:
        self._display.state(self._sources, self._pace, greedy=self._episode.greedy, parted_at=self._episode.parted_at)
