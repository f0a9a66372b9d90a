"""Snapshots: when one is taken, and what becomes of it.

Writer: writes snapshots beside the training thread.
"""

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
from rlviz.learning.training.snapshot.requests import Asked, Memory, Recent, Usable, WriteRequest
from rlviz.rundir.files import list_files
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import drop_segments, retain_snapshots
from rlviz.rundir.snapshots import Snapshot, find_snapshot

if TYPE_CHECKING:
    from rlviz.learning.training.snapshot.capture import Captured, Contents, Point


class Writer:
    """A thread that does one job after the other; it begins with the first."""

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
            except Exception:  # into worker.log: what waits behind it is written all the same
                traceback.print_exc(file=sys.stderr)


NEVER = math.inf

SHORTEST_SECONDS = 1.0
FIRST_SHARE = 0.1
"""Share of that interval after which the first capture is taken, so that a run that ends soon can be resumed too."""

SHARE = 0.003
"""Largest share of the time of training that capturing into memory may take; what is written is captured regardless."""

MOST_WAITING_BYTES = 16_000_000
"""So much of what is new in the replay buffer waits in memory for the next snapshot; then it is written ahead."""


@dataclass(frozen=True)
class Subject:
    """What all snapshots of one attempt have in common."""

    run_id: str
    attempt: int
    built: Built
    origin: Origin
    state_problem: str | None = None
    """Why the environment cannot be copied, as the tests of it found."""
    forked_at: int | None = None
    """The step of a fork's beginning, whose snapshot is its parent's."""


class Snapshots:
    """Captures a run's training at the start of a rollout where ``is_due`` says so, and writes what the plan, an event
    or somebody asks for: ``snapshots/<step or name>.zip``.

    ``capture`` copies everything, in the training thread; compressing, writing and waiting for the disk happen in a
    thread beside it. What cannot be written is warned of, and training goes on. ``close`` after use.
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
        """``step`` is that at which training begins; ``first_update``: the step up to which nothing is learned,
        None: no snapshot is taken of it. ``answered`` as for Asked."""
        self._folder, self._plan, self._journals, self._subject = folder, plan, journals, subject
        self._capture, self._clock, self._monotonic = capture, clock, monotonic
        self._attempt = subject.attempt
        self._memory = Memory()
        self._requests: SimpleQueue[WriteRequest] = SimpleQueue()
        self.asked = Asked(journals, answered)
        self._wanted_plan = plan
        self._step_due = self._after(step)
        self._first_due = first_update if first_update is not None and self._needs_first() else NEVER
        self._recent_due = monotonic() + FIRST_SHARE * SHORTEST_SECONDS
        self._time_due = monotonic() + (plan.every_seconds or math.inf)
        self._last_submitted = -1
        self._written: dict[int, str] = {}
        self._writer = Writer()
        self._is_asked = False
        """Whether something is due that does not go by steps. Threads set it after what it announces; the training
        thread clears it before it looks."""

    @property
    def is_on(self) -> bool:
        """Whether the plan is to take any."""
        return self._plan.is_on

    def request(self, trigger: Trigger, message: str = "") -> None:
        """Ask, from any thread, for one at the start of the next rollout."""
        self._requests.put(WriteRequest(trigger, message=message))
        self._is_asked = True

    def note_best(self, began_at: int) -> None:
        """The policy of the rollout that began at step ``began_at`` is the best so far: that is worth one of its
        beginning, where training had that policy, unless the plan is to take none. A fork has that of its own beginning
        already, which stays."""
        if not self._plan.is_on or began_at == self._subject.forked_at:
            return
        if (recent := self._memory.at(began_at)) is None:
            self.request(Trigger.BEST)
        else:
            self._submit(recent, WriteRequest(Trigger.BEST))

    def note_solved(self) -> None:
        """The reward threshold was reached for the first time."""
        if self._plan.is_on:
            self.request(Trigger.SOLVED)

    def renew(self, plan: SnapshotPlan) -> None:
        """Follow ``plan``, if it is another one, from the start of the next rollout on. From any thread."""
        if plan != self._wanted_plan:
            self._wanted_plan = plan
            self._is_asked = True

    def is_due(self, step: int, *, is_evaluated: bool) -> bool:
        """Whether to ``catch_up`` at the start of a rollout at ``step``. ``is_evaluated``: its policy will be, and may
        turn out to be the best."""
        return (
            self._is_asked
            or step >= min(self._step_due, self._first_due)
            or (is_evaluated and self._plan.is_on)
            or self.asked.is_due
        )

    def tick(self) -> None:
        """Look at the clock, from any thread."""
        now = self._monotonic()
        if self._plan.is_on and (now >= self._time_due or now >= self._recent_due):
            self._is_asked = True

    def catch_up(self, step: int) -> None:
        """Do what is due, in the training thread at the start of a rollout. What cannot be captured is warned of if it
        was asked for; otherwise raises what made it impossible."""
        requests = self._due(step)
        try:
            recent = self._take("rollout")
        except Exception as error:  # of an environment that cannot be copied, for instance
            if not requests:
                raise
            self._journals.warn(step, f"The snapshot of step {step} could not be taken: {summarize_error(error)}.")
            return
        for request in requests:
            self._submit(recent, request)

    def hear_control(self) -> None:
        """Hear which snapshots people ask for: of what came just now the watcher may not have told."""
        with suppress(RunFolderError):
            self.asked.hear(self._folder.read_control().snapshot_requests)

    def capture(self, point: Point) -> Captured:
        """What training is now, for somebody else to write."""
        return self._capture(point)

    def describe(self, captured: Captured, attempt: int) -> SnapshotManifest:
        """What a snapshot of ``captured``, of that attempt, says of itself."""
        return self._manifest(Recent(captured, self._clock(), 0.0, attempt), WriteRequest(Trigger.REQUESTED))

    def take_last(self, trigger: Trigger) -> None:
        """Training is over, behind its last update: what people still wait for is of that moment too."""
        requests = [WriteRequest(trigger)] if self._plan.is_on else []
        requests += self.asked.take()
        if requests:
            recent = self._take("end")
            for request in requests:
                self._submit(recent, request)

    def write_newest(self, trigger: Trigger) -> int | None:
        """Write the one captured last, if it is not on its way already, from any thread. Returns its step; None if
        there is none yet."""
        if (recent := self._memory.newest) is None:
            return None
        if recent.captured.step != self._last_submitted:
            self._submit(recent, WriteRequest(trigger))
        return recent.captured.step

    def flush(self) -> None:
        """Wait until all that was asked for is on disk, or cannot be."""
        self._writer.flush()

    def written_at(self, step: int) -> str | None:
        """The name of the snapshot of ``step`` that was written last; None: there is none."""
        return self._written.get(step)

    def close(self) -> None:
        self._writer.close()

    def in_memory(self, name: str) -> Contents | None:
        """The snapshot of that name, if it is among those kept in memory."""
        from rlviz.learning.training.snapshot.capture import contents_in_memory

        found = self._memory.named(name)
        return None if found is None else contents_in_memory(found[1].captured, self._manifest(found[1], found[0]))

    def usable(self) -> list[Usable]:
        """What is in memory and could be gone back to, the newest first."""
        return self._memory.usable()

    def write_captured(self, captured: Captured) -> str:
        """See that one of those in memory is written; returns its name."""
        self._submit(self._memory.of(captured), WriteRequest(Trigger.RULE))
        return str(captured.step)

    def go_back(self, step: int, attempt: int) -> None:
        """Training has gone back to ``step``, in a new attempt: forget what was captured beyond."""
        self._attempt = attempt
        self._memory.go_back(step)
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
        if self.asked.is_due:
            requests += self.asked.take()
        if is_due and all(
            request.name is not None for request in requests
        ):  # or one of them takes its place, and its name
            requests.append(WriteRequest(Trigger.PERIODIC))
        return requests

    def _needs_first(self) -> bool:
        """Whether one is taken after the first update, so that a run that is killed before the clock says so for the
        first time can go on. One that goes by steps alone has its first where its user wants it."""
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
        """What fails is tried again with the next snapshot, which says so."""
        from rlviz.learning.training.snapshot.replay import write_pieces

        with suppress(OSError, RunFolderError):
            write_pieces(self._folder, captured.pieces)

    def _archive(self, captured: Captured, manifest: SnapshotManifest) -> tuple[SnapshotManifest, int]:
        """Write the file of a snapshot. Returns its manifest and its size in bytes. Raises OSError, RunFolderError."""
        from rlviz.learning.training.snapshot.capture import write_archive  # the scripted worker has no torch

        return write_archive(self._folder, captured, manifest)

    def _write(self, recent: Recent, request: WriteRequest) -> None:
        if (found := self._found(request)) is not None:
            self._tell(found.manifest, found.bytes, request)
            return
        captured = recent.captured
        manifest = self._manifest(recent, request)
        try:
            self._journals.sync_metrics()  # before: who goes on from it does not compute those rows again
            manifest, size = self._archive(captured, manifest)
            retain_snapshots(self._folder, self._plan.keep, self._plan.max_bytes or math.inf)
            drop_segments(self._folder, beyond=max((piece.end for piece in captured.pieces), default=0))
        except Exception as error:  # whatever it is: training goes on, and so does this thread
            self._journals.warn(captured.step, f"The snapshot of step {captured.step} could not be saved: {error}.")
            return
        self._written = {captured.step: manifest.name}
        self._tell(manifest, size, request)

    def _found(self, request: WriteRequest) -> Snapshot | None:
        """The snapshot that has the name which somebody asks for: a worker that was killed has written it and not said
        so, or another one was given that name meanwhile. It is not replaced."""
        if request.name is None:
            return None
        with suppress(OSError, RlvizError):
            return find_snapshot(self._folder, request.name)
        return None

    def _tell(self, manifest: SnapshotManifest, size: int, request: WriteRequest) -> None:
        self.asked.answer(request)
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
