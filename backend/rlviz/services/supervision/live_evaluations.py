"""LiveEvaluations: the evaluations that play, and those that wait for a policy or for their turn."""

from __future__ import annotations

import logging
from collections import deque

from sqlalchemy.exc import NoResultFound

from rlviz.catalog.database import Database
from rlviz.catalog.models import EvaluationRow
from rlviz.catalog.runs import get_run
from rlviz.domain.errors import RlvizError
from rlviz.launchers.base import Launcher, Worker
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_videos
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.supervision.evaluation_monitor import EvaluationMonitor
from rlviz.services.supervision.live_runs import LiveRuns
from rlviz.services.supervision.monitors import Monitors
from rlviz.settings import Settings

log = logging.getLogger(__name__)

CONCURRENT_EVALUATIONS = 2


class LiveEvaluations:
    """Launches evaluators, a few at a time, and follows them.

    ``add`` is for any thread, all else for the supervisor's.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        launcher: Launcher,
        broadcast: Broadcast,
        disk: DiskGuard,
        runs: LiveRuns,
    ) -> None:
        """``runs`` answer the requests for checkpoints that evaluations wait for."""
        self._settings, self._database, self._launcher = settings, database, launcher
        self._broadcast, self._disk, self._runs = broadcast, disk, runs
        self._new: deque[tuple[EvaluationRow, int | None]] = deque()
        self.monitors: Monitors[tuple[str, str], EvaluationMonitor] = Monitors(_name)

    def add(self, row: EvaluationRow, checkpoint_request: int | None) -> None:
        """Take over a queued evaluation. It waits for checkpoint ``checkpoint_request`` if that is a number."""
        self._new.append((row, checkpoint_request))

    def adopt(self, row: EvaluationRow, worker: Worker) -> None:
        """Follow an evaluation whose evaluator an earlier service launched."""
        self._monitor(row, None).adopt(worker)

    def poll(self) -> None:
        """Follow every evaluation, those that were added meanwhile included."""
        while self._new:
            self._monitor(*self._new.popleft())
        self.monitors.poll()

    def take_over_film(self, run_id: str, evaluation_id: str) -> None:
        """Take over into the catalogue that an evaluation may have a video again."""
        folder = RunFolder(self._settings.runs_dir, run_id)
        try:
            record = folder.evaluations.read(evaluation_id)
            retain_videos(folder, self._settings.keep_eval_videos)
            with self._database.write() as session:
                row = session.get_one(EvaluationRow, (run_id, evaluation_id))
                row.take(record)
                session.add(row)
        except (RlvizError, OSError, NoResultFound) as error:
            log.warning("The row of evaluation %s of run %s lacks its video: %s", evaluation_id, run_id, error)
            return
        if not row.is_by_run:
            self._broadcast.evaluation_changed(row)

    def abandon_all(self) -> None:
        """End every evaluator at once; those that wait are taken up by the next start."""
        for monitor in self.monitors:
            monitor.abandon()

    def launch(self) -> None:
        """Start what waits and has its policy on disk, as long as there is room."""
        busy = len(self.monitors.workers())
        for monitor in self.monitors:
            if busy >= CONCURRENT_EVALUATIONS:
                return
            try:
                busy += self._launch(monitor)
            except Exception:
                log.exception("Evaluation %s of run %s could not be launched", monitor.id, monitor.run_id)

    def _launch(self, monitor: EvaluationMonitor) -> bool:
        """Launch it if it waits and its policy is there; return whether that was so."""
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
            self._broadcast,
            disk=self._disk,
            checkpoint_request=checkpoint_request,
            keep_videos=self._settings.keep_eval_videos,
        )
        self.monitors.add((row.run_id, row.id), monitor)
        return monitor


def _name(key: tuple[str, str]) -> str:
    run_id, evaluation_id = key
    return f"evaluation {evaluation_id} of {run_id}"
