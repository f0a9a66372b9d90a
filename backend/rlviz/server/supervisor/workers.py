"""Start and follow workers that do not train: for clips, sessions and verifications.

Clips have one worker for each run with requests, a few at a time; verifications run one at a time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from threading import Lock

from rlviz.domain.errors import RlvizError
from rlviz.domain.evaluation import Verification, VerificationStatus
from rlviz.domain.snapshots import SnapshotVerification
from rlviz.launchers.base import Launcher, MakeClips, PlaySession, Verify, VerifySnapshot, Worker
from rlviz.learning.sessions.folder import SessionFolder
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import read_snapshot_verification, write_snapshot_verification
from rlviz.server.supervisor.monitors import SESSION_GRACE, TerminationPolicy

log = logging.getLogger(__name__)


AT_A_TIME = 2
"""Maximum number of clip workers. Each uses a core while it renders."""


class ClipWorkers:
    """Workers that render clips. Only ``request`` is thread-safe; the supervisor's thread calls everything else."""

    def __init__(self, runs_dir: Path, launcher: Launcher) -> None:
        self._runs_dir, self._launcher = runs_dir, launcher
        self._inbox: list[str] = []
        self._lock = Lock()
        self._waiting: list[str] = []
        self._workers: dict[str, Worker] = {}

    @property
    def is_busy(self) -> bool:
        return bool(self._workers or self._waiting or self._inbox)

    def workers(self) -> list[Worker]:
        """Return the workers that are not known to have exited."""
        return list(self._workers.values())

    def request(self, run_id: str) -> None:
        """Start a worker for the requests in the run's folder."""
        with self._lock:
            self._inbox.append(run_id)

    def poll(self) -> None:
        """Remove workers that have exited, and start those that are needed. Returns at once."""
        with self._lock:
            asked, self._inbox = self._inbox, []
        self._waiting += [run_id for run_id in dict.fromkeys(asked) if run_id not in self._waiting]
        self._follow()
        self._waiting = [run_id for run_id in self._waiting if run_id not in self._workers]
        while self._waiting and len(self._workers) < AT_A_TIME:
            self._launch(self._waiting.pop(0))
        if self._waiting:
            self._make_room()

    def end(self) -> None:
        """End all of them at once; clips can be requested again."""
        with self._lock:
            self._inbox = []
        self._waiting = []
        for worker in self._workers.values():
            worker.kill()
        self._follow()

    def _follow(self) -> None:
        for run_id, worker in list(self._workers.items()):
            if (gone := worker.poll()) is None:
                continue
            del self._workers[run_id]
            clips = self._clips(run_id)
            if not clips.requests.has_any():
                continue
            if gone.code == 0:  # a request came just as it ended
                self._waiting.append(run_id)
            else:
                clips.requests.refuse_all(gone.cause("the clip"))

    def _launch(self, run_id: str) -> None:
        try:
            self._workers[run_id] = self._launcher.launch(RunFolder(self._runs_dir, run_id), MakeClips())
        except RlvizError as error:
            log.warning("Cannot make clips of run %s: %s", run_id, error)
            self._clips(run_id).requests.refuse_all(str(error))

    def _make_room(self) -> None:
        """If other runs wait, end a worker that has no requests."""
        for run_id, worker in self._workers.items():
            if not self._clips(run_id).requests.has_any():
                worker.terminate()
                return

    def _clips(self, run_id: str) -> Clips:
        return Clips(RunFolder(self._runs_dir, run_id))


CLOSING_SECONDS = 3.5
"""Seconds for session workers to end and then to exit: longer than the wait for the video of the last episode."""


@dataclass
class _Live:
    worker: Worker
    on_gone: Callable[[str], None]
    termination: TerminationPolicy | None = None


class SessionWorkers:
    """Workers of live sessions. ``launch`` and ``end`` are thread-safe; the supervisor's thread calls everything
    else."""

    def __init__(self, launcher: Launcher, wake: Callable[[], None]) -> None:
        self._launcher, self._wake = launcher, wake
        self._live: dict[str, _Live] = {}
        self._inbox = Lock()
        self._closed = False
        self._to_launch: list[tuple[str, SessionFolder, Callable[[str], None]]] = []
        self._to_end: list[str] = []

    def launch(self, session_id: str, folder: SessionFolder, on_gone: Callable[[str], None]) -> None:
        """Start the worker of a session. ``on_gone`` is called with a sentence when it fails to start or exits."""
        with self._inbox:
            self._to_launch.append((session_id, folder, on_gone))
        self._wake()

    def end(self, session_id: str) -> None:
        """Make the worker of an ended session exit."""
        with self._inbox:
            self._to_end.append(session_id)
        self._wake()

    def worker_of(self, session_id: str) -> Worker | None:
        """Return the session's worker; None if it has exited or has not started."""
        live = self._live.get(session_id)
        return live.worker if live is not None else None

    @property
    def is_busy(self) -> bool:
        return bool(self._live)

    def poll(self) -> None:
        with self._inbox:
            to_launch, self._to_launch = self._to_launch, []
            to_end, self._to_end = self._to_end, []
        for session_id, folder, on_gone in to_launch:
            if self._closed:
                on_gone("The app is ending.")
                continue
            try:
                self._live[session_id] = _Live(self._launcher.launch(folder, PlaySession()), on_gone)
            except (RlvizError, OSError) as error:
                log.warning("Cannot start session %s: %s", session_id, error)
                on_gone(f"The session could not start: {error}")
        for session_id in to_end:
            if (live := self._live.get(session_id)) is not None and live.termination is None:
                live.termination = TerminationPolicy(f"The worker of {session_id}", live.worker, SESSION_GRACE)
        for session_id, live in list(self._live.items()):
            if (how := live.worker.poll()) is not None:
                del self._live[session_id]
                live.on_gone(how.cause("the session"))
            elif live.termination is not None:
                live.termination.advance()

    def close(self) -> None:
        """End all workers and start no more. Runs that were played by hand end properly."""
        self._closed = True
        for act in (methodcaller("terminate"), methodcaller("kill")):
            for live in self._live.values():
                act(live.worker)
            deadline = time.monotonic() + CLOSING_SECONDS
            while self._live and time.monotonic() < deadline:
                self._live = {key: live for key, live in self._live.items() if live.worker.poll() is None}
                time.sleep(0.01)


Key = tuple[str, Verify | VerifySnapshot]
"""The id of a run, and what to verify in it."""

ABANDONED = "The app ended during the verification. Verify again."


class VerificationWorkers:
    """Workers that verify evaluations and snapshots. ``request`` and ``has`` are thread-safe; the supervisor's thread
    calls everything else."""

    def __init__(self, runs_dir: Path, launcher: Launcher, on_filmed: Callable[[str, str], None]) -> None:
        """``on_filmed`` is called with the ids of run and evaluation when the filming of an evaluation has ended."""
        self._runs_dir, self._launcher, self._on_filmed = runs_dir, launcher, on_filmed
        self._lock = Lock()
        self._asked: list[Key] = []
        self._worker: Worker | None = None
        self._abandoned = False

    @property
    def is_busy(self) -> bool:
        return bool(self._asked)

    def workers(self) -> list[Worker]:
        return [self._worker] if self._worker is not None else []

    def has(self, key: Key) -> bool:
        """Return whether the verification is queued or running."""
        return key in self._asked

    def request(self, key: Key) -> None:
        """Queue a verification, whose request is in the folder."""
        with self._lock:
            if key not in self._asked:
                self._asked.append(key)

    def poll(self) -> None:
        """Check whether the worker has ended, and start the next. Returns at once."""
        if self._worker is None:
            if self._asked:
                self._launch(self._asked[0])
        elif (gone := self._worker.poll()) is not None:
            self._worker = None
            self._finish(self._asked[0], ABANDONED if self._abandoned else gone.cause("the verification"))

    def end(self) -> None:
        """End the worker at once; the verification can be requested again."""
        self._abandoned = True
        if self._worker is not None:
            self._worker.kill()
            self.poll()
        else:
            for key in list(self._asked):
                self._finish(key, ABANDONED)

    def _launch(self, key: Key) -> None:
        try:
            self._worker = self._launcher.launch(RunFolder(self._runs_dir, key[0]), key[1])
        except RlvizError as error:
            log.warning("Run %s: cannot do %s: %s", *key, error)
            self._finish(key, str(error))

    def _finish(self, key: Key, cause: str) -> None:
        """Write the result ``cause`` if the worker ended without writing one."""
        folder = RunFolder(self._runs_dir, key[0])
        try:
            match key[1]:
                case Verify(evaluation_id, film):
                    found = folder.evaluations.read_verification(evaluation_id)
                    if found is None or found.status is VerificationStatus.RUNNING:
                        failed = Verification(status=VerificationStatus.FAILED, cause=cause, film=film)
                        folder.evaluations.write_verification(evaluation_id, failed)
                case VerifySnapshot(name):
                    seen = read_snapshot_verification(folder, name)
                    if seen is None or seen.status is VerificationStatus.RUNNING:
                        unseen = SnapshotVerification(status=VerificationStatus.FAILED, cause=cause)
                        write_snapshot_verification(folder, name, unseen)
        except (OSError, RlvizError):
            log.exception("Run %s: cannot write how %s ended", *key)
        with self._lock:
            self._asked.remove(key)
        if isinstance(key[1], Verify) and key[1].film:
            self._on_filmed(key[0], key[1].evaluation_id)
