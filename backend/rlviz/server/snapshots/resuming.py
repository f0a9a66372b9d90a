"""Pause, resume and roll back runs, all by means of snapshots.

``AutomaticResuming`` resumes runs without a request: those that the app paused when it ended and, if the settings say
so, those that were interrupted.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from queue import SimpleQueue
from threading import Event, Thread

from sqlalchemy.exc import DatabaseError
from sqlmodel import Session

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import InvalidRequest, NotFound, NothingToResume, RlvizError, RunIsActive
from rlviz.domain.status import RunStatus, check_transition
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.changes import ToResume
from rlviz.rundir.control import Desired, RollbackRequest
from rlviz.rundir.folder import RunFolder, folder_gone
from rlviz.rundir.lock import training_lock
from rlviz.rundir.metric_rows import superseded_rows
from rlviz.rundir.snapshots import (
    Snapshot,
    check_seal,
    find_snapshot,
    is_behind,
    must_retrain_parent,
    never_took_snapshot,
    newest_usable_snapshot,
    snapshots_of,
)
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run, move_run
from rlviz.server.events import RunChanged
from rlviz.server.use_case import RunUseCases, check_controlled
from rlviz.settings import Settings

log = logging.getLogger(__name__)


class ResumeService(RunUseCases):
    """Pauses, resumes and rolls back runs. Writes each request to the run folder first, then to the catalogue."""

    def pause(self, run_id: str, reason: str | None = None, *, within: float | None = None) -> RunRow:
        """Ask a run to pause. Does nothing if it is paused.

        Args:
            run_id: The run.
            reason: Why, as one sentence; None if the user pauses it.
            within: Maximum number of seconds to continue training until the next rollout starts.

        Raises IllegalTransition if it does not train, and RunIsActive if nothing learns in it.
        """
        now = self._clock()
        with self._database.write() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            if row.state in (RunStatus.PAUSING, RunStatus.PAUSED):
                if row.state is RunStatus.PAUSING and within is not None:
                    self._folder(run_id).change_control(pause_within=within)
                return row
            if row.actor is not RunActor.POLICY:
                raise RunIsActive(f"Nothing learns in run {run_id!r}, so there is no training to pause.")
            row = move_run(session, run_id, RunStatus.PAUSING, saves_at=None)
            self._request_state(run_id, Desired.PAUSE, now, reason=reason, pause_within=within)
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def resume(self, run_id: str, snapshot: str | None = None, total_timesteps: int | None = None) -> RunRow:
        """Queue an ended run for another attempt.

        A run that ended before its first snapshot starts again from its beginning.

        Args:
            run_id: The run.
            snapshot: Name of the snapshot to resume from; None for the newest complete one.
            total_timesteps: A larger number to train for longer; None keeps the configured one.

        Raises IllegalTransition, RunIsActive while its old worker lives, NothingToResume without a usable snapshot,
        ArtifactNotFound, SnapshotRefused, InvalidRequest, NotEnoughDisk, or RunFolderError.
        """
        self._await_exit(run_id)
        return self._queue(run_id, snapshot, total_timesteps)

    def _check_seal(self, run_id: str, name: str | None) -> None:
        """Check that the snapshot is complete and was written by this installation.

        Reads the whole file, so it runs before the transaction. Raises the errors of ``resume``.
        """
        with self._database.read() as session:
            row = get_run(session, run_id)
        check_controlled(row)
        if not (row.state.is_final or (name is not None and row.state in (RunStatus.STARTING, RunStatus.RUNNING))):
            return  # the transaction raises the error
        folder = self._folder(run_id)
        folder.check()
        config = folder.config_to_go_on()
        self._trust.admit(folder)
        if (found := _choose(row, folder, name, config)) is not None:
            check_seal(folder, found.name)

    def resume_held(self, run_id: str) -> bool:
        """Resume a run that the app paused when it ended. Returns False while its worker still runs the old attempt."""
        with self._database.read() as session:
            row = get_run(session, run_id)
        if not row.state.is_final:
            return row.state is RunStatus.QUEUED
        if row.state in (RunStatus.PAUSED, RunStatus.STOPPED, RunStatus.INTERRUPTED):
            self._queue(run_id)
        return True

    def resume_interrupted(self, run_id: str, most: int) -> None:
        """Resume an interrupted run, unless this has happened ``most`` times in a row."""
        with self._database.read() as session:
            row = get_run(session, run_id)
        times = self._folder(run_id).read_control().resumed_by_itself
        if row.state is RunStatus.INTERRUPTED and times < most:
            self._queue(run_id, resumed_by_itself=times + 1)

    def roll_back(self, run_id: str, snapshot: str) -> RunRow:
        """Continue the run from an earlier ``snapshot``; later rows no longer count.

        The worker of a training run goes back itself at its next step; an ended run is queued. Raises the errors of
        ``resume``.
        """
        self._check_seal(run_id, snapshot)
        with self._database.write() as session:  # a concurrent pause or stop must not be overwritten
            row = get_run(session, run_id)
            trains = row.state in (RunStatus.STARTING, RunStatus.RUNNING) and row.actor is RunActor.POLICY
            if trains:
                self._ask_to_go_back(row, snapshot)
        if trains:
            return row
        self._await_exit(run_id)
        return self._queue(run_id, snapshot, rollback=True)

    def _ask_to_go_back(self, row: RunRow, snapshot: str) -> None:
        folder = self._folder(row.id)
        folder.check()
        self._trust.admit(folder)
        found = _choose(row, folder, snapshot, folder.config_to_go_on())
        assert found is not None
        before = folder.read_control().rollback_request
        request = RollbackRequest(number=before.number + 1 if before is not None else 1, snapshot=found.name)
        folder.change_control(rollback_request=request)

    def _queue(
        self,
        run_id: str,
        name: str | None = None,
        total_timesteps: int | None = None,
        *,
        rollback: bool = False,
        resumed_by_itself: int = 0,
    ) -> RunRow:
        self._check_seal(run_id, name)
        now = self._clock()
        with self._database.write() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            check_transition(row.state, RunStatus.QUEUED, next_attempt=True)
            self._check_worker_is_gone(row)
            folder = self._folder(run_id)
            folder.check()
            config = folder.config_to_go_on()
            self._trust.admit(folder)
            found = _choose(row, folder, name, config)
            total = check_length(row, config, found, total_timesteps, rollback=rollback)
            self._disk.check()
            self._begin_attempt(session, row, now)
            self._request_state(
                run_id,
                Desired.RUN,
                now,
                queued_at=now,
                attempt=row.attempt,
                resume_from=found.name if found is not None else None,
                resumed_by_itself=resumed_by_itself,
                rollback=rollback,
                total_timesteps=total,
                rollback_request=None,
                pause_within=None,
                reason=None,
            )
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def _begin_attempt(self, session: Session, row: RunRow, now: float) -> None:
        row.status, row.attempt, row.queued_at = RunStatus.QUEUED.value, row.attempt + 1, now
        row.started_at = row.ended_at = row.worker = None
        row.cause = row.traceback = row.ended_early = row.saves_at = row.resumed = row.core_seconds_now = None
        session.add(row)

    def _check_worker_is_gone(self, row: RunRow) -> None:
        """Raise RunIsActive while the worker of an ended attempt lives: two workers must not write one journal."""
        if self._supervisor.is_live(row.id):
            raise RunIsActive(f"The worker of run {row.id!r} is still ending. Try again in a moment.")
        folder = self._folder(row.id)
        try:
            with training_lock(folder):
                return
        except FileNotFoundError as error:
            raise folder_gone(row.id) from error


def _choose(row: RunRow, folder: RunFolder, name: str | None, config: RunConfig) -> Snapshot | None:
    """Return the snapshot to resume from.

    None if the run has not trained or ended before its first snapshot: it starts again from its beginning.
    """
    if name is None and row.step == 0 and config.parent is None and not snapshots_of(folder):
        return None
    if name is None and config.parent is not None and newest_usable_snapshot(folder) is None:
        return None if must_retrain_parent(folder, config.parent) else find_snapshot(folder, config.parent.snapshot)
    if name is None:
        if (newest := newest_usable_snapshot(folder)) is None:
            if config.parent is None and never_took_snapshot(folder, folder.snapshot_plan(config)):
                return None
            raise NothingToResume(
                f"Run {row.id!r} has no complete snapshot to resume from: it takes none, they were deleted or damaged, "
                "or an older version trained it. Create a new run with its settings."
            )
        return newest
    found = find_snapshot(folder, name)
    if not found.is_whole:
        raise NothingToResume(f"Snapshot {name!r} of run {row.id!r} cannot be used. {found.problem}")
    if is_behind(found, superseded_rows(folder)):
        raise NothingToResume(
            f"Run {row.id!r} was rolled back to before snapshot {name!r}. Fork the run there instead."
        )
    return found


def check_length(
    row: RunRow, config: RunConfig, snapshot: Snapshot | None, wanted: int | None, *, rollback: bool
) -> int | None:
    """Return the new length of training in steps; None for the configured one.

    Raises InvalidRequest if it is less than before, and NothingToResume if no steps are left.
    """
    total = row.total_timesteps if wanted is None else wanted
    if total < row.total_timesteps:
        raise InvalidRequest.field(
            "/total_timesteps", f"The run trains for {row.total_timesteps:,} timesteps. Give at least as many."
        )
    step = snapshot.manifest.step if snapshot is not None else 0
    done = row.state is RunStatus.COMPLETED and row.ended_early is None and total == row.total_timesteps
    if step >= total or (done and not rollback):
        raise NothingToResume(
            f"Run {row.id!r} has nothing left to do: it has done {step:,} of {total:,} timesteps. "
            "Give a larger total_timesteps to train longer."
        )
    return None if total == config.total_timesteps else total


def depends_on_length(config: RunConfig) -> list[str]:
    """Return the hyperparameters with schedules over the whole training, which another length changes."""
    if config.algo not in ALGORITHMS.names():
        return []
    algorithm = ALGORITHMS.get(config.algo)
    return algorithm.validate(config.hyperparameters, config.total_timesteps).spread_over_training()


RETRY_SECONDS = 0.2
"""Seconds between tries, since a worker lives for a moment after its attempt ends."""

TRIES = 150


class AutomaticResuming:
    """A thread that resumes runs after their old workers have exited. ``queue_if_due`` is thread-safe."""

    def __init__(self, settings: Settings, resuming: ResumeService) -> None:
        self._settings, self._resuming = settings, resuming
        self._store = ToResume(settings.runs_dir)
        self._held: set[str] = set()
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="resuming", daemon=True)

    def start(self, interrupted: Collection[str]) -> None:
        """Start the thread, and queue the runs that the last service held. ``interrupted``: runs that lost their
        workers."""
        self._held = set(self._store.read())
        automatic = [one for one in interrupted if one not in self._held] if self._is_on else []
        for run_id in [*sorted(self._held), *automatic]:
            self._waiting.put(run_id)
        self._thread.start()

    def hold_runs(self, run_ids: Collection[str]) -> None:
        """Stop resuming. The next start of the app resumes these runs."""
        self._closing.set()
        try:
            self._store.write({*self._held, *run_ids})
        except OSError as error:
            log.warning("Cannot save which runs resume at the next start: %s", error)

    def queue_if_due(self, row: RunRow) -> None:
        """Resume a changed run if that is due. Cheap; called for every change."""
        if self._closing.is_set() or not row.state.is_final:
            return
        if row.id in self._held or (self._is_on and row.state is RunStatus.INTERRUPTED):
            self._waiting.put(row.id)

    def close(self) -> None:
        self._closing.set()
        self._waiting.put(None)
        if self._thread.is_alive():
            self._thread.join()

    @property
    def _is_on(self) -> bool:
        return self._settings.resume == "auto"

    def _loop(self) -> None:
        while (run_id := self._waiting.get()) is not None and not self._closing.is_set():
            if self._resume(run_id) and run_id in self._held:
                self._held.discard(run_id)
                try:
                    self._store.write(self._held)
                except OSError as error:
                    log.warning("Cannot save that run %s was resumed: %s", run_id, error)

    def _resume(self, run_id: str) -> bool:
        """Try to resume a run. Returns True if the run can be removed from the queue."""
        for _ in range(TRIES):
            try:
                if run_id in self._held:
                    return self._resuming.resume_held(run_id)
                self._resuming.resume_interrupted(run_id, self._settings.resume_attempts)
            except RunIsActive:
                if self._closing.wait(RETRY_SECONDS):
                    return False
                continue
            except NotFound:  # deleted meanwhile
                return True
            except (RlvizError, OSError, DatabaseError) as error:
                log.warning("Cannot resume run %s automatically: %s", run_id, error)
            return True
        return False
