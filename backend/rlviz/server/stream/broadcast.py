"""Broadcast: tells every open stream what changed. Published from any thread, received on an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock

from rlviz.server.catalog.models import EvaluationRow, RunRow


@dataclass(frozen=True)
class Changes:
    """Ids of what changed, in the order of their first change.

    The current state is in the catalogue: two writers may publish in another order than they wrote, so the last to
    publish need not be the last that wrote.
    """

    runs: dict[str, None] = field(default_factory=dict)
    evaluations: dict[tuple[str, str], None] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    experiments: dict[str, None] = field(default_factory=dict)


class Subscription:
    """What changed since the last ``take``, at most one entry for each run and evaluation, so that it cannot grow
    without limit."""

    def __init__(self, loop: asyncio.AbstractEventLoop, follows: Collection[str] = (), *, all_runs: bool) -> None:
        self.wake = asyncio.Event()
        self.follows = frozenset(follows)
        """Ids of the runs whose metrics it subscribes to."""
        self.hears_of_all = all_runs
        self._waking = False
        self._loop = loop
        self._lock = Lock()
        self._changes = Changes()

    def hears_of(self, run_id: str) -> bool:
        """Whether changes of a run, other than its metrics, are delivered."""
        return self.hears_of_all or run_id in self.follows

    def take(self) -> Changes:
        """All changes, each returned once."""
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
    """Delivers every change to every subscription.

    ``on_run_changed`` and ``on_evaluation_changed`` are called with each change first, on the publishing thread: they
    must return quickly.
    """

    def __init__(
        self,
        on_run_changed: Callable[[RunRow], None] | None = None,
        on_evaluation_changed: Callable[[EvaluationRow], None] | None = None,
    ) -> None:
        self._on_run_changed, self._on_evaluation_changed = on_run_changed, on_evaluation_changed
        self._subscriptions: set[Subscription] = set()
        self._versions: dict[str, int] = {}
        self._lock = Lock()

    @contextmanager
    def subscription(self, follows: Collection[str] = (), *, all_runs: bool = True) -> Iterator[Subscription]:
        """Subscribe, on the running event loop, for the length of the block: to the metrics of some runs, and to the
        other changes of ``all_runs`` or of those alone."""
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
        """How many there are."""
        with self._lock:
            return len(self._subscriptions)

    def run_changed(self, row: RunRow) -> None:
        if self._on_run_changed is not None:
            self._on_run_changed(row)
        with self._lock:
            self._versions[row.id] = self._versions.get(row.id, 0) + 1
        for subscription in self._hearing_of(row.id):
            subscription.offer_run(row.id)
            subscription.notify()

    def version(self, run_id: str) -> int:
        """Number of changes of a run and its evaluations so far. Data read at this version includes all that was
        published until then."""
        return self._versions.get(run_id, 0)

    def evaluation_changed(self, row: EvaluationRow) -> None:
        if self._on_evaluation_changed is not None:
            self._on_evaluation_changed(row)
        with self._lock:
            self._versions[row.run_id] = self._versions.get(row.run_id, 0) + 1
        for subscription in self._hearing_of(row.run_id):
            subscription.offer_evaluation(row.run_id, row.id)
            subscription.notify()

    def run_deleted(self, run_id: str) -> None:
        with self._lock:
            self._versions[run_id] = self._versions.get(run_id, 0) + 1
        for subscription in self._hearing_of(run_id):
            subscription.offer_deletion(run_id)
            subscription.notify()

    def experiment_changed(self, experiment_id: str) -> None:
        """Tell those that hear of all runs."""
        for subscription in self._all():
            if subscription.hears_of_all:
                subscription.offer_experiment(experiment_id)
                subscription.notify()

    def metrics_grew(self, run_id: str) -> None:
        """Wake the streams that follow the run, whose feed has new rows. Called twenty times a second for each live
        run."""
        for subscription in self._all():
            if run_id in subscription.follows:
                subscription.notify()

    def _hearing_of(self, run_id: str) -> list[Subscription]:
        return [subscription for subscription in self._all() if subscription.hears_of(run_id)]

    def _all(self) -> list[Subscription]:
        with self._lock:
            return list(self._subscriptions)
