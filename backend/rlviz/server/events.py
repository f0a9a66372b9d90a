"""The event bus of the service, and every event on it.

    event              published by                         listeners
    RunChanged         supervisor, use cases on runs        notifier, sealer, deliveries, automatic resuming,
                                                            experiment scheduler, run versions, streams
    RunDeleted         runs, storage                        run versions, streams
    EvaluationChanged  supervisor, evaluations              experiment scheduler, run versions, streams
    MetricsGrew        supervisor                           streams
    ExperimentChanged  experiments                          streams
    TrialsChanged      experiment scheduler                 results of experiments
    ExperimentEnded    experiment scheduler                 notifier

``rlviz.server.wiring`` connects the listeners.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from rlviz.server.catalog.models import EvaluationRow, RunRow


@dataclass(frozen=True, eq=False)
class RunChanged:
    """The row of a run is new or has changed.

    Two writers may publish in a different order than they wrote. The catalogue has the current row.
    """

    run: RunRow


@dataclass(frozen=True)
class RunDeleted:
    run_id: str


@dataclass(frozen=True, eq=False)
class EvaluationChanged:
    evaluation: EvaluationRow


@dataclass(frozen=True)
class MetricsGrew:
    """The feed of a live run has new rows. Published twenty times a second for each."""

    run_id: str


@dataclass(frozen=True)
class ExperimentChanged:
    experiment_id: str


@dataclass(frozen=True)
class TrialsChanged:
    """A trial has started or ended. ``is_over``: the experiment has ended too."""

    experiment_id: str
    is_over: bool


@dataclass(frozen=True)
class ExperimentEnded:
    """An experiment is complete or has failed. ``scored`` counts the trials with a score; ``cause`` says why it failed
    and is None if it is complete."""

    experiment_id: str
    name: str
    scored: int
    cause: str | None


Event = RunChanged | RunDeleted | EvaluationChanged | MetricsGrew | ExperimentChanged | TrialsChanged | ExperimentEnded
AnyEvent = TypeVar("AnyEvent", bound=Event)


class EventBus:
    """Calls each listener on the publishing thread, in the order of registration. Listeners must return quickly."""

    def __init__(self) -> None:
        self._listeners: defaultdict[type[Any], list[Callable[[Any], None]]] = defaultdict(list)

    def listen(self, kind: type[AnyEvent], listener: Callable[[AnyEvent], None]) -> None:
        """Call ``listener`` with every event of this ``kind`` from now on."""
        self._listeners[kind].append(listener)

    def publish(self, event: Event) -> None:
        for listener in self._listeners[type(event)]:
            listener(event)


class RunVersions:
    """Counts the changes of each run and its evaluations. Data read at a version includes everything published up to
    that version."""

    def __init__(self, events: EventBus) -> None:
        self._versions: dict[str, int] = {}
        self._lock = Lock()
        events.listen(RunChanged, lambda event: self._count(event.run.id))
        events.listen(EvaluationChanged, lambda event: self._count(event.evaluation.run_id))
        events.listen(RunDeleted, lambda event: self._count(event.run_id))

    def version(self, run_id: str) -> int:
        """Return the number of changes so far; 0 for an unknown run."""
        return self._versions.get(run_id, 0)

    def _count(self, run_id: str) -> None:
        with self._lock:
            self._versions[run_id] = self._versions.get(run_id, 0) + 1
