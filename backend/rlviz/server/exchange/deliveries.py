"""Starts and watches delivery workers, the processes that deliver runs to sinks.

``LiveDeliveries`` keeps one delivery worker for each sink of a run that trains. ``deliver_now`` and
``keep_delivering`` are for the command line.
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
"""Exit statuses of a delivery worker; BUSY: another process delivers the same run to the same sink."""

POLL_SECONDS = 0.3
"""Seconds between calls of ``on_wait``."""


def start_delivery_worker(folder: RunFolder, kind: SinkKind, *, follow: bool = False) -> subprocess.Popen[bytes]:
    """Start the process that delivers a run to a sink. It reports problems in the sink's record and on standard error.

    With ``follow`` it continues until a line is written to its standard input. Raises OSError.
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
    """Return the worker's environment, without the W&B service of this process, which could hang longer than it."""
    variables = child_environment(OMP_NUM_THREADS="1")
    variables.pop("WANDB_SERVICE", None)
    return variables


def deliver_now(folder: RunFolder, kind: SinkKind, on_wait: Callable[[], object]) -> tuple[int, str]:
    """Deliver a run to a sink, and return the worker's exit status and its messages.

    ``on_wait`` is called every POLL_SECONDS. An interruption ends the worker too; the next one delivers the rest.
    Raises OSError.
    """
    worker = start_delivery_worker(folder, kind)
    try:
        while True:
            try:
                _, said = worker.communicate(timeout=POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                on_wait()
    except BaseException:
        worker.terminate()
        raise
    finally:
        worker.wait()
    return worker.returncode, said.decode(errors="replace").strip()


@contextmanager
def keep_delivering(folder: RunFolder, kind: SinkKind) -> Iterator[None]:
    """Deliver a run's new data while the block runs, and the rest when it ends.

    If the block raises, the next worker delivers the rest. Raises OSError.
    """
    worker = start_delivery_worker(folder, kind, follow=True)
    assert worker.stdin is not None
    try:
        yield
        with suppress(OSError):  # the worker has already exited
            worker.stdin.write(b"\n")
            worker.stdin.flush()
    finally:
        with suppress(OSError):
            worker.stdin.close()
        worker.wait()


STATUS_SECONDS = 1.0
"""Seconds between checks of the delivery workers."""

FIRST_RETRY_SECONDS = 2.0
"""Seconds until the retry of a delivery that failed; they double with each further failure."""

LONGEST_RETRY_SECONDS = 300.0

MOST_WORKERS = 8
"""Delivery workers at a time; others wait. A worker imports its sink's package, which may take 100 MB or more."""

END_SECONDS = 3.0
"""Seconds that a delivery worker has to exit when the service ends."""


class StartDeliveryWorker(Protocol):
    def __call__(self, folder: RunFolder, kind: SinkKind, *, follow: bool) -> subprocess.Popen[bytes]:
        """Raises OSError."""


@dataclass
class Attempt:
    """``is_under_way``: a process is delivering. ``next_at``: Unix seconds of the retry; None if there is none."""

    is_under_way: bool = False
    next_at: float | None = None


@dataclass
class _Delivery:
    """The delivery of one run to one sink: its process, or when the next one is due."""

    process: subprocess.Popen[bytes] | None = None
    is_last: bool = False
    """Whether the process knows that the run has ended."""
    is_asked: bool = False
    """Whether a user requested it, even if the service does not keep this sink up to date."""
    failures: int = 0
    due_at: float = 0.0


class LiveDeliveries:
    """Delivers runs in processes, which its own thread starts and watches. Any thread may call its methods.

    Training never waits for a sink. A failed delivery is retried after 2, 4, 8 and at most 300 seconds, also by the
    next service; until then the data stays in the run's journal.
    """

    def __init__(
        self,
        runs_dir: Path,
        database: Database,
        *,
        may_follow_plan: Callable[[Path], bool] = lambda _folder: True,
        start_worker: StartDeliveryWorker = start_delivery_worker,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``may_follow_plan``: whether to follow the plan in a run's folder; false for a folder from another machine
        that the user does not trust."""
        self._runs_dir, self._database, self._start_worker, self._monotonic = (
            runs_dir,
            database,
            start_worker,
            monotonic,
        )
        self._may_follow_plan = may_follow_plan
        self._requests: SimpleQueue[tuple[str, SinkKind | None] | None] = SimpleQueue()
        self._deliveries: dict[str, dict[SinkKind, _Delivery]] = {}
        self._planned: set[str] = set()
        self._failing: set[str] = set()
        self._thread = Thread(target=self._loop, name="sinks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End the delivery workers. The next service delivers the rest."""
        self._requests.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def queue_if_due(self, row: RunRow) -> None:
        """Check the sinks of a run that has changed. Cheap.

        Delivery workers find the new data of a run that trains by themselves.
        """
        if row.id in self._planned and (row.state.is_final or row.id not in self._deliveries):
            self._requests.put((row.id, None))

    def reload_plan(self, run_id: str) -> None:
        """Read the changed plan of a run."""
        self._planned.add(run_id)
        self._requests.put((run_id, None))

    def deliver(self, run_id: str, kind: SinkKind) -> None:
        """Deliver the current data of a run to a sink at once, without waiting for a retry that is due later."""
        self._requests.put((run_id, kind))

    def attempt(self, run_id: str, kind: SinkKind) -> Attempt:
        """Return whether a run is being delivered to a sink, and when the next retry is."""
        delivery = self._deliveries.get(run_id, {}).get(kind)
        if delivery is None or delivery.process is not None:
            return Attempt(delivery is not None)
        return Attempt(next_at=time.time() + max(0.0, delivery.due_at - self._monotonic()))

    def counts(self) -> dict[str, int]:
        """Return the number of open deliveries: under way, waiting, and failing (waiting for a retry)."""
        found = {"under_way": 0, "waiting": 0, "failing": 0}
        for deliveries in list(self._deliveries.values()):
            for delivery in list(deliveries.values()):
                found["under_way" if delivery.process else "failing" if delivery.failures else "waiting"] += 1
        return found

    def _loop(self) -> None:
        try:
            for folder in run_folders(self._runs_dir):
                if self._plan(folder):
                    self.reload_plan(folder.run_id)
        except Exception:
            log.exception("Cannot read which runs have sinks; runs are found when they change")
        while self._receive_requests():
            self._check_all()
        for deliveries in self._deliveries.values():
            for delivery in deliveries.values():
                _end_worker(delivery)

    def _receive_requests(self) -> bool:
        """Wait for requests until the next check is due. Returns False once the service ends."""
        timeout = self._seconds_until_check()
        with suppress(Empty):
            while True:
                request = self._requests.get(timeout=timeout)
                if request is None:
                    return False
                run_id, kind = request
                deliveries = self._deliveries.setdefault(run_id, {})
                if kind is not None:
                    delivery = deliveries.setdefault(kind, _Delivery())
                    delivery.is_asked, delivery.due_at = True, 0.0
                timeout = 0.0
        return True

    def _seconds_until_check(self) -> float | None:
        """Return the seconds until the next check: short while a worker delivers; None if there is nothing to do."""
        if not self._deliveries:
            return None
        every = [delivery for deliveries in self._deliveries.values() for delivery in deliveries.values()]
        if not all(self._deliveries.values()) or any(delivery.process is not None for delivery in every):
            return STATUS_SECONDS
        return max(STATUS_SECONDS, min(delivery.due_at for delivery in every) - self._monotonic())

    def _check_all(self) -> None:
        """Advance every delivery, with one query of the catalogue for all runs."""
        try:
            with self._database.read() as session:
                found = {row.id: row.state for row in find_runs(session, list(self._deliveries))}
        except DatabaseError as error:
            log.debug("Cannot read which runs train; trying again later: %s", error)
            return
        for run_id in list(self._deliveries):
            try:
                self._check_run(run_id, found.get(run_id))
            except Exception:  # the other runs are still delivered, and this one is checked again
                if run_id not in self._failing:
                    log.exception("Run %s cannot be delivered now", run_id)
                self._failing.add(run_id)
            else:
                self._failing.discard(run_id)

    def _check_run(self, run_id: str, state: RunStatus | None) -> None:
        """Advance the deliveries of a run. ``state`` is None for a run that is gone."""
        folder, deliveries = RunFolder(self._runs_dir, run_id), self._deliveries[run_id]
        planned = () if state is None else self._plan(folder)
        wanted = [] if state is None else [*planned, *(kind for kind, one in deliveries.items() if one.is_asked)]
        for kind in [kind for kind in deliveries if kind not in wanted]:
            _end_worker(deliveries.pop(kind))
        trains = state is not None and not state.is_final
        for kind in dict.fromkeys(wanted):
            delivery = deliveries.setdefault(kind, _Delivery())
            if self._advance(folder, kind, delivery, is_open=trains and kind in planned):
                del deliveries[kind]
        if not deliveries:
            del self._deliveries[run_id]

    def _plan(self, folder: RunFolder) -> tuple[SinkKind, ...]:
        found = _read_planned_sinks(folder)
        return found if found and self._may_follow_plan(folder.path) else ()

    def _advance(self, folder: RunFolder, kind: SinkKind, delivery: _Delivery, *, is_open: bool) -> bool:
        """Start, finish or retry a delivery. Returns whether there is nothing left to do.

        ``is_open``: the run trains and its plan has this sink, so that the delivery stays open.
        """
        if delivery.process is not None:
            if delivery.process.poll() is None:
                if not is_open and not delivery.is_last:
                    _finish_worker(delivery)
                return False
            _end_worker(delivery)
            delivery.is_asked = False
            delivery.failures = 0 if _has_all(folder, kind) else delivery.failures + 1
            if delivery.failures:
                seconds = min(FIRST_RETRY_SECONDS * 2 ** (delivery.failures - 1), LONGEST_RETRY_SECONDS)
                delivery.due_at = self._monotonic() + seconds
        if not is_open and _has_all(folder, kind):
            return True
        if self._monotonic() >= delivery.due_at and self._count() < MOST_WORKERS:
            try:
                delivery.process, delivery.is_last = self._start_worker(folder, kind, follow=True), False
            except OSError as error:
                delivery.due_at = self._monotonic() + LONGEST_RETRY_SECONDS
                log.warning("No delivery worker of run %s could be started: %s", folder.run_id, error)
        return False

    def _count(self) -> int:
        every = (delivery for deliveries in self._deliveries.values() for delivery in deliveries.values())
        return sum(delivery.process is not None for delivery in every)


def _read_planned_sinks(folder: RunFolder) -> tuple[SinkKind, ...]:
    """Return the sinks in a run's plan; none if it cannot be read, so that only requested data leaves the machine."""
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


def _finish_worker(delivery: _Delivery) -> None:
    """Make the worker deliver the rest of a run that has ended, and its result."""
    delivery.is_last = True
    assert delivery.process is not None
    assert delivery.process.stdin is not None
    with suppress(OSError):  # the worker has already exited
        delivery.process.stdin.write(b"\n")
        delivery.process.stdin.flush()


def _end_worker(delivery: _Delivery) -> None:
    """End the process by closing its standard input; kill it after END_SECONDS."""
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
