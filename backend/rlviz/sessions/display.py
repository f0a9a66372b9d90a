"""Display: turns what happens in a session into messages for the person who watches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rlviz.domain.errors import NotSliceable
from rlviz.domain.key_bindings import Controls
from rlviz.domain.session_messages import (
    EpisodeMessage,
    ErrorMessage,
    Hello,
    Line,
    PolicyMessage,
    StateMessage,
)
from rlviz.rollout.step_records import record_of
from rlviz.sessions.action_sources import ActionSources, PolicyActions
from rlviz.sessions.bounds import bounds_of
from rlviz.sessions.history import History
from rlviz.sessions.live_seen import LiveSeen
from rlviz.sessions.live_slice import LiveSlice
from rlviz.sessions.pace import Pace
from rlviz.sessions.stage import Outlet, Sink, Stage

MOST_ACTIONS = 64
"""Of so many actions of a Discrete space, the best, a session tells what the policy makes of them."""


class Display:
    """Sends messages and frames through ``outlet``. Every step of the episode is passed on to ``sinks`` as well."""

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
        """Somebody begins to watch. Pictures of what the agent saw, and slices, are off until they ask for them."""
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
        """Tell which policy plays. Nothing is sent while there is none."""
        if sources.policy.policy is not None:
            self._outlet.send(PolicyMessage(step=sources.policy.policy.step))

    def episode(self, history: History) -> None:
        self._outlet.send(EpisodeMessage(episode=history.episode.place, seed=history.episode.seed))

    def draw_slice(self, policy: PolicyActions) -> None:
        """Tell of the slice that was asked for, if it is due."""
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
        """Show the newest step with its frame and with the reading of ``policy``, which also chooses its next action.

        ``again``: the step was shown before. Such a step, and one of the other future, is not passed on to the sinks.
        ``hurried``: more steps follow at once, so what takes long may be left out.
        """
        last = history.last
        frame = history.frame()
        reading = policy.consider(history.newest.observation, greedy=greedy)
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
        self._outlet.show(record, frame, self.seen.of(step.observation, policy, hurried=hurried))
        self.slice.note(step)
        if not again:
            for sink in self._sinks:
                sink(history.episode, step, record, frame)
