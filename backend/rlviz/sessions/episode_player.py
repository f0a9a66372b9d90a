"""EpisodePlayer: the episode of a session that is played now, with its steps back and a second future beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rlviz.domain.session_messages import Line
from rlviz.domain.step_record import Actor
from rlviz.rollout.episode import Env, Episode
from rlviz.rollout.play import seed_all
from rlviz.sessions.action_sources import ActionSources, parse_action
from rlviz.sessions.display import Display
from rlviz.sessions.history import History
from rlviz.sessions.other_future import GeneratorHistory, Generators, OtherFuture
from rlviz.sessions.pace import Pace
from rlviz.sessions.stage import Stage


class EpisodePlayer:
    """Each step that is taken, or gone back to, is shown on ``display``. ``alive`` is called while a replay goes on."""

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
        """Whether the next step begins an episode."""
        if self._history is None:
            return True
        return self._history.newest.is_last and (self._other is None or self._other.newest.is_last)

    @property
    def parted_at(self) -> int | None:
        """The step at which the second future began; None without one."""
        return self._other.parted_at if self._other is not None else None

    def begin(self, number: int, seed: int) -> None:
        """Begin episode ``number`` with a reset, which ``show`` shows."""
        history = self._history = History(Episode(self._stage.env, number, seed))
        self._sources.forget_next()
        self._generator_history.clear()
        self._seed(history)
        history.episode.begin()
        self._began = self._monotonic()
        self._display.episode(history)

    def forget(self) -> None:
        """Leave the episode as it is: the next step begins another one."""
        self._history = None
        self.join()

    def step(self) -> None:
        """Take a step in the episode, and in the other future if there is one. If one of them is over, it waits for the
        other to end."""
        assert self._history is not None
        actor, action = self._sources.act()
        if not self._history.newest.is_last:
            self._take(self._history, action, actor)
        if self._other is not None and not self._other.newest.is_last:
            self._other.take(actor, action, self._elapsed_ms)
            self._show_other()

    def back(self) -> None:
        """Go a step back. Raises ValueError at the beginning of the episode."""
        history = self._history
        if history is None or history.last is None:
            raise ValueError("This is the beginning of the episode.")
        self.join()
        now = self._generators()
        self._seed(history)
        if not history.go_back():
            self._history = history = history.again(self._stage.env, len(history.taken) - 1, self._alive)
        self._show_remembered(history, now)

    def part(self, value: Any) -> None:
        """Begin a second future, whose first action is ``value``. Raises ValueError where that is not possible."""
        if self._history is None or self._history.newest.is_last:
            raise ValueError("The episode is over. Go a step back, or begin another, and choose an action there.")
        self.join()
        action = parse_action(self._stage.env.action_space, value)
        if self._other_env is None:
            self._other_env = self._stage.make_env()
        self._other = OtherFuture(self._history, action, self._other_env, self._sources.policy, self._alive)
        self._show_other()

    def join(self) -> bool:
        """Close the second future, and go on with the episode alone. Returns whether there was one."""
        had_parted, self._other = self._other is not None, None
        return had_parted

    def consider(self) -> None:
        """Choose the next actions again, because the policy or the way it plays has changed."""
        if self._history is not None:
            self._sources.policy.consider(self._history.newest.observation, greedy=self.greedy)
        if self._other is not None:
            self._other.policy.policy = self._sources.policy.policy
            with self._other.generators.used():
                self._other.policy.consider(self._other.newest.observation, greedy=self.greedy)

    def show(self, *, again: bool = False) -> None:
        """Show the newest step of the episode. ``again``: it was shown before."""
        assert self._history is not None
        if not again:
            self._generator_history.remember(self._history.newest.number, self._generators())
        hurried = self._pace.playing and not again
        self._display.step(self._history, self._sources.policy, greedy=self.greedy, again=again, hurried=hurried)

    def show_all(self) -> None:
        """Show everything that is played to somebody who begins to watch."""
        assert self._history is not None
        self._display.episode(self._history)
        self.show(again=True)
        if self._other is not None:
            self._show_other()

    def _take(self, history: History, action: Any, actor: Actor) -> None:
        """Take a step in the episode. One that somebody went back from is shown from memory."""
        if history.go_forward(action, actor):
            self._show_remembered(history, self._generators())
            return
        history = self._history = self._caught_up(history)
        history.take(action, actor, self._elapsed_ms)
        self.show()

    def _show_remembered(self, history: History, now: Generators) -> None:
        """Show a step that was there before, and go on from it: the clock, and the generators as they were then, or as
        they are ``now`` if that is not known any more."""
        last = history.last
        self._began = self._monotonic() - (last.elapsed_ms / 1_000 if last is not None else 0.0)
        (self._generator_history.at(history.newest.number) or now).restore()
        self.show()

    def _caught_up(self, history: History) -> History:
        """If somebody went back to a remembered step, the environment is played again up to it."""
        if not history.is_behind:
            return history
        now = self._generators()
        seed_all(history.episode, self._sources.policy.policy, deterministic=self.greedy)
        caught_up = history.caught_up(self._alive)
        now.restore()
        return caught_up

    def _seed(self, history: History) -> None:
        self._sources.policy.begin()
        seed_all(history.episode, self._sources.policy.policy, deterministic=self.greedy)

    def _generators(self) -> Generators:
        """The present states of all random generators that the next action may be drawn from."""
        policy = self._sources.policy.policy
        return Generators(self._stage.env.action_space, *([] if policy is None else [policy.action_space]))

    def _elapsed_ms(self) -> float:
        return round((self._monotonic() - self._began) * 1_000, 1)

    def _show_other(self) -> None:
        assert self._other is not None
        with self._other.generators.used():
            greedy = self.greedy or self._other.is_decided
            self._display.step(self._other.history, self._other.policy, greedy=greedy, line=Line.OTHER)
