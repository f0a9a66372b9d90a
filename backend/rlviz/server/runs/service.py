"""Use cases on runs: create, list, start, stop, label, delete.

TakeUpService: run folders that appear in the runs folder while the service runs.

Use case on what is played by hand: a run to keep it in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from sqlmodel import Session

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import ArtifactNotFound, Conflict, RunFolderError, RunIsActive, RunNotFound
from rlviz.domain.ids import check_run_id
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.learning.environments.custom import family_of
from rlviz.learning.sessions.folder import SessionPlan
from rlviz.learning.sessions.packets import Recording
from rlviz.rundir.control import Desired
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import Labels, RunFolder, folder_gone, run_folders
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import Indexed, index_folder, row_of_config
from rlviz.server.catalog.projection.run import lost
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
from rlviz.server.runs.configuration import NewRun, played_config, resolve_config
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.use_case import RunUseCases, check_controlled
from rlviz.settings import Settings


class RunService(RunUseCases):
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
        """The folder of a run that exists. Raises RunNotFound."""
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
        """Every tag, with the number of runs that have it."""
        with self._database.read() as session:
            return tag_counts(session)

    def training(self) -> Sequence[str]:
        """Ids of the runs that have a worker of their own and were not asked to stop."""
        with self._database.read() as session:
            rows = runs_with_status(session, RunStatus.STARTING, RunStatus.RUNNING)
        return [row.id for row in rows if not row.actor.is_guest]

    def learning(self, run_ids: Sequence[str]) -> Sequence[str]:
        """Those of ``run_ids`` in which a policy learns."""
        return [row.id for row in self.get_many(run_ids) if row.actor is RunActor.POLICY]

    def load(self) -> tuple[int, int]:
        """Number of runs with a worker, and of runs in the queue."""
        with self._database.read() as session:
            return run_load(session)

    def status_counts(self) -> dict[RunStatus, int]:
        with self._database.read() as session:
            return status_counts(session)

    def queue_positions(self) -> dict[str, int]:
        with self._database.read() as session:
            return queue_positions(session)

    def config(self, run_id: str) -> RunConfig:
        """Raises RunNotFound, ArtifactNotFound if the folder is gone, or RunFolderError."""
        folder = self.folder(run_id)
        folder.check()
        return folder.read_config()

    def create(self, new: NewRun, *, start: bool = False) -> RunRow:
        """Validate, write the folder, index it, and queue it if it shall ``start``: all of it, or nothing.

        If anything fails, neither a folder nor a row is left. If the service dies meanwhile, its next start finds the
        run as it was asked for, or no run. Raises InvalidRequest, UnknownName, NotEnoughDisk or OSError.
        """
        self._disk.check()
        now = self._clock()
        config = self.resolve(new)
        return self._add([config], now, start=start)[0]

    def resolve(self, new: NewRun, *, memory_per_worker: int | None = None) -> RunConfig:
        """The configuration that a run would have; ``memory_per_worker``: bytes for its buffers, besides what it may
        have anyway. Raises InvalidRequest or UnknownName."""
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

    def add(self, config: RunConfig, sinks: Sequence[SinkKind] = ()) -> RunRow:
        """Create a run from its configuration, with the sinks that it shall have, and queue it. Raises NotEnoughDisk or
        OSError."""
        self._disk.check()
        return self._add([config], self._clock(), start=True, sinks=sinks)[0]

    def start(self, run_id: str) -> RunRow:
        """Queue a created run. Raises IllegalTransition for any other, RunIsActive for one in which a person plays,
        NotEnoughDisk, RunFolderError, or NewerVersion."""
        now = self._clock()
        with self._database.write() as session:
            _check_steered(get_run(session, run_id))
            row = move_run(session, run_id, RunStatus.QUEUED, queued_at=now)
            self._disk.check()
            folder = self._folder(run_id)
            folder.config_to_go_on()
            self._trust.admit(folder)
            self._ask(run_id, Desired.RUN, now, queued_at=now)
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def stop(self, run_id: str, reason: str | None = None) -> RunRow:
        """Ask a run to stop. One that is stopping or has ended is left as it is; one never started is a conflict.

        ``reason``: one sentence, if it is not its user who wants it to. Raises RunIsActive for one in which a person
        plays: it ends with its session.
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
            self._supervisor.expect_end(run_id)  # first, since without its folder the worker cannot be asked
            with suppress(ArtifactNotFound, RunFolderError):  # it cannot be asked, so it is terminated
                self._ask(run_id, Desired.STOP, now, reason=reason)
        self._events.publish(RunChanged(row))
        self._supervisor.wake()
        return row

    def relabel(self, run_id: str, changes: Mapping[str, object]) -> RunRow:
        """Change name, tags or notes; fields that ``changes`` does not contain stay. Raises ArtifactNotFound."""
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
        """Move the folder to the trash and remove the rows.

        Raises RunIsActive while a worker, or an evaluation, may write into the folder.
        """
        self._await_exit(run_id)
        with self._database.write() as session:
            row = get_run(session, run_id)
            self._check_idle(session, row, "deleting it")
            self._trash.put(self._folder(run_id), self._clock())
            session.delete(row)
        self._events.publish(RunDeleted(run_id))

    def restore(self, run_id: str) -> RunRow:
        """Restore a run from the trash; a run that was not deleted is left as it is.

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
        found = Indexed()
        index_folder(folder, found)
        if not found.runs:
            raise found.unreadable[0]
        row = found.runs[0]
        if row.state.is_active:  # it had ended, but the disk was too full to write so into the folder
            row.sqlmodel_update(lost("How the run ended was not written down."))
        session.add(row)
        session.flush()
        session.add_all(found.evaluations)
        return row


def _check_steered(row: RunRow) -> None:
    check_controlled(row)
    if row.actor is RunActor.HUMAN:
        raise RunIsActive(f"Run {row.id!r} is played by hand. It begins and ends on the Play page, with its session.")


class TakeUpService(RunUseCases):
    def take_up(self, run_id: str) -> RunRow:
        """List a run whose folder somebody has put into the runs folder; one that is listed stays as it is.

        Raises RunNotFound where there is no such folder, and Conflict for one that does not say how it ended.
        """
        with self._database.read() as session:
            known = session.get(RunRow, run_id)
        if known is not None:
            return known
        folder = next((one for one in run_folders(self._settings.runs_dir) if one.run_id == run_id), None)
        if folder is None:
            raise RunNotFound(run_id)
        found = Indexed()
        index_folder(folder, found)
        if any(not row.state.is_final for row in found.runs):
            raise Conflict(f"Run {run_id!r} has not ended: a run that trains elsewhere cannot be taken up.")
        with self._database.write() as session:
            if session.get(RunRow, run_id) is None:  # the supervisor lists foreign runs that it finds, too
                session.add_all(found.runs)
                session.flush()
                session.add_all(found.evaluations)
        with self._database.read() as session:
            row = get_run(session, run_id)
        self._events.publish(RunChanged(row))
        return row


class PlayedRuns(RunUseCases):
    def begin(self, session_id: str, plan: SessionPlan) -> Recording:
        """Create the run that the worker of a session keeps its episodes in; folder and row, or neither.

        The worker is there already, so that the run is starting from the first. Nothing is wanted of it in
        ``control.json``: should the catalogue be made again before the worker has begun, nobody trains it.
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
            steps=self._settings.storage_profile(family_of(config)).wanted(),
            keep_videos=self._settings.keep_eval_videos,
        )
