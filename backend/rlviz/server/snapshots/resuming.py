"""Use cases that hold a run, have it go on, and take it back: all of them around its snapshots.

Runs that go on without being asked: those that paused with the app, and, if so set, those that were
interrupted.
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
    """What is wanted of a run is in its folder before the catalogue says so, as for every use case."""

    def pause(self, run_id: str, reason: str | None = None, *, within: float | None = None) -> RunRow:
        """Ask a run to pause. One that is paused is left as it is; one that does not train is a conflict.

        ``reason``: one sentence, if it is not its user who wants it to. ``within``: seconds that it may wait
        for the start of its next rollout. Raises RunIsActive for one in which nothing learns.
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
                raise RunIsActive(f"Nothing learns in run {run_id!r}, so that there is no training to pause.")
            row = move_run(session, run_id, RunStatus.PAUSING, saves_at=None)
            self._ask(run_id, Desired.PAUSE, now, reason=reason, pause_within=within)
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def resume(self, run_id: str, snapshot: str | None = None, total_timesteps: int | None = None) -> RunRow:
        """Queue a run whose attempt has ended for the next one, which begins from ``snapshot``: the newest whole one
        unless named. ``total_timesteps``: more than before, to train for longer.

        Raises IllegalTransition, RunIsActive while its old worker lives, NothingToResume without a whole snapshot
        if the run has taken some or takes none: one that ended before its first begins again,
        ArtifactNotFound, SnapshotRefused, InvalidRequest, NotEnoughDisk, or RunFolderError.
        """
        self._await_exit(run_id)
        return self._queue(run_id, snapshot, total_timesteps)

    def _check_seal(self, run_id: str, name: str | None) -> None:
        """Check that the snapshot that a run would go on from is whole and this installation's own, before anything
        changes about the run: what is refused leaves it as it was. Reads all of it, so no transaction waits for it.

        Raises what ``resume`` does.
        """
        with self._database.read() as session:
            row = get_run(session, run_id)
        check_controlled(row)
        if not (row.state.is_final or (name is not None and row.state in (RunStatus.STARTING, RunStatus.RUNNING))):
            return  # the transaction says why not
        folder = self._folder(run_id)
        folder.check()
        config = folder.config_to_go_on()
        self._trust.admit(folder)
        if (found := _choose(row, folder, name, config)) is not None:
            check_seal(folder, found.name)

    def resume_held(self, run_id: str) -> bool:
        """Resume a run that was held when the app ended. Returns False while its worker has not ended its attempt."""
        with self._database.read() as session:
            row = get_run(session, run_id)
        if not row.state.is_final:
            return row.state is RunStatus.QUEUED
        if row.state in (RunStatus.PAUSED, RunStatus.STOPPED, RunStatus.INTERRUPTED):
            self._queue(run_id)
        return True

    def resume_interrupted(self, run_id: str, most: int) -> None:
        """Resume a run that was interrupted, unless it has been resumed so ``most`` times in a row."""
        with self._database.read() as session:
            row = get_run(session, run_id)
        times = self._folder(run_id).read_control().resumed_by_itself
        if row.state is RunStatus.INTERRUPTED and times < most:
            self._queue(run_id, resumed_by_itself=times + 1)

    def roll_back(self, run_id: str, snapshot: str) -> RunRow:
        """Have the run go on from an earlier ``snapshot``: what came after is no part of it any more. The worker of one
        that trains goes back itself, at its next step.

        Raises what ``resume`` does.
        """
        self._check_seal(run_id, snapshot)
        with self._database.write() as session:  # so that a pause or a stop that comes now is not overwritten
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
            self._ask(
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
        """Raises RunIsActive while the worker of an attempt that has ended lives: two would write one journal."""
        if self._supervisor.is_live(row.id):
            raise RunIsActive(f"The worker of run {row.id!r} is about to end. Try again in a moment.")
        folder = self._folder(row.id)
        try:
            with training_lock(folder):
                return
        except FileNotFoundError as error:
            raise folder_gone(row.id) from error


def _choose(row: RunRow, folder: RunFolder, name: str | None, config: RunConfig) -> Snapshot | None:
    """The snapshot to go on from. None for a run that has not trained, or that ended before its first snapshot: it
    begins again from its configuration, or with what led to it."""
    if name is None and row.step == 0 and config.parent is None and not snapshots_of(folder):
        return None
    if name is None and config.parent is not None and newest_usable_snapshot(folder) is None:
        return None if must_retrain_parent(folder, config.parent) else find_snapshot(folder, config.parent.snapshot)
    if name is None:
        if (newest := newest_usable_snapshot(folder)) is None:
            if config.parent is None and never_took_snapshot(folder, folder.snapshot_plan(config)):
                return None
            raise NothingToResume(
                f"Run {row.id!r} has no whole snapshot to go on from: it takes none, they were deleted or damaged, or "
                "an older version trained it. Create a new run with its settings."
            )
        return newest
    found = find_snapshot(folder, name)
    if not found.is_whole:
        raise NothingToResume(f"Snapshot {name!r} of run {row.id!r} cannot be used. {found.problem}")
    if is_behind(found, superseded_rows(folder)):
        raise NothingToResume(f"Run {row.id!r} went back to before snapshot {name!r}. Fork the run there instead.")
    return found


def check_length(
    row: RunRow, config: RunConfig, snapshot: Snapshot | None, wanted: int | None, *, rollback: bool
) -> int | None:
    """How long training shall be; None for as long as the configuration says. A run that ended early has steps left.

    Raises InvalidRequest for less than before, and NothingToResume if nothing is left to be done.
    """
    total = row.total_timesteps if wanted is None else wanted
    if total < row.total_timesteps:
        raise InvalidRequest.field(
            "/total_timesteps", f"The run is to train for {row.total_timesteps:,} timesteps. Give as many, or more."
        )
    step = snapshot.manifest.step if snapshot is not None else 0
    done = row.state is RunStatus.COMPLETED and row.ended_early is None and total == row.total_timesteps
    if step >= total or (done and not rollback):
        raise NothingToResume(
            f"Run {row.id!r} has nothing left to do: it has done {step:,} of {total:,} timesteps. "
            "Give a larger total_timesteps to train on."
        )
    return None if total == config.total_timesteps else total


def depends_on_length(config: RunConfig) -> list[str]:
    """Hyperparameters whose course is spread over the whole of training: another length changes it."""
    if config.algo not in ALGORITHMS.names():
        return []
    algorithm = ALGORITHMS.get(config.algo)
    return algorithm.validate(config.hyperparameters, config.total_timesteps).spread_over_training()


AGAIN_SECONDS = 0.2
"""A worker that ends lives a moment longer than its attempt."""

TRIES = 150


class AutomaticResuming:
    """Resumes in a thread of its own, once the old worker is gone. ``queue_if_due`` may be called from every thread."""

    def __init__(self, settings: Settings, resuming: ResumeService) -> None:
        self._settings, self._resuming = settings, resuming
        self._store = ToResume(settings.runs_dir)
        self._held: set[str] = set()
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="resuming", daemon=True)

    def start(self, interrupted: Collection[str]) -> None:
        """Take up what the app that ended before has left; ``interrupted``: runs whose workers went with it."""
        self._held = set(self._store.read())
        automatic = [one for one in interrupted if one not in self._held] if self._is_on else []
        for run_id in [*sorted(self._held), *automatic]:
            self._waiting.put(run_id)
        self._thread.start()

    def hold(self, run_ids: Collection[str]) -> None:
        """The app ends: these go on when it is started again, and none before."""
        self._closing.set()
        try:
            self._store.write({*self._held, *run_ids})
        except OSError as error:
            log.warning("Which runs shall go on at the next start could not be written: %s", error)

    def queue_if_due(self, row: RunRow) -> None:
        """Cheap. A run has changed: resume it if that is due."""
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
                    log.warning("That run %s goes on could not be written: %s", run_id, error)

    def _resume(self, run_id: str) -> bool:
        """Whether nothing more is to be done about it now."""
        for _ in range(TRIES):
            try:
                if run_id in self._held:
                    return self._resuming.resume_held(run_id)
                self._resuming.resume_interrupted(run_id, self._settings.resume_attempts)
            except RunIsActive:
                if self._closing.wait(AGAIN_SECONDS):
                    return False
                continue
            except NotFound:  # deleted meanwhile
                return True
            except (RlvizError, OSError, DatabaseError) as error:
                log.warning("Run %s does not go on by itself: %s", run_id, error)
            return True
        return False
