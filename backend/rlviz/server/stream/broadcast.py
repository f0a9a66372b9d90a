"""Broadcast: notifies open streams of changes. Any thread publishes; streams receive on their event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock

from rlviz.server.events import EvaluationChanged, EventBus, ExperimentChanged, MetricsGrew, RunChanged, RunDeleted


@dataclass(frozen=True)
class Changes:
    """Ids of what changed, in the order of their first change.

    It holds no state, because two writers may publish in another order than they write. Read the current state from
    the catalogue.
    """

    runs: dict[str, None] = field(default_factory=dict)
    evaluations: dict[tuple[str, str], None] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    experiments: dict[str, None] = field(default_factory=dict)


class Subscription:
    """The changes since the last ``take_changes``, at most one entry for each run and evaluation, so that a slow stream
    cannot fill the memory."""

    def __init__(self, loop: asyncio.AbstractEventLoop, follows: Collection[str] = (), *, all_runs: bool) -> None:
        self.wake = asyncio.Event()
        self.follows = frozenset(follows)
        """Ids of the runs whose metrics are delivered."""
        self.covers_all_runs = all_runs
        self._waking = False
        self._loop = loop
        self._lock = Lock()
        self._changes = Changes()

    def covers(self, run_id: str) -> bool:
        """Whether changes of a run, other than its metrics, are delivered."""
        return self.covers_all_runs or run_id in self.follows

    def take_changes(self) -> Changes:
        """Return the new changes and forget them."""
        with self._lock:
            taken, self._changes = self._changes, Changes()
        return taken

    def offer_run(self, run_id: str) -> None:
        with self._lock:
            self._changes.runs[run_id] = None

    def offer_evaluation(self, run_id: str, evaluation_id: str) -> None:
        with self._lock:
            self._changes.evaluations[run_id, evaluation_id] = None

    def offer_deletion(self, run_id: str) -> None:
        with self._lock:
            self._changes.deleted[run_id] = None

    def offer_experiment(self, experiment_id: str) -> None:
        with self._lock:
            self._changes.experiments[experiment_id] = None

    def notify(self) -> None:
        """Wake the stream, once for all changes until its event loop handles it."""
        with self._lock:
            if self._waking:
                return
            self._waking = True
        with suppress(RuntimeError):  # the loop has closed
            self._loop.call_soon_threadsafe(self._wake_up)

    def _wake_up(self) -> None:
        with self._lock:
            self._waking = False
        self.wake.set()


class Broadcast:
    """Delivers every change to every subscription."""

    def __init__(self, events: EventBus) -> None:
        self._subscriptions: set[Subscription] = set()
        self._lock = Lock()
        events.listen(RunChanged, self._run_changed)
        events.listen(RunDeleted, self._run_deleted)
        events.listen(EvaluationChanged, self._evaluation_changed)
        events.listen(ExperimentChanged, self._experiment_changed)
        events.listen(MetricsGrew, self._metrics_grew)

    @contextmanager
    def subscription(self, follows: Collection[str] = (), *, all_runs: bool = True) -> Iterator[Subscription]:
        """Subscribe on the running event loop until the end of the block.

        Args:
            follows: Ids of the runs whose metrics are delivered.
            all_runs: Deliver the other changes of all runs; otherwise only those of ``follows``.
        """
        subscription = Subscription(asyncio.get_running_loop(), follows, all_runs=all_runs)
        with self._lock:
            self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            with self._lock:
                self._subscriptions.discard(subscription)

    @property
    def subscriptions(self) -> int:
        """Number of open subscriptions."""
        with self._lock:
            return len(self._subscriptions)

    def _run_changed(self, event: RunChanged) -> None:
        for subscription in self._subscribed_to(event.run.id):
            subscription.offer_run(event.run.id)
            subscription.notify()

    def _evaluation_changed(self, event: EvaluationChanged) -> None:
        for subscription in self._subscribed_to(event.evaluation.run_id):
            subscription.offer_evaluation(event.evaluation.run_id, event.evaluation.id)
            subscription.notify()

    def _run_deleted(self, event: RunDeleted) -> None:
        for subscription in self._subscribed_to(event.run_id):
            subscription.offer_deletion(event.run_id)
            subscription.notify()

    def _experiment_changed(self, event: ExperimentChanged) -> None:
        for subscription in self._all():
            if subscription.covers_all_runs:
                subscription.offer_experiment(event.experiment_id)
                subscription.notify()

    def _metrics_grew(self, event: MetricsGrew) -> None:
        for subscription in self._all():
            if event.run_id in subscription.follows:
                subscription.notify()

    def _subscribed_to(self, run_id: str) -> list[Subscription]:
        return [subscription for subscription in self._all() if subscription.covers(run_id)]

    def _all(self) -> list[Subscription]:
        with self._lock:
            return list(self._subscriptions)
