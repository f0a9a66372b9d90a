"""EnvironmentFaults: tells in the journal of a run what its environment returned that training suffers from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from rlviz.learning.environments.conforming import Fault, listen
from rlviz.learning.environments.observed import FaultKind
from rlviz.learning.environments.wrappers import Env
from rlviz.learning.training.journals import RunJournals


class EnvironmentFaults:
    """Warns once of each kind, at the step at which it came first. For the thread that trains."""

    def __init__(self, journals: RunJournals) -> None:
        self._journals = journals
        self._count: Counter[FaultKind] = Counter()
        self._is_muted = False
        self._cause: str | None = None
        self._is_certain = False

    @property
    def cause(self) -> str | None:
        """The first number that was not finite, or else that was huge, in a sentence: what comes after it may follow
        from it."""
        return self._cause

    def watch(self, envs: Sequence[Env], step: Callable[[], int]) -> None:
        """Listen to ``envs``, which are stepped together. ``step``: the environment steps that a step leads to."""
        for place, env in enumerate(envs):
            which = f" in environment {place + 1} of {len(envs)}" if len(envs) > 1 else ""
            listen(env, self._listener(step, which))

    def watch_evaluation(self, env: Env, step: Callable[[], int]) -> Env:
        """Listen to an environment in which the policy of ``step`` is evaluated; returns it."""
        listen(env, self._listener(step, " in an evaluation"))
        return env

    def mute(self) -> None:
        """Hear nothing until ``unmute``: environments are brought to where they were before."""
        self._is_muted = True

    def unmute(self) -> None:
        """Listen again. What was learned before is gone, and with it what followed."""
        self._is_muted, self._cause, self._is_certain = False, None, False
        self._journals.environment_fault = None

    def tell_counts(self, step: int) -> None:
        """Warn of what came more than once, with how often it did; to be called at the end of an attempt."""
        often = [f"{kind} {count:,} times" for kind, count in self._count.items() if count > 1]
        if often:
            self._journals.warn(step, f"In this attempt, of the environment: {'; '.join(often)}.")
        self._count.clear()

    def _listener(self, step: Callable[[], int], which: str) -> Callable[[Fault], None]:
        def hear(fault: Fault) -> None:
            if self._is_muted:
                return
            self._count[fault.kind] += 1
            if self._count[fault.kind] > 1:
                return
            if fault.kind is FaultKind.CLOSE:
                self._journals.warn_now(fault.sentence())
                return
            at = step()
            if fault.kind.may_ruin and (self._cause is None or fault.kind.is_not_finite > self._is_certain):
                self._cause, self._is_certain = fault.words(f"at step {at:,}{which}"), fault.kind.is_not_finite
                self._journals.environment_fault = self._cause
            self._journals.warn(at, fault.sentence(f"at step {at:,}{which}"))

        return hear
