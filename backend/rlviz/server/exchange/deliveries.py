"""LiveDeliveries: keeps a delivery worker for each sink that a run is delivered to as it trains.

Delivery workers: the processes that deliver runs to sinks.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol

from sqlalchemy.exc import DatabaseError

from rlviz.child_environment import child_environment
from rlviz.domain.errors import RunFolderError
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.importing import module_command
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.rundir.sinks import is_delivered, read_plan, read_sink
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import find_runs

log = logging.getLogger(__name__)


DELIVERED, FAILED, BUSY = 0, 1, 4
"""Exit statuses of a delivery worker; BUSY: another process delivers just that."""

LOOK_SECONDS = 0.3


def start_delivery_worker(folder: RunFolder, kind: SinkKind, *, follow: bool = False) -> subprocess.Popen[bytes]:
    """The process that delivers a run to a sink; what goes wrong is in the sink's record, and on standard error.

    ``follow``: it goes on until a line is written to its standard input. Raises OSError.
    """
    return subprocess.Popen(
        [
            *module_command("rlviz.delivery_worker"),
            str(folder.path),
            kind.value,
            *(["--follow"] if follow else []),
        ],
        stdin=subprocess.PIPE if follow else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if follow else subprocess.PIPE,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    """Without the helper process of W&B that this process may have: what hangs there would outlast ours."""
    variables = child_environment(OMP_NUM_THREADS="1")
    variables.pop("WANDB_SERVICE", None)
    return variables


def deliver_now(folder: RunFolder, kind: SinkKind, look: Callable[[], object]) -> tuple[int, str]:
    """Deliver a run to a sink; the worker's exit status and what it said. An interruption ends the worker too, and what
    it did not deliver waits for the next one. Meanwhile ``look`` is called now and then. Raises OSError."""
    worker = start_delivery_worker(folder, kind)
    try:
        while True:
            try:
                _, said = worker.communicate(timeout=LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                look()
    except BaseException:
        worker.terminate()
        raise
    finally:
        worker.wait()
    return worker.returncode, said.decode(errors="replace").strip()


@contextmanager
def following(folder: RunFolder, kind: SinkKind) -> Iterator[None]:
    """While the block runs, a worker delivers what the run gains; when it is left, the rest. If it raises, what was not
    delivered waits for the next worker. Raises OSError."""
    worker = start_delivery_worker(folder, kind, follow=True)
    assert worker.stdin is not None
    try:
        yield
        with suppress(OSError):  # it has given up before
            worker.stdin.write(b"\n")
            worker.stdin.flush()
    finally:
        with suppress(OSError):
            worker.stdin.close()
        worker.wait()


STATUS_SECONDS = 1.0

FIRST_RETRY_SECONDS = 2.0
"""Before a delivery that ended early is tried again; twice as long after each further one."""

LONGEST_RETRY_SECONDS = 300.0

MOST_WORKERS = 8
"""At a time. A delivery worker imports the package of its sink, which may take some hundred megabytes; others wait."""

END_SECONDS = 3.0
"""For a delivery worker to end when the service does."""


class StartDeliveryWorker(Protocol):
    def __call__(self, folder: RunFolder, kind: SinkKind, *, follow: bool) -> subprocess.Popen[bytes]:
        """Raises OSError."""


@dataclass
class Attempt:
    """``is_under_way``: a process delivers just now. ``next_at``: Unix seconds; None where nobody tries again."""

    is_under_way: bool = False
    next_at: float | None = None


@dataclass
class _Delivery:
    """One run to one sink: the process that delivers, or when the next one is due."""

    process: subprocess.Popen[bytes] | None = None
    is_last: bool = False
    """Whether the process was told that the run has ended."""
    is_asked: bool = False
    """Whether somebody asked for it just now, whether or not the service keeps that sink up with the run."""
    failures: int = 0
    due_at: float = 0.0


class LiveDeliveries:
    """Delivers in processes, which a thread of its own starts and watches. Any thread may call ``queue_if_due``.

    Nothing waits for a sink. What one does not take stays in the run's journal, and is tried again after 2, 4, 8 and at
    most 300 seconds, in the next service too.
    """

    def __init__(
        self,
        runs_dir: Path,
        database: Database,
        *,
        may_follow_plan: Callable[[Path], bool] = lambda _folder: True,
        begin: StartDeliveryWorker = start_delivery_worker,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``may_follow_plan``: whether the plan in a run's folder counts; in one that came from elsewhere it does
        not."""
        self._runs_dir, self._database, self._begin, self._monotonic = runs_dir, database, begin, monotonic
        self._may_follow_plan = may_follow_plan
        self._asked: SimpleQueue[tuple[str, SinkKind | None] | None] = SimpleQueue()
        self._deliveries: dict[str, dict[SinkKind, _Delivery]] = {}
        self._planned: set[str] = set()
        self._failing: set[str] = set()
        self._thread = Thread(target=self._loop, name="sinks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End the delivery workers. What they have not delivered waits for the next service."""
        self._asked.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def queue_if_due(self, row: RunRow) -> None:
        """Cheap. A run has changed: its sinks may lack something. What a run gains while it trains, its
        delivery workers see by themselves."""
        if row.id in self._planned and (row.state.is_final or row.id not in self._deliveries):
            self._asked.put((row.id, None))

    def renew(self, run_id: str) -> None:
        """The plan of a run has changed."""
        self._planned.add(run_id)
        self._asked.put((run_id, None))

    def deliver(self, run_id: str, kind: SinkKind) -> None:
        """Deliver what a sink lacks of a run as it is now, at once, however often that has failed."""
        self._asked.put((run_id, kind))

    def attempt(self, run_id: str, kind: SinkKind) -> Attempt:
        delivery = self._deliveries.get(run_id, {}).get(kind)
        if delivery is None or delivery.process is not None:
            return Attempt(delivery is not None)
        return Attempt(next_at=time.time() + max(0.0, delivery.due_at - self._monotonic()))

    def counts(self) -> dict[str, int]:
        """Deliveries that are not over: those under way, those that wait, and those whose last attempt failed and that
        wait for the next one. For every thread."""
        found = {"under_way": 0, "waiting": 0, "failing": 0}
        for deliveries in list(self._deliveries.values()):
            for delivery in list(deliveries.values()):
                found["under_way" if delivery.process else "failing" if delivery.failures else "waiting"] += 1
        return found

    def _loop(self) -> None:
        try:
            for folder in run_folders(self._runs_dir):
                if self._plan(folder):
                    self.renew(folder.run_id)
        except Exception:
            log.exception("Which runs are delivered is not known yet; those that change are found")
        while self._take_up():
            self._look()
        for deliveries in self._deliveries.values():
            for delivery in deliveries.values():
                _end(delivery)

    def _take_up(self) -> bool:
        """Wait a moment, or until somebody asks. False once the service ends."""
        timeout = self._rest()
        with suppress(Empty):
            while True:
                asked = self._asked.get(timeout=timeout)
                if asked is None:
                    return False
                run_id, kind = asked
                deliveries = self._deliveries.setdefault(run_id, {})
                if kind is not None:
                    delivery = deliveries.setdefault(kind, _Delivery())
                    delivery.is_asked, delivery.due_at = True, 0.0
                timeout = 0.0
        return True

    def _rest(self) -> float | None:
        """Seconds until a look is due: soon while somebody delivers, or waits for one of those to end."""
        if not self._deliveries:
            return None
        every = [delivery for deliveries in self._deliveries.values() for delivery in deliveries.values()]
        if not all(self._deliveries.values()) or any(delivery.process is not None for delivery in every):
            return STATUS_SECONDS
        return max(STATUS_SECONDS, min(delivery.due_at for delivery in every) - self._monotonic())

    def _look(self) -> None:
        """Bring every delivery on. The catalogue is asked once, for all of them."""
        try:
            with self._database.read() as session:
                found = {row.id: row.state for row in find_runs(session, list(self._deliveries))}
        except DatabaseError as error:
            log.debug("Which runs train is looked up later: %s", error)
            return
        for run_id in list(self._deliveries):
            try:
                self._look_after(run_id, found.get(run_id))
            except Exception:  # the other runs are delivered, and this one is looked at again
                if run_id not in self._failing:
                    log.exception("Run %s cannot be delivered now", run_id)
                self._failing.add(run_id)
            else:
                self._failing.discard(run_id)

    def _look_after(self, run_id: str, state: RunStatus | None) -> None:
        """``state`` is None for a run that is gone."""
        folder, deliveries = RunFolder(self._runs_dir, run_id), self._deliveries[run_id]
        planned = () if state is None else self._plan(folder)
        wanted = [] if state is None else [*planned, *(kind for kind, one in deliveries.items() if one.is_asked)]
        for kind in [kind for kind in deliveries if kind not in wanted]:
            _end(deliveries.pop(kind))
        trains = state is not None and not state.is_final
        for kind in dict.fromkeys(wanted):
            delivery = deliveries.setdefault(kind, _Delivery())
            if self._is_over(folder, kind, delivery, goes_on=trains and kind in planned):
                del deliveries[kind]
        if not deliveries:
            del self._deliveries[run_id]

    def _plan(self, folder: RunFolder) -> tuple[SinkKind, ...]:
        found = _plan(folder)
        return found if found and self._may_follow_plan(folder.path) else ()

    def _is_over(self, folder: RunFolder, kind: SinkKind, delivery: _Delivery, *, goes_on: bool) -> bool:
        """Bring a delivery on, which ``goes_on`` while the run trains unless it was asked for once. Returns whether
        there is nothing left to do."""
        if delivery.process is not None:
            if delivery.process.poll() is None:
                if not goes_on and not delivery.is_last:
                    _let_finish(delivery)
                return False
            _end(delivery)
            delivery.is_asked = False
            delivery.failures = 0 if _has_all(folder, kind) else delivery.failures + 1
            if delivery.failures:
                seconds = min(FIRST_RETRY_SECONDS * 2 ** (delivery.failures - 1), LONGEST_RETRY_SECONDS)
                delivery.due_at = self._monotonic() + seconds
        if not goes_on and _has_all(folder, kind):
            return True
        if self._monotonic() >= delivery.due_at and self._count() < MOST_WORKERS:
            try:
                delivery.process, delivery.is_last = self._begin(folder, kind, follow=True), False
            except OSError as error:
                delivery.due_at = self._monotonic() + LONGEST_RETRY_SECONDS
                log.warning("No delivery worker of run %s could be started: %s", folder.run_id, error)
        return False

    def _count(self) -> int:
        every = (delivery for deliveries in self._deliveries.values() for delivery in deliveries.values())
        return sum(delivery.process is not None for delivery in every)


def _plan(folder: RunFolder) -> tuple[SinkKind, ...]:
    """A plan that cannot be read is none: nothing goes anywhere that nobody can be seen to have asked for."""
    try:
        return read_plan(folder).kinds
    except (OSError, RunFolderError):
        return ()


def _has_all(folder: RunFolder, kind: SinkKind) -> bool:
    try:
        record = read_sink(folder, kind)
        return record is not None and is_delivered(folder, record)
    except (OSError, RunFolderError):
        return False


def _let_finish(delivery: _Delivery) -> None:
    """The run has ended: deliver the rest, and what became of it."""
    delivery.is_last = True
    assert delivery.process is not None
    assert delivery.process.stdin is not None
    with suppress(OSError):  # it has given up before
        delivery.process.stdin.write(b"\n")
        delivery.process.stdin.flush()


def _end(delivery: _Delivery) -> None:
    """End the process, if it lives: a delivery worker ends when its standard input is closed."""
    process, delivery.process = delivery.process, None
    if process is None:
        return
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
