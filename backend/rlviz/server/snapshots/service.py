"""Use cases on the snapshots of a run: list, plan, request, keep, delete and verify."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

from rlviz.domain.config import RunActor, SnapshotPlan
from rlviz.domain.errors import (
    ArtifactNotFound,
    InvalidRequest,
    NotTraining,
    RlvizError,
    RunFolderError,
    RunIsActive,
    VerificationInProgress,
)
from rlviz.domain.evaluation import VerificationStatus
from rlviz.domain.snapshots import SnapshotVerification, check_snapshot_name
from rlviz.domain.status import RunStatus
from rlviz.launchers.base import VerifySnapshot
from rlviz.rundir.control import SnapshotRequest, next_number
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import superseded_rows
from rlviz.rundir.retention import delete_snapshot, drop_segments, keep_snapshot, retain_snapshots
from rlviz.rundir.snapshots import (
    Snapshot,
    find_snapshot,
    is_behind,
    read_snapshot_verification,
    snapshots_bytes,
    snapshots_of,
    write_snapshot_verification,
)
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.snapshots.resuming import depends_on_length
from rlviz.server.supervisor.workers import ABANDONED
from rlviz.server.use_case import RunUseCases, check_controlled

KEPT_REQUESTS = 20

NOT_TRUSTED = "It was made elsewhere, and the run is not trusted."


@dataclass(frozen=True)
class SnapshotList:
    """The snapshots of a run.

    Attributes:
        behind: Names of snapshots that a rollback discarded.
        bytes: Total size; shared data counts once.
        spread: Hyperparameters with schedules over the whole training.
        verifications: The newest verification by snapshot name.
        plan: The active plan; None if it cannot be read.
    """

    snapshots: list[Snapshot]
    behind: frozenset[str]
    bytes: int
    spread: list[str]
    verifications: dict[str, SnapshotVerification]
    plan: SnapshotPlan | None


class SnapshotService(RunUseCases):
    def list(self, run_id: str) -> SnapshotList:
        """Return the snapshots of a run. Raises RunNotFound, or ArtifactNotFound if the folder is gone."""
        folder = self._folder_of(run_id)
        found, superseded = snapshots_of(folder), superseded_rows(folder)
        if not self._trust.standing_of(folder.path).is_usable:
            found = [replace(one, problem=one.problem or NOT_TRUSTED) for one in found]
        behind = frozenset(one.name for one in found if is_behind(one, superseded))
        spread: list[str] = []
        plan = None
        with suppress(RlvizError):
            config = folder.read_config()
            plan = folder.snapshot_plan(config)
            spread = depends_on_length(config)
        verifications = {}
        for one in found:
            with suppress(RunFolderError):  # a damaged result file: verify again
                if (verification := self._newest_verification(folder, one.name)) is not None:
                    verifications[one.name] = verification
        return SnapshotList(found, behind, snapshots_bytes(folder), spread, verifications, plan)

    def request_snapshot(self, run_id: str, name: str | None, message: str) -> RunRow:
        """Request a snapshot at the start of the next rollout. If this attempt ends before, the next one takes it.

        Raises NotTraining if the run does not train, NewerVersion, and InvalidRequest for a name in use.
        """
        with self._database.write() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            if row.state not in (RunStatus.STARTING, RunStatus.RUNNING):
                raise NotTraining(f"Run {run_id!r} is {row.status!r}. A snapshot can be taken only while it trains.")
            if row.actor is not RunActor.POLICY:
                raise NotTraining(f"Nothing learns in run {run_id!r}, so it has no snapshots.")
            folder = self._folder(run_id)
            folder.config_to_go_on()
            if name is not None and any(one.name == check_snapshot_name(name) for one in snapshots_of(folder)):
                raise InvalidRequest.field("/name", f"There is a snapshot {name!r} already. Choose another name.")
            requests = folder.read_control().snapshot_requests
            request = SnapshotRequest(number=next_number(requests, self._clock()), name=name, message=message)
            folder.change_control(snapshot_requests=(*requests, request)[-KEPT_REQUESTS:])
        return row

    def change_plan(self, run_id: str, plan: SnapshotPlan) -> None:
        """Change when snapshots are taken and how many are kept.

        A training run applies the plan from its next rollout on. Otherwise excess snapshots are deleted now.

        Raises RunNotFound, ArtifactNotFound if the folder is gone, NotControlled, NewerVersion and RunFolderError.
        """
        with self._database.write() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            folder = self._folder(run_id)
            folder.check()
            folder.config_to_go_on()
            plan = plan.within(self._settings.snapshot_bytes)
            folder.change_control(snapshots=plan)
            if not row.state.is_active and not self._supervisor.is_live(run_id):
                retain_snapshots(folder, plan.keep, plan.max_bytes or math.inf)
                drop_segments(folder)

    def keep(self, run_id: str, name: str, new_name: str | None, message: str | None) -> None:
        """Name a snapshot, which keeps it, or change its message; None leaves either as it is.

        Raises RunNotFound, ArtifactNotFound, RunIsActive if the run is about to start from it, SnapshotDamaged,
        SnapshotRefused, NewerVersion, and InvalidRequest for a name that is malformed or in use.
        """
        with self._database.write() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            folder = self._folder(run_id)
            found = find_snapshot(folder, name)
            folder.config_to_go_on()
            if found.is_inherited:
                raise InvalidRequest.field(
                    "/name", "The run starts from this snapshot, so it stays and keeps its name."
                )
            wanted = name if new_name is None else check_snapshot_name(new_name)
            if new_name is None and not found.manifest.is_named:
                raise InvalidRequest.field("/name", "Give it a name, which keeps it.")
            if wanted != name and any(one.name == wanted for one in snapshots_of(folder)):
                raise InvalidRequest.field("/name", f"There is a snapshot {wanted!r} already. Choose another name.")
            if wanted != name and row.state in (RunStatus.QUEUED, RunStatus.STARTING):
                raise RunIsActive(
                    f"Run {run_id!r} is about to start, possibly from this snapshot. Try again once it trains."
                )
            keep_snapshot(folder, name, wanted, found.manifest.message if message is None else message)

    def verify(self, run_id: str, name: str) -> SnapshotVerification:
        """Start to verify a snapshot.

        Raises RunNotFound, ArtifactNotFound, SnapshotRefused if its manifest cannot be read, NewerVersion or
        VerificationInProgress.
        """
        folder, job = self._folder_of(run_id), VerifySnapshot(name)
        find_snapshot(folder, name)
        folder.config_to_go_on()
        self._trust.admit(folder)
        if self._supervisor.is_verifying(run_id, job):
            raise VerificationInProgress(f"Snapshot {name!r} is being verified. Wait for it to end.")
        asked = SnapshotVerification()
        write_snapshot_verification(folder, name, asked)
        self._supervisor.request_verification(run_id, job)
        return asked

    def verification(self, run_id: str, name: str) -> SnapshotVerification | None:
        """Return the newest verification; None if there was none. Raises RunNotFound or ArtifactNotFound."""
        folder = self._folder_of(run_id)
        if not is_file(folder.snapshot_path(name), folder.path):
            raise ArtifactNotFound(f"This run has no snapshot {name[:80]!r}.")
        return self._newest_verification(folder, name)

    def _newest_verification(self, folder: RunFolder, name: str) -> SnapshotVerification | None:
        under_way = self._supervisor.is_verifying(folder.run_id, VerifySnapshot(name))
        found = read_snapshot_verification(folder, name)
        if found is None:
            return None
        if under_way:  # its worker may have written a result, but no other can start until it exits
            return SnapshotVerification()
        if found.status is VerificationStatus.RUNNING:
            return found.model_copy(update={"status": VerificationStatus.FAILED, "cause": ABANDONED})
        return found

    def _folder_of(self, run_id: str) -> RunFolder:
        with self._database.read() as session:
            get_run(session, run_id)
        folder = self._folder(run_id)
        folder.check()
        return folder

    def delete(self, run_id: str, name: str) -> None:
        """Delete a snapshot and the data that no other needs.

        Raises RunNotFound, ArtifactNotFound, RunIsActive while the run's worker may need it, or NewerVersion, since
        this version does not know what the other snapshots need.
        """
        self._await_exit(run_id)
        with self._database.write() as session:
            row = get_run(session, run_id)
            self._check_idle(session, row, "deleting its snapshots")
            folder = self._folder(run_id)
            find_snapshot(folder, name)
            folder.config_to_go_on()
            delete_snapshot(folder, name)
