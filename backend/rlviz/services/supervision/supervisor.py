"""The supervisor: one thread that starts what is queued and follows what is live."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread

from rlviz.catalog.database import Database
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.catalog.runs import get_run, move_run
from rlviz.domain.errors import IllegalTransition, RlvizError, RunIsActive, RunNotFound
from rlviz.domain.events import ErrorData
from rlviz.domain.status import RunStatus
from rlviz.launchers.base import Launcher, UnknownWorker, Worker
from rlviz.launchers.job import Train
from rlviz.rundir.folder import RunFolder
from rlviz.services.projection.folder_projection import end_row
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.streaming.feeds import Feeds
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.supervision.evaluation_monitor import EvaluationMonitor
from rlviz.services.supervision.retry_throttle import RETRY_SECONDS, RetryThrottle
from rlviz.services.supervision.run_monitor import RunMonitor, journal_ending
from rlviz.services.supervision.run_queue import RunQueue
from rlviz.services.supervision.termination import GracePeriod
from rlviz.services.supervision.wake_signal import WakeSignal
from rlviz.settings import Settings

log = logging.getLogger(__name__)

TICK_SECONDS = 0.05
IDLE_SECONDS = 0.5
CLOSING_GRACE = GracePeriod(ask=6.0, terminate=2.0)
"""For workers that end with the service: together less than the ten seconds that its end may take."""

CONCURRENT_EVALUATIONS = 2


class Supervisor:
    """Owns the launcher and every follower; they are touched by its thread alone.

    Other threads write what they want into the catalogue and the run folder, and call ``wake``.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        launcher: Launcher,
        feeds: Feeds,
        broadcast: Broadcast,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._database, self._launcher = settings, database, launcher
        self._feeds, self._broadcast, self._clock = feeds, broadcast, clock
        self._runs: dict[str, RunMonitor] = {}
        self._evaluations: dict[tuple[str, str], EvaluationMonitor] = {}
        self._new_evaluations: list[tuple[EvaluationRow, int | None]] = []
        self._throttle = RetryThrottle()
        self._disk = DiskGuard(settings)
        self._queue = RunQueue(database, broadcast, self._disk)
        self._to_end: list[str] = []
        self._draining = Event()
        self._idle = Event()
        self._inbox = Lock()
        self._wake = WakeSignal()
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="supervisor", daemon=True)

    @property
    def limit(self) -> int:
        """Runs that may train at the same time."""
        limit = self._settings.max_concurrent_runs
        return min(limit, self._launcher.capacity) if self._launcher.capacity else limit

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Something was queued."""
        self._wake.ring()

    def expect_end(self, run_id: str) -> None:
        """The run was asked to stop: its worker is terminated, and then killed, if it does not."""
        with self._inbox:
            self._to_end.append(run_id)
        self.wake()

    def drain(self) -> None:
        """From now on start nothing; end every worker that lives, evaluators at once. Returns without waiting."""
        self._idle.clear()
        self._draining.set()
        self.wake()

    def await_drained(self, seconds: float) -> bool:
        """Wait until no worker is left, at most so long; return whether that came true."""
        return self._idle.wait(seconds)

    def skip_wait(self) -> None:
        self._idle.set()

    def close(self) -> None:
        """End the thread, then the launcher; book what workers wrote while they ended."""
        self._closing.set()
        self._wake.ring()
        self._thread.join()
        self._launcher.close()
        self._follow_runs()

    def add_evaluation(self, row: EvaluationRow, checkpoint_request: int | None) -> None:
        """Take over a queued evaluation. It waits for checkpoint ``checkpoint_request`` if that is a number."""
        with self._inbox:
            self._new_evaluations.append((row, checkpoint_request))
        self.wake()

    def is_live(self, run_id: str) -> bool:
        """Whether the run's worker has not been seen to end."""
        return run_id in self._runs

    # Only before ``start``: what an earlier service left behind

    def adopt_run(self, row: RunRow, worker: Worker) -> None:
        self._follow(row.id, worker)
        if row.state is RunStatus.STOPPING:
            self.expect_end(row.id)

    def adopt_evaluation(self, row: EvaluationRow, worker: Worker) -> None:
        follower = self._evaluation_monitor(row, None)
        follower.adopt(worker)
        self._evaluations[row.run_id, row.id] = follower

    # The thread

    def _loop(self) -> None:
        self._wake.ring()
        while not self._closing.is_set():
            busy = bool(self._runs or self._evaluations)
            woken = self._wake.wait(TICK_SECONDS if busy else IDLE_SECONDS)
            try:
                self._tick(woken)
            except Exception as error:
                self._throttle.failed("Starting what waits", error)
                self._closing.wait(RETRY_SECONDS)
                self._wake.ring()
            else:
                self._throttle.over("Starting what waits")

    def _tick(self, woken: bool) -> None:
        self._end_what_shall_end()
        freed = self._follow_runs()
        freed = self._follow_evaluations() or freed
        if woken or freed or self._queue.is_due:
            self._dispatch()
        self._launch_evaluations()
        if self._draining.is_set():
            if not self._runs and not any(evaluation.worker for evaluation in self._evaluations.values()):
                self._idle.set()
            return
        self._launcher.tick()

    def _end_what_shall_end(self) -> None:
        with self._inbox:
            asked, self._to_end = self._to_end, []
        for run_id in asked:
            if run_id in self._runs:
                self._runs[run_id].end()
        if self._draining.is_set():
            for run in self._runs.values():
                run.end(CLOSING_GRACE)
            for evaluation in self._evaluations.values():
                evaluation.abandon()

    def _follow_runs(self) -> bool:
        """Poll every live run; return whether one has ended."""
        ended = [run_id for run_id, run in self._runs.items() if not self._poll(f"Following run {run_id}", run)]
        for run_id in ended:
            del self._runs[run_id]
        return bool(ended)

    def _poll(self, what: str, follower: RunMonitor | EvaluationMonitor) -> bool:
        """Whether it is still to be followed; what fails is, and is left in peace for a while."""
        if not self._throttle.may_try(what):
            return True
        try:
            goes_on = follower.poll()
        except Exception as error:
            self._throttle.failed(what, error)
            return True
        self._throttle.over(what)
        return goes_on

    def _dispatch(self) -> None:
        """Start queued runs, first come first served, as long as there is room."""
        while len(self._runs) < self.limit and not self._closing.is_set() and not self._draining.is_set():
            if (run_id := self._queue.first()) is None:
                return
            self._launch(run_id)

    def _launch(self, run_id: str) -> None:
        try:
            with self._database.write() as session:
                row = move_run(session, run_id, RunStatus.STARTING, started_at=None)
        except (IllegalTransition, RunNotFound):
            return  # stopped or deleted since the queue was read
        folder = self._folder(run_id)
        try:
            worker = self._launcher.launch(folder, Train())
        except RlvizError as error:
            log.exception("Run %s could not be launched", run_id)
            self._fail(folder, row.attempt, error)
            return
        self._follow(run_id, worker)
        with self._database.write() as session:
            row = get_run(session, run_id)
            row.worker = worker.identity
        self._broadcast.run_changed(row)

    def _fail(self, folder: RunFolder, attempt: int, error: RlvizError) -> None:
        data = ErrorData(attempt=attempt, type=type(error).__name__, message=str(error))
        try:
            event = journal_ending(folder, data, self._clock)
        except RunIsActive:
            self._follow(folder.run_id, UnknownWorker())  # whoever trains there
            return
        with self._database.write() as session:
            row = get_run(session, folder.run_id)
            end_row(row, folder, event)
        self._broadcast.run_changed(row)

    def _follow(self, run_id: str, worker: Worker) -> None:
        self._runs[run_id] = RunMonitor(
            self._folder(run_id),
            worker,
            self._feeds.of(run_id),
            self._database,
            self._broadcast,
            grace=GracePeriod(self._settings.terminate_after_seconds, self._settings.kill_after_seconds),
        )

    def _follow_evaluations(self) -> bool:
        with self._inbox:
            arrived, self._new_evaluations = self._new_evaluations, []
        for row, request in arrived:
            self._evaluations[row.run_id, row.id] = self._evaluation_monitor(row, request)
        followers = self._evaluations.items()
        ended = [key for key, one in followers if not self._poll(f"Following evaluation {one.id} of {one.run_id}", one)]
        for key in ended:
            del self._evaluations[key]
        return bool(ended)

    def _launch_evaluations(self) -> None:
        busy = sum(follower.worker is not None for follower in self._evaluations.values())
        for follower in self._evaluations.values():
            if busy >= CONCURRENT_EVALUATIONS or self._draining.is_set():
                return
            try:
                busy += self._launch_evaluation(follower)
            except Exception:
                log.exception("Evaluation %s of run %s could not be launched", follower.id, follower.run_id)

    def _launch_evaluation(self, follower: EvaluationMonitor) -> bool:
        """Launch it if it waits and its policy is there; return whether that was so."""
        live = self._runs.get(follower.run_id)
        answered = live.answered_checkpoint if live is not None and not live.ended else None
        if follower.worker is not None or not follower.is_ready(answered):
            return False
        with self._database.read() as session:
            policy_step = get_run(session, follower.run_id).policy_step
        follower.launch(self._launcher, policy_step)
        return True

    def _evaluation_monitor(self, row: EvaluationRow, checkpoint_request: int | None) -> EvaluationMonitor:
        return EvaluationMonitor(
            row,
            self._folder(row.run_id),
            self._database,
            self._broadcast,
            disk=self._disk,
            checkpoint_request=checkpoint_request,
            keep_videos=self._settings.keep_eval_videos,
        )

    def _folder(self, run_id: str) -> RunFolder:
        return RunFolder(self._runs_dir, run_id)

    @property
    def _runs_dir(self) -> Path:
        return self._settings.runs_dir
