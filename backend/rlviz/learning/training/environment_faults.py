"""Reports faults of a run's environment, such as rewards that are not finite, in the run's journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from rlviz.learning.environments.conforming import Fault, listen
from rlviz.learning.environments.observed import FaultKind
from rlviz.learning.environments.wrappers import Env
from rlviz.learning.training.journals import RunJournals


class EnvironmentFaults:
    """Warns once of each kind of fault, at the step where it came first. For the training thread."""

    def __init__(self, journals: RunJournals) -> None:
        self._journals = journals
        self._count: Counter[FaultKind] = Counter()
        self._is_muted = False
        self._cause: str | None = None
        self._is_certain = False

    @property
    def cause(self) -> str | None:
        """The first value that was not finite, or else huge, as a sentence. Later problems may follow from it."""
        return self._cause

    def watch(self, envs: Sequence[Env], step: Callable[[], int]) -> None:
        """Watch ``envs``, which are stepped together. ``step`` returns the environment steps after the current step."""
        for place, env in enumerate(envs):
            which = f" in environment {place + 1} of {len(envs)}" if len(envs) > 1 else ""
            listen(env, self._listener(step, which))

    def watch_evaluation(self, env: Env, step: Callable[[], int]) -> Env:
        """Watch an environment that evaluates the policy of ``step``, and return it."""
        listen(env, self._listener(step, " in an evaluation"))
        return env

    def mute(self) -> None:
        """Ignore faults until ``unmute``, because a rollback steps the environments."""
        self._is_muted = True

    def unmute(self) -> None:
        """Watch again, and forget the cause: the rollback removed what was learned from it."""
        self._is_muted, self._cause, self._is_certain = False, None, False
        self._journals.environment_fault = None

    def warn_of_counts(self, step: int) -> None:
        """Warn about faults that came more than once, with their counts. Call it at the end of an attempt."""
        often = [f"{kind} ({count:,} times)" for kind, count in self._count.items() if count > 1]
        if often:
            self._journals.warn(step, f"Environment faults in this attempt: {'; '.join(often)}.")
        self._count.clear()

    def _listener(self, step: Callable[[], int], which: str) -> Callable[[Fault], None]:
        def report(fault: Fault) -> None:
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

        return report
