"""Launch and follow evaluations.

``LiveEvaluations`` holds the queued and the playing ones; an ``EvaluationMonitor`` takes one of them from ``queued`` to
its end and copies its record into the catalogue.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.exc import NoResultFound

from rlviz.domain.config import RunActor
from rlviz.domain.errors import LauncherError, NotEnoughDisk, NotTrusted, RlvizError, RunFolderError
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, PolicyChoice
from rlviz.domain.ids import utc
from rlviz.launchers.base import Evaluate, Launcher, Worker
from rlviz.rundir.files import remove_leftovers
from rlviz.rundir.folder import RunFolder, read_best
from rlviz.rundir.retention import retain_frames, retain_steps, retain_videos
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.catalog.projection.folder import count_evaluations, drop_discarded_evaluations, results_of_records
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EvaluationChanged, EventBus, RunChanged
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.monitors import LINGERING_GRACE, Monitors, TerminationPolicy
from rlviz.server.supervisor.runs import LiveRuns
from rlviz.settings import Settings

log = logging.getLogger(__name__)


ABANDONED = "The app ended while this evaluation was playing. Evaluate again."

CHECKPOINT_SECONDS = 60.0
"""Maximum number of seconds that a training run may take to write a requested checkpoint."""


class EvaluationMonitor:
    """Follows one open evaluation. All methods are called from one thread.

    The evaluator rewrites ``eval/<id>.json``, and the monitor copies it into the catalogue. If the evaluator dies, the
    monitor writes how the evaluation ended.
    """

    def __init__(
        self,
        row: EvaluationRow,
        folder: RunFolder,
        database: Database,
        events: EventBus,
        *,
        disk: DiskGuard,
        checkpoint_request: int | None,
        keep_videos: int,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id, self.run_id = row.id, row.run_id
        self._folder, self._database, self._events = folder, database, events
        self._disk, self._keep_videos, self._clock, self._monotonic = disk, keep_videos, clock, monotonic
        self._record = row.parsed()
        self._seen = self._version()
        self._give_up_at = monotonic() + CHECKPOINT_SECONDS
        self.checkpoint_request = checkpoint_request
        self.worker: Worker | None = None
        self._abandoned = False
        self._lingering: TerminationPolicy | None = None
        """Ends an evaluator that outlives its evaluation, for instance because its environment hangs on close."""
        self._is_in_catalogue = True
        """Whether the catalogue is up to date; a write fails on a full disk."""

    def is_ready(self, answered_checkpoint: int | None) -> bool:
        """Return whether the evaluation can start: its policy is on disk, or no longer awaited.

        Args:
            answered_checkpoint: Number of the newest checkpoint request that the run has served; None if the run has no
                worker.
        """
        return (
            self.checkpoint_request is None
            or answered_checkpoint is None
            or answered_checkpoint >= self.checkpoint_request
            or self._monotonic() >= self._give_up_at
        )

    def launch(self, launcher: Launcher, policy_step: int | None) -> None:
        """Start the evaluator on the requested policy. If that fails, the evaluation fails with the cause."""
        try:
            self._disk.check()
            # A named checkpoint was chosen and pinned with the request; random actions have none.
            if self._record.checkpoint is None and self._folder.read_config().actor is RunActor.POLICY:
                policy = self._choose()
                self._folder.evaluations.pin_policy(self.id, policy)
                step = self._step_of(policy, policy_step)
                name = policy.relative_to(self._folder.path).as_posix()
                self._write(self._record.model_copy(update={"checkpoint": name, "checkpoint_step": step}))
            self.worker = launcher.launch(self._folder, Evaluate(self.id))
        except (OSError, NotEnoughDisk, NotTrusted, RunFolderError, LauncherError) as error:
            self.fail(f"The evaluation could not start: {error}")
        else:
            self._update_row(worker=self.worker.identity)

    def _choose(self) -> Path:
        best = self._record.policy is PolicyChoice.BEST
        policy = self._folder.best_model_path if best else self._folder.newest_policy()
        if policy is None:
            raise FileNotFoundError("the run has no checkpoint")
        return policy

    def _step_of(self, policy: Path, final_step: int | None) -> int | None:
        if policy == self._folder.best_model_path:
            best = (
                read_best(self._folder.evaluations.pinned_policy_path(self.id), self._folder.path)
                or self._folder.best_policy()
            )
            return best.step if best is not None else None
        return final_step if policy == self._folder.model_path else int(policy.stem.removeprefix("step_"))

    def adopt(self, worker: Worker) -> None:
        """Follow an evaluator that an earlier service started; it may have ended since."""
        self.worker = worker
        self._seen = None

    def abandon(self) -> None:
        """End the evaluator at once, because the app ends. A queued evaluation stays queued for the next start."""
        if self.worker is not None:
            self._abandoned = True
            self.worker.kill()

    def poll(self) -> bool:
        """Copy changes into the catalogue. Returns False after the evaluation has ended and its evaluator has
        exited."""
        gone = self.worker.poll() if self.worker is not None else None
        if self._version() != self._seen:
            self._reload()
        if not self._is_in_catalogue:
            self._update_row()
        if gone is None and self.worker is not None and self._record.status.is_final:
            self._end_lingering(self.worker)
        if gone is not None and not self._record.status.is_final:
            self.fail(ABANDONED if self._abandoned else gone.cause("the evaluation"))
        return not (self._record.status.is_final and (self.worker is None or gone is not None))

    def _end_lingering(self, worker: Worker) -> None:
        if self._lingering is None:
            self._lingering = TerminationPolicy(f"Evaluation {self.id}", worker, LINGERING_GRACE, self._monotonic)
        self._lingering.advance()

    def fail(self, cause: str) -> None:
        ended = utc(self._clock())
        self._write_if_possible(
            self._record.model_copy(update={"status": EvaluationStatus.FAILED, "cause": cause, "ended_at": ended})
        )
        self._tidy()
        self._update_row()

    def _reload(self) -> None:
        seen = self._version()
        try:
            self._record = self._folder.evaluations.read(self.id)
        except RunFolderError:
            return
        self._seen = seen
        if self._record.status.is_final:
            self._tidy()
        self._update_row()

    def _tidy(self) -> None:
        if self._record.summary is not None and self._record.summary.pictures is not None:
            self._folder.evaluations.keep_pinned_policy(self.id)
        remove_leftovers(self._folder.evaluations.path, self._folder.path)
        retain_videos(self._folder, self._keep_videos)
        if self._record.steps is not None:
            retain_steps(self._folder, self._record.steps.max_bytes)
            retain_frames(self._folder, self._record.steps.keep_frames_bytes)

    def _write(self, record: EvaluationRecord) -> None:
        self._record = record
        self._folder.evaluations.write(record)
        self._seen = self._version()

    def _write_if_possible(self, record: EvaluationRecord) -> None:
        """Write the record; if that fails, log it: the catalogue still gets the ending."""
        try:
            self._write(record)
        except (OSError, RunFolderError) as error:
            log.warning("Cannot write how evaluation %s of run %s ended: %s", self.id, self.run_id, error)
            self._seen = self._version()

    def _update_row(self, worker: str | None = None) -> None:
        self._is_in_catalogue = False
        shows = drop_discarded_evaluations(results_of_records([self._record]), self._folder)
        with self._database.write() as session:
            row = session.get_one(EvaluationRow, (self.run_id, self.id))
            row.update_from(self._record)
            if worker is not None:
                row.worker = worker
            session.add(row)
            run = get_run(session, self.run_id)
            is_solved = count_evaluations(run, shows)
            session.add(run)
        self._is_in_catalogue = True
        self._events.publish(EvaluationChanged(row))
        if is_solved:
            self._events.publish(RunChanged(run))

    def _version(self) -> tuple[int, int] | None:
        try:
            status = self._folder.evaluations.record_path(self.id).lstat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino


CONCURRENT_EVALUATIONS = 2


class LiveEvaluations:
    """Launches evaluators, a few at a time, and follows them.

    ``add`` is thread-safe; the supervisor's thread calls everything else.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        launcher: Launcher,
        events: EventBus,
        disk: DiskGuard,
        runs: LiveRuns,
    ) -> None:
        """``runs`` tells which requested checkpoints are saved."""
        self._settings, self._database, self._launcher = settings, database, launcher
        self._events, self._disk, self._runs = events, disk, runs
        self._new: deque[tuple[EvaluationRow, int | None]] = deque()
        self.monitors: Monitors[tuple[str, str], EvaluationMonitor] = Monitors(_name)

    def add(self, row: EvaluationRow, checkpoint_request: int | None) -> None:
        """Add a queued evaluation, which waits for checkpoint request ``checkpoint_request`` unless that is None."""
        self._new.append((row, checkpoint_request))

    def adopt(self, row: EvaluationRow, worker: Worker) -> None:
        """Follow an evaluation whose evaluator an earlier service launched."""
        self._monitor(row, None).adopt(worker)

    def poll(self) -> None:
        """Follow every evaluation, including newly added ones."""
        while self._new:
            self._monitor(*self._new.popleft())
        self.monitors.poll()

    def take_over_film(self, run_id: str, evaluation_id: str) -> None:
        """Update the row of an evaluation that may have a video again."""
        folder = RunFolder(self._settings.runs_dir, run_id)
        try:
            record = folder.evaluations.read(evaluation_id)
            retain_videos(folder, self._settings.keep_eval_videos)
            with self._database.write() as session:
                row = session.get_one(EvaluationRow, (run_id, evaluation_id))
                row.update_from(record)
                session.add(row)
        except (RlvizError, OSError, NoResultFound) as error:
            log.warning("Cannot add the video of evaluation %s of run %s to its row: %s", evaluation_id, run_id, error)
            return
        if not row.is_by_run:
            self._events.publish(EvaluationChanged(row))

    def abandon_all(self) -> None:
        """End every evaluator at once; queued evaluations stay queued for the next start."""
        for monitor in self.monitors:
            monitor.abandon()

    def launch(self) -> None:
        """Start queued evaluations whose policy is on disk, up to the limit."""
        busy = len(self.monitors.workers())
        for monitor in self.monitors:
            if busy >= CONCURRENT_EVALUATIONS:
                return
            try:
                busy += self._launch(monitor)
            except Exception:
                log.exception("Cannot launch evaluation %s of run %s", monitor.id, monitor.run_id)

    def _launch(self, monitor: EvaluationMonitor) -> bool:
        """Launch the evaluation if it is queued and its policy is on disk; return whether it was."""
        if monitor.worker is not None or not monitor.is_ready(self._runs.answered_checkpoint(monitor.run_id)):
            return False
        with self._database.read() as session:
            policy_step = get_run(session, monitor.run_id).policy_step
        monitor.launch(self._launcher, policy_step)
        return True

    def _monitor(self, row: EvaluationRow, checkpoint_request: int | None) -> EvaluationMonitor:
        monitor = EvaluationMonitor(
            row,
            RunFolder(self._settings.runs_dir, row.run_id),
            self._database,
            self._events,
            disk=self._disk,
            checkpoint_request=checkpoint_request,
            keep_videos=self._settings.keep_eval_videos,
        )
        self.monitors.add((row.run_id, row.id), monitor)
        return monitor


def _name(key: tuple[str, str]) -> str:
    run_id, evaluation_id = key
    return f"evaluation {evaluation_id} of {run_id}"
