"""Decides when snapshots of a run are taken, and writes them beside the training thread."""

from __future__ import annotations

import math
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from rlviz.domain.config import SnapshotPlan
from rlviz.domain.errors import RlvizError, RunFolderError, summarize_error
from rlviz.domain.events import SnapshotData
from rlviz.domain.snapshots import Built, Origin, SnapshotManifest, Trigger
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.snapshot.requests import Memory, Recent, RequestedSnapshots, Usable, WriteRequest
from rlviz.rundir.files import list_files
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import drop_segments, retain_snapshots
from rlviz.rundir.snapshots import Snapshot, find_snapshot

if TYPE_CHECKING:
    from rlviz.learning.training.snapshot.capture import Captured, Contents, Point


class Writer:
    """A thread that runs one job after the other. It starts with the first job."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._beginning = Lock()

    def submit(self, job: Callable[[], None]) -> None:
        with self._beginning:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="snapshots", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    def flush(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            done = Event()
            self._jobs.put(done.set)
            done.wait()

    def close(self) -> None:
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception:  # into worker.log; the jobs behind it still run
                traceback.print_exc(file=sys.stderr)


NEVER = math.inf

SHORTEST_SECONDS = 1.0
FIRST_SHARE = 0.1
"""Share of the shortest interval after which the first state is captured, so that a run that ends soon can resume."""

SHARE = 0.003
"""Largest share of training time for captures that only stay in memory. Captures to be written have no limit."""

MOST_WAITING_BYTES = 16_000_000
"""New replay rows that may wait in memory for the next snapshot, in bytes; beyond it they are written ahead."""


@dataclass(frozen=True)
class Subject:
    """Facts that all snapshots of an attempt share."""

    run_id: str
    attempt: int
    built: Built
    origin: Origin
    state_problem: str | None = None
    """Why the environment's state cannot be copied, as found when it was tested."""
    forked_at: int | None = None
    """The step at which a fork begins; the snapshot of that step is its parent's."""


class Snapshots:
    """Captures a run's state at the start of a rollout when ``is_due``, and writes ``snapshots/<step or name>.zip``.

    A capture is written when the plan, an event, a rule or a user asks for it. ``capture`` copies the state in the
    training thread; compressing and writing happen in a separate thread. A failure to write becomes a warning. Call
    ``close`` after use.
    """

    def __init__(
        self,
        folder: RunFolder,
        plan: SnapshotPlan,
        journals: RunJournals,
        capture: Callable[[Point], Captured],
        subject: Subject,
        *,
        step: int = 0,
        first_update: int | None = None,
        answered: int = 0,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Plan the first snapshot.

        Args:
            folder: The run's folder.
            plan: When snapshots are taken and how many are kept.
            journals: Where snapshots are recorded.
            capture: Copies the state of training.
            subject: Facts that all snapshots share.
            step: The step at which training begins.
            first_update: Take a first snapshot at this step, after the first update. None: no first snapshot.
            answered: Number of the last request that an earlier attempt answered.
        """
        self._folder, self._plan, self._journals, self._subject = folder, plan, journals, subject
        self._capture, self._clock, self._monotonic = capture, clock, monotonic
        self._attempt = subject.attempt
        self._memory = Memory()
        self._requests: SimpleQueue[WriteRequest] = SimpleQueue()
        self.requested = RequestedSnapshots(journals, answered)
        self._wanted_plan = plan
        self._step_due = self._after(step)
        self._first_due = first_update if first_update is not None and self._needs_first() else NEVER
        self._recent_due = monotonic() + FIRST_SHARE * SHORTEST_SECONDS
        self._time_due = monotonic() + (plan.every_seconds or math.inf)
        self._last_submitted = -1
        self._written: dict[int, str] = {}
        self._writer = Writer()
        self._is_asked = False
        """Whether something is due that does not depend on steps.

        Other threads set it after adding their request; the training thread clears it before it reads the requests.
        """

    @property
    def is_on(self) -> bool:
        """Whether the plan takes any snapshots."""
        return self._plan.is_on

    def request(self, trigger: Trigger, message: str = "") -> None:
        """Request a snapshot at the start of the next rollout. For any thread."""
        self._requests.put(WriteRequest(trigger, message=message))
        self._is_asked = True

    def note_best(self, began_at: int) -> None:
        """Snapshot the state that had the best policy so far: the start of the rollout at step ``began_at``.

        A fork already has the snapshot of its own beginning, which is kept.
        """
        if not self._plan.is_on or began_at == self._subject.forked_at:
            return
        if (recent := self._memory.find_step(began_at)) is None:
            self.request(Trigger.BEST)
        else:
            self._submit(recent, WriteRequest(Trigger.BEST))

    def note_solved(self) -> None:
        """Request a snapshot because the reward threshold was reached for the first time."""
        if self._plan.is_on:
            self.request(Trigger.SOLVED)

    def set_plan(self, plan: SnapshotPlan) -> None:
        """Follow ``plan`` from the start of the next rollout on. For any thread."""
        if plan != self._wanted_plan:
            self._wanted_plan = plan
            self._is_asked = True

    def is_due(self, step: int, *, is_evaluated: bool) -> bool:
        """Return whether to call ``take_due`` at the start of the rollout at ``step``.

        Args:
            is_evaluated: Whether the policy is evaluated within the rollout, so that it may become the best.
        """
        return (
            self._is_asked
            or step >= min(self._step_due, self._first_due)
            or (is_evaluated and self._plan.is_on)
            or self.requested.is_due
        )

    def check_clock(self) -> None:
        """Check by the clock whether something is due. For any thread."""
        now = self._monotonic()
        if self._plan.is_on and (now >= self._time_due or now >= self._recent_due):
            self._is_asked = True

    def take_due(self, step: int) -> None:
        """Capture what is due, at the start of a rollout, and have it written.

        If the state cannot be captured, warn if a snapshot was requested; otherwise raise the error.
        """
        requests = self._due(step)
        try:
            recent = self._take("rollout")
        except Exception as error:  # for instance, of an environment that cannot be copied
            if not requests:
                raise
            self._journals.warn(step, f"The snapshot of step {step} could not be taken: {summarize_error(error)}.")
            return
        for request in requests:
            self._submit(recent, request)

    def read_requests(self) -> None:
        """Read the users' requests from ``control.json``; the watcher may not have seen the latest."""
        with suppress(RunFolderError):
            self.requested.add_requests(self._folder.read_control().snapshot_requests)

    def capture(self, point: Point) -> Captured:
        """Return a copy of the state of training, for the caller to write."""
        return self._capture(point)

    def describe(self, captured: Captured, attempt: int) -> SnapshotManifest:
        """Return a manifest for ``captured``, as a snapshot of that attempt."""
        return self._manifest(Recent(captured, self._clock(), 0.0, attempt), WriteRequest(Trigger.REQUESTED))

    def take_last(self, trigger: Trigger) -> None:
        """Take the requested snapshots after the last update of training."""
        requests = [WriteRequest(trigger)] if self._plan.is_on else []
        requests += self.requested.pop_all()
        if requests:
            recent = self._take("end")
            for request in requests:
                self._submit(recent, request)

    def write_newest(self, trigger: Trigger) -> int | None:
        """Write the newest capture, unless it was submitted already. For any thread.

        Returns:
            Its step, or None if there is no capture yet.
        """
        if (recent := self._memory.newest) is None:
            return None
        if recent.captured.step != self._last_submitted:
            self._submit(recent, WriteRequest(trigger))
        return recent.captured.step

    def flush(self) -> None:
        """Wait until all submitted snapshots are written or have failed."""
        self._writer.flush()

    def find_written(self, step: int) -> str | None:
        """Return the name of the snapshot of ``step`` if it was the last one written, else None."""
        return self._written.get(step)

    def close(self) -> None:
        self._writer.close()

    def find_in_memory(self, name: str) -> Contents | None:
        """Return the snapshot called ``name`` if it is kept in memory."""
        from rlviz.learning.training.snapshot.capture import copy_contents

        found = self._memory.find_name(name)
        return None if found is None else copy_contents(found[1].captured, self._manifest(found[1], found[0]))

    def list_usable(self) -> list[Usable]:
        """Return the states in memory that training can be rolled back to, newest first."""
        return self._memory.list_usable()

    def write_captured(self, captured: Captured) -> str:
        """Write a state that is in memory, and return its name."""
        self._submit(self._memory.find_capture(captured), WriteRequest(Trigger.RULE))
        return str(captured.step)

    def roll_back(self, step: int, attempt: int) -> None:
        """Forget what was captured after ``step``, because training rolled back to it, in a new attempt."""
        self._attempt = attempt
        self._memory.roll_back(step)
        self._last_submitted = -1
        self._step_due = self._after(step)

    def _due(self, step: int) -> list[WriteRequest]:
        self._is_asked = False
        requests = []
        now = self._monotonic()
        if (plan := self._wanted_plan) is not self._plan:
            self._plan = plan
            self._step_due, self._time_due = self._after(step), now + (plan.every_seconds or math.inf)
        is_due = step >= min(self._step_due, self._first_due) or now >= self._time_due
        if step >= self._first_due:
            self._first_due = NEVER
        if is_due:
            self._step_due, self._time_due = self._after(step), now + (self._plan.every_seconds or math.inf)
        while not self._requests.empty():
            requests.append(self._requests.get())
        if self.requested.is_due:
            requests += self.requested.pop_all()
        # A requested snapshot without a name replaces the periodic one: both are named after the step.
        if is_due and all(request.name is not None for request in requests):
            requests.append(WriteRequest(Trigger.PERIODIC))
        return requests

    def _needs_first(self) -> bool:
        """Return whether to take a snapshot after the first update, so that a run that is killed early can resume.

        A plan by steps alone takes its first snapshot where the user wants it.
        """
        return self._plan.every_seconds is not None and not list_files(
            self._folder.snapshots, self._folder.path, "*.zip"
        )

    def _after(self, step: int) -> float:
        every = self._plan.every_steps
        return (step // every + 1) * every if every is not None else NEVER

    def _take(self, point: Point) -> Recent:
        begin = self._monotonic()
        try:
            captured = self._capture(point)
        finally:
            end = self._monotonic()
            self._recent_due = end + max(SHORTEST_SECONDS, (end - begin) / SHARE)
        recent = Recent(captured, self._clock(), (end - begin) * 1_000, self._attempt)
        self._memory.add(recent)
        if sum(piece.bytes for piece in captured.pieces) > MOST_WAITING_BYTES:
            self._writer.submit(partial(self._write_ahead, captured))
        return recent

    def _submit(self, recent: Recent, request: WriteRequest) -> None:
        self._last_submitted = recent.captured.step
        self._memory.keep(request, recent)
        self._writer.submit(partial(self._write, recent, request))

    def _write_ahead(self, captured: Captured) -> None:
        """Write replay rows before their snapshot. A failure is ignored: the next snapshot writes them again."""
        from rlviz.learning.training.snapshot.replay import write_pieces

        with suppress(OSError, RunFolderError):
            write_pieces(self._folder, captured.pieces)

    def _archive(self, captured: Captured, manifest: SnapshotManifest) -> tuple[SnapshotManifest, int]:
        """Write a snapshot's file. Returns its manifest and size in bytes. Raises OSError and RunFolderError."""
        from rlviz.learning.training.snapshot.capture import write_archive  # the scripted worker has no torch

        return write_archive(self._folder, captured, manifest)

    def _write(self, recent: Recent, request: WriteRequest) -> None:
        if (found := self._found(request)) is not None:
            self._tell(found.manifest, found.bytes, request)
            return
        captured = recent.captured
        manifest = self._manifest(recent, request)
        try:
            self._journals.sync_metrics()  # first, so that an attempt resumed from it need not compute those rows
            manifest, size = self._archive(captured, manifest)
            retain_snapshots(self._folder, self._plan.keep, self._plan.max_bytes or math.inf)
            drop_segments(self._folder, beyond=max((piece.end for piece in captured.pieces), default=0))
        except Exception as error:  # whatever it is, training and this thread continue
            self._journals.warn(captured.step, f"The snapshot of step {captured.step} could not be saved: {error}.")
            return
        self._written = {captured.step: manifest.name}
        self._tell(manifest, size, request)

    def _found(self, request: WriteRequest) -> Snapshot | None:
        """Return an existing snapshot with the requested name; it is not replaced.

        A worker that was killed may have written it without recording it, or another one got that name meanwhile.
        """
        if request.name is None:
            return None
        with suppress(OSError, RlvizError):
            return find_snapshot(self._folder, request.name)
        return None

    def _tell(self, manifest: SnapshotManifest, size: int, request: WriteRequest) -> None:
        self.requested.mark_answered(request)
        self._journals.event(
            manifest.step,
            SnapshotData(
                name=manifest.name,
                trigger=manifest.trigger,
                bytes=size,
                capture_ms=manifest.capture_ms,
                request=request.number,
            ),
        )

    def _manifest(self, recent: Recent, request: WriteRequest) -> SnapshotManifest:
        captured, subject = recent.captured, self._subject
        return SnapshotManifest(
            run_id=subject.run_id,
            name=request.name or str(captured.step),
            is_named=request.name is not None,
            message=request.message,
            step=captured.step,
            attempt=recent.attempt,
            trigger=request.trigger,
            time=recent.time,
            point=captured.point,
            last_row=captured.last_row,
            exact=captured.problem is None,
            not_exact_because=captured.problem and " ".join(filter(None, (captured.problem, subject.state_problem))),
            built=subject.built,
            origin=subject.origin,
            capture_ms=round(recent.capture_ms, 3),
        )
