"""Use cases on runs: create, list, start, stop, label, delete and restore.

``RunAdoptionService`` adds a run whose folder was copied into the runs folder while the service runs. ``PlayedRuns``
creates the run that keeps the episodes a person plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from sqlmodel import Session

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import ArtifactNotFound, Conflict, NotQueued, RunFolderError, RunIsActive, RunNotFound
from rlviz.domain.ids import check_run_id
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.learning.environments.custom import find_family
from rlviz.learning.sessions.folder import SessionPlan
from rlviz.learning.sessions.packets import Recording
from rlviz.machine import memory_use
from rlviz.rundir.control import Desired
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import Labels, RunFolder, folder_gone, run_folders
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import IndexedFolders, index_folder, row_of_config
from rlviz.server.catalog.projection.run import interrupted_columns
from rlviz.server.catalog.runs import (
    RunList,
    RunQuery,
    get_run,
    list_runs,
    move_run,
    queue_positions,
    run_load,
    runs_with_status,
    status_counts,
    tag_counts,
)
from rlviz.server.events import EventBus, RunChanged, RunDeleted
from rlviz.server.runs.configuration import (
    MemoryEstimate,
    NewRun,
    estimate_memory,
    played_config,
    resolve_config,
)
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.queue import Place, times_after_move
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.use_case import RunUseCases, check_controlled
from rlviz.settings import Settings


class RunService(RunUseCases):
    """Reads and changes runs. Every method that takes a ``run_id`` raises RunNotFound for an unknown one."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        supervisor: Supervisor,
        events: EventBus,
        trash: Trash,
        environments: EnvironmentService,
        own_presets: OwnPresets,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(settings, database, supervisor, events, clock=clock)
        self._trash, self._environments, self._own_presets = trash, environments, own_presets

    def folder(self, run_id: str) -> RunFolder:
        """Return the folder of a run that the catalogue has."""
        with self._database.read() as session:
            return self._folder(get_run(session, run_id).id)

    def get(self, run_id: str) -> RunRow:
        with self._database.read() as session:
            return get_run(session, run_id)

    def get_many(self, run_ids: Sequence[str]) -> list[RunRow]:
        with self._database.read() as session:
            return [get_run(session, run_id) for run_id in run_ids]

    def list(self, query: RunQuery) -> RunList:
        with self._database.read() as session:
            return list_runs(session, query)

    def tags(self) -> Sequence[tuple[str, int]]:
        """Return every tag with the number of runs that have it."""
        with self._database.read() as session:
            return tag_counts(session)

    def training(self) -> Sequence[str]:
        """Return the ids of runs that train in a worker of their own and are not stopping."""
        with self._database.read() as session:
            rows = runs_with_status(session, RunStatus.STARTING, RunStatus.RUNNING)
        return [row.id for row in rows if not row.actor.is_guest]

    def learning(self, run_ids: Sequence[str]) -> Sequence[str]:
        """Return the ids among ``run_ids`` whose policy learns."""
        return [row.id for row in self.get_many(run_ids) if row.actor is RunActor.POLICY]

    def load(self) -> tuple[int, int]:
        """Return the number of runs with a worker and the number of queued runs."""
        with self._database.read() as session:
            return run_load(session)

    def status_counts(self) -> dict[RunStatus, int]:
        with self._database.read() as session:
            return status_counts(session)

    def queue_positions(self) -> dict[str, int]:
        with self._database.read() as session:
            return queue_positions(session)

    def config(self, run_id: str) -> RunConfig:
        """Read the run's configuration. Raises ArtifactNotFound if the folder is gone, or RunFolderError."""
        folder = self.folder(run_id)
        folder.check()
        return folder.read_config()

    def create(self, new: NewRun, *, start: bool = False) -> RunRow:
        """Create a run, and queue it if ``start`` is true.

        If anything fails, neither a folder nor a row remains. If the service dies meanwhile, its next start finds
        the complete run or none. Raises InvalidRequest, UnknownName, NotEnoughDisk or OSError.
        """
        self._disk.check()
        now = self._clock()
        config = self.resolve(new)
        return self._add([config], now, start=start)[0]

    def resolve(self, new: NewRun, *, memory_per_worker: int | None = None) -> RunConfig:
        """Return the complete configuration for a request, without creating a run.

        Args:
            new: The request.
            memory_per_worker: A limit on buffers, in bytes, in addition to the service's own limit.

        Raises InvalidRequest or UnknownName.
        """
        return resolve_config(
            new,
            self._clock(),
            self._environments.get,
            own_presets=self._own_presets.all(),
            memory_limit=self._settings.memory_a_run,
            memory_per_worker=memory_per_worker,
            keep_film=self._settings.keep_film,
            snapshot_bytes=self._settings.snapshot_bytes,
        )

    def estimate_memory(self, new: NewRun) -> MemoryEstimate:
        """Return the memory that a run of this request would need. Raises InvalidRequest or UnknownName."""
        config = self.resolve(new)
        use = memory_use()
        environment = self._environments.get(config.env_id).resolve(config.env_options)
        return estimate_memory(config, environment, max(0, use.total - use.used))

    def add(self, config: RunConfig, sinks: Sequence[SinkKind] = ()) -> RunRow:
        """Create a run from a complete configuration and queue it. ``sinks``: where it is delivered to.

        Raises NotEnoughDisk or OSError.
        """
        self._disk.check()
        return self._add([config], self._clock(), start=True, sinks=sinks)[0]

    def start(self, run_id: str) -> RunRow:
        """Queue a created run.

        Raises IllegalTransition if its status is not ``created``, RunIsActive if a person plays in it, NotEnoughDisk,
        RunFolderError, or NewerVersion.
        """
        now = self._clock()
        with self._database.write() as session:
            _check_steered(get_run(session, run_id))
            row = move_run(session, run_id, RunStatus.QUEUED, queued_at=now)
            self._disk.check()
            folder = self._folder(run_id)
            folder.config_to_go_on()
            self._trust.admit(folder)
            self._request_state(run_id, Desired.RUN, now, queued_at=now)
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def stop(self, run_id: str, reason: str | None = None) -> RunRow:
        """Ask a run to stop. Does nothing if it is stopping or has ended.

        Args:
            run_id: The run.
            reason: Why, as one sentence; None if the user stops it.

        Raises IllegalTransition if it never started, and RunIsActive if a person plays in it: it ends with its
        session.
        """
        now = self._clock()
        with self._database.write() as session:
            row = get_run(session, run_id)
            if row.state.is_final or row.state is RunStatus.STOPPING:
                return row
            _check_steered(row)
            if row.state is RunStatus.QUEUED:
                row = move_run(session, run_id, RunStatus.STOPPED, ended_at=now, cause=None)
            else:
                row = move_run(session, run_id, RunStatus.STOPPING)
            self._supervisor.expect_end(run_id)  # first, in case the request below cannot be written
            with suppress(ArtifactNotFound, RunFolderError):  # without a request, the supervisor terminates the worker
                self._request_state(run_id, Desired.STOP, now, reason=reason)
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def move_in_queue(self, run_id: str, place: Place) -> RunRow:
        """Move a queued run to another place in the queue; a restart keeps it.

        Raises NotQueued if the run, or the run before which it goes, does not wait, or ArtifactNotFound.
        """
        with self._database.write() as session:
            row = get_run(session, run_id)
            queue = {one.id: one for one in runs_with_status(session, RunStatus.QUEUED)}
            for wanted in (run_id, place.before):
                if wanted is not None and wanted not in queue:
                    raise NotQueued(f"Run {wanted[:120]!r} is not queued.")
            times = [(one.id, one.queued_at or 0.0) for one in queue.values()]
            for moved, queued_at in times_after_move(times, run_id, place).items():
                try:
                    self._folder(moved).change_control(queued_at=queued_at)
                except FileNotFoundError as error:
                    raise folder_gone(moved) from error
                queue[moved].queued_at = queued_at
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def relabel(self, run_id: str, changes: Mapping[str, object]) -> RunRow:
        """Change name, tags or notes. ``changes`` maps field names to new values. Raises ArtifactNotFound."""
        with self._database.write() as session:
            row = get_run(session, run_id)
            labels = Labels(name=row.name, tags=row.tags, notes=row.notes).model_copy(update=changes)
            try:
                self._folder(run_id).write_labels(labels)
            except FileNotFoundError as error:
                raise folder_gone(run_id) from error
            row.name, row.tags, row.notes = labels.name, labels.tags, labels.notes
        self._events.publish(RunChanged(row))
        return row

    def delete(self, run_id: str) -> None:
        """Move the run's folder to the trash and remove its rows.

        Raises RunIsActive while a worker or an evaluation may write into the folder.
        """
        self._await_exit(run_id)
        with self._database.write() as session:
            row = get_run(session, run_id)
            self._check_idle(session, row, "deleting it")
            self._trash.put(self._folder(run_id), self._clock())
            session.delete(row)
        self._events.publish(RunDeleted(run_id))

    def restore(self, run_id: str) -> RunRow:
        """Restore a run from the trash. Does nothing if it is not deleted.

        Raises RunNotFound if it was removed for good.
        """
        with self._database.write() as session:
            row = session.get(RunRow, check_run_id(run_id))
            if row is not None:
                return row
            row = self._index(session, self._trash.take(run_id))
        self._events.publish(RunChanged(row))
        return row

    def _index(self, session: Session, folder: RunFolder) -> RunRow:
        """Add the rows of a restored folder. Raises RunFolderError if it cannot be read."""
        found = IndexedFolders()
        index_folder(folder, found)
        if not found.runs:
            raise found.unreadable[0]
        row = found.runs[0]
        if row.state.is_active:  # it had ended, but the full disk kept its end out of the folder
            row.sqlmodel_update(interrupted_columns("The run's ending was not recorded."))
        session.add(row)
        session.flush()
        session.add_all(found.evaluations)
        return row


def _check_steered(row: RunRow) -> None:
    check_controlled(row)
    if row.actor is RunActor.HUMAN:
        raise RunIsActive(f"Run {row.id!r} is played by hand. It starts and ends with its session on the Play page.")


class RunAdoptionService(RunUseCases):
    """Adds runs whose folders were copied into the runs folder."""

    def adopt_run(self, run_id: str) -> RunRow:
        """Add a run to the catalogue by its folder. Does nothing if the catalogue has it.

        Raises RunNotFound if no folder has this id, and Conflict if the run has not ended.
        """
        with self._database.read() as session:
            known = session.get(RunRow, run_id)
        if known is not None:
            return known
        folder = next((one for one in run_folders(self._settings.runs_dir) if one.run_id == run_id), None)
        if folder is None:
            raise RunNotFound(run_id)
        found = IndexedFolders()
        index_folder(folder, found)
        if any(not row.state.is_final for row in found.runs):
            raise Conflict(f"Run {run_id!r} has not ended. A run that trains elsewhere cannot be added.")
        with self._database.write() as session:
            if session.get(RunRow, run_id) is None:  # the supervisor may have added it as a foreign run
                session.add_all(found.runs)
                session.flush()
                session.add_all(found.evaluations)
        with self._database.read() as session:
            row = get_run(session, run_id)
        self._events.publish(RunChanged(row))
        return row


class PlayedRuns(RunUseCases):
    """Creates the runs that keep what a person plays."""

    def create_for_session(self, session_id: str, plan: SessionPlan) -> Recording:
        """Create the run in which a session's worker stores its episodes: folder and row, or neither.

        The worker exists already, so the run is ``starting`` at once. ``control.json`` requests nothing, so that no
        trainer starts if the catalogue is rebuilt before the worker writes.
        Raises NotEnoughDisk, RunFolderError or OSError.
        """
        self._disk.check()
        env_options, custom = plan.env_options, plan.custom_environment
        if plan.run_folder is not None:
            played = RunFolder.at(plan.run_folder).read_config()
            env_options, custom = played.env_options, played.custom_environment
        config = played_config(plan.env_id, env_options, custom, seed=plan.seed, now=self._clock())
        row = row_of_config(config)
        row.status = RunStatus.STARTING.value
        with new_folder(self._settings.runs_dir, config) as appear, self._database.write() as session:
            session.add(row)
            session.flush()
            appear()
        self._events.publish(RunChanged(row))
        self._supervisor.follow_played(row, session_id)
        return Recording(
            run_folder=self._folder(row.id).path.absolute(),
            steps=self._settings.storage_profile(find_family(config)).wanted(),
            keep_videos=self._settings.keep_eval_videos,
        )
