"""ExperimentScheduler: begins trials as long as there is a place for one, and ends an experiment that is done.

All that it knows is in the folders of the experiments and in the catalogue. A line of ``trials.jsonl`` is written
before the run that it names is created, so a service that is killed in between leaves a trial whose run does not exist,
which the next one begins anew; and a run that was scored is never trained or scored again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from threading import Event, RLock, Thread

from sqlalchemy.exc import DatabaseError

from rlviz.catalog.database import Database
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.catalog.runs import find_runs
from rlviz.domain.errors import (
    InvalidRequest,
    NotEnoughDisk,
    RlvizError,
)
from rlviz.domain.experiments import ExperimentControl, ExperimentLimits, TrialState
from rlviz.rundir.experiment_folder import ExperimentFolder, experiment_folders, remove_experiment_drafts
from rlviz.rundir.trash import Trash
from rlviz.services.experiments.book import ExperimentBook, Trial
from rlviz.services.experiments.following import TrialFollower
from rlviz.services.experiments.greedy_returns import GreedyReturns
from rlviz.services.experiments.scoring import Scorer
from rlviz.services.experiments.summaries import training_seconds
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.settings import Settings

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often experiments are looked after though nothing was heard of their runs."""

LIMITED = "The experiment had reached its limit before this trial began."


class ExperimentScheduler:
    """A thread of its own. ``consider`` and ``wake`` are for every thread."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        broadcast: Broadcast,
        trash: Trash,
        runs: TrialRuns,
        scorer: Scorer,
        *,
        on_ended: Callable[[ExperimentBook], None],
        on_changed: Callable[[ExperimentBook], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``on_ended``: told of each experiment that was completed or has failed; ``on_changed``: also of each that
        goes on, whenever a trial of it has begun or ended."""
        self._settings, self._database, self._broadcast = settings, database, broadcast
        self._on_changed = on_changed
        self._runs, self._on_ended, self._clock = runs, on_ended, clock
        self._follower = TrialFollower(database, trash, runs, scorer, GreedyReturns(settings.runs_dir))
        self._disk = DiskGuard(settings)
        self._books: dict[str, ExperimentBook] = {}
        self._damaged: dict[str, str] = {}
        self._lock = RLock()
        self._wake, self._resting, self._closing = Event(), Event(), Event()
        self._seen: dict[str, object] = {}
        self._thread = Thread(target=self._loop, name="experiments", daemon=True)

    def start(self) -> None:
        """Take up every experiment that shall go on."""
        remove_experiment_drafts(self._settings.runs_dir)
        for folder in experiment_folders(self._settings.runs_dir):
            try:
                self.open(folder)
            except (RlvizError, OSError) as error:
                self._damaged[folder.id] = str(error)
                log.warning("Experiment %s cannot be read: %s", folder.id, error)
        self._thread.start()

    def rest(self) -> None:
        """From now on begin nothing and note nothing: the app ends, and the next one goes on."""
        self._resting.set()

    def close(self) -> None:
        self._closing.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        for book in self.books():
            book.close()

    def wake(self) -> None:
        self._wake.set()

    def consider(self, row: RunRow) -> None:
        """Cheap. A run has changed."""
        if row.state.is_final:
            self._wake.set()

    def consider_evaluation(self, row: EvaluationRow) -> None:
        """Cheap. An evaluation has changed."""
        if row.parsed().status.is_final:
            self._wake.set()

    def has_run(self, run_id: str) -> bool:
        """Whether it belongs to an experiment."""
        with self._lock:
            return any(run_id in book.known_runs for book in self._books.values())

    def books(self) -> list[ExperimentBook]:
        """Newest first."""
        with self._lock:
            return sorted(self._books.values(), key=lambda book: book.id, reverse=True)

    def damaged(self) -> Mapping[str, str]:
        """What is wrong, by the id of each experiment that cannot be read."""
        return dict(self._damaged)

    def open(self, folder: ExperimentFolder) -> ExperimentBook:
        """The experiment in ``folder``. Raises what ExperimentBook does."""
        with self._lock:
            book = self._books.get(folder.id)
            if book is None:
                book = self._books[folder.id] = ExperimentBook(folder, self._clock)
                book.resumes_paused = book.control.desired == "run"
            return book

    def forget(self, experiment_id: str) -> None:
        with self._lock:
            book = self._books.pop(experiment_id, None)
            self._seen.pop(experiment_id, None)
            self._damaged.pop(experiment_id, None)
        if book is not None:
            book.close()

    def _loop(self) -> None:
        while not self._closing.is_set():
            self._wake.wait(LOOK_SECONDS)
            self._wake.clear()
            for book in self.books():
                if self._closing.is_set():
                    return
                with book.lock:
                    if not self._resting.is_set():
                        self._advance(book)

    def _advance(self, book: ExperimentBook) -> None:
        if not book.folder.path.is_dir():
            self._forget_if_deleted(book)
            return
        if book.is_over or book.stored.is_newer:
            return
        try:
            if book.control.desired == "stop":
                self._follower.hold(book)
            else:
                self._go_on(book)
            book.problem = None
        except (NotEnoughDisk, OSError) as error:
            book.problem = f"{error} It goes on when there is room."
        except Exception as error:  # one experiment that cannot go on holds up no other
            told = isinstance(error, RlvizError | DatabaseError)
            problem = str(error) if told else f"{type(error).__name__}: see the log of the service."
            if problem != book.problem:  # it is tried again every second
                log.exception("Experiment %s is held up", book.id)
            book.problem = problem
        self._tell(book)

    def _forget_if_deleted(self, book: ExperimentBook) -> None:
        """Somebody has deleted its folder by hand; a disk that is away for a moment takes those of all others along."""
        if book.folder.root.is_dir():
            self.forget(book.id)
            self._broadcast.experiment_changed(book.id)

    def _go_on(self, book: ExperimentBook) -> None:
        failed = book.fast_failure()
        if failed is None:
            self._follower.follow(book)
            failed = book.fast_failure()
        if failed is None:
            self._begin(book)
        else:
            self._end(book, failed)

    def _begin(self, book: ExperimentBook) -> None:
        """Begin trials as long as there is a place for one, and end the experiment if nothing is left."""
        free = self._free_places(book)
        while free > 0:
            trial = next(iter(book.waiting()), None) or self._proposed(book)
            if trial is None:
                break
            if self._is_spent(book):
                self._end_when_done(book, skipping=LIMITED)
                return
            self._begin_one(book, trial)
            free -= trial.is_begun
        self._end_when_done(book)

    def _free_places(self, book: ExperimentBook) -> int:
        """One that is trained leaves its place to the next while it is scored, unless scoring falls behind; but a
        search proposes by the scores of all that it can have."""
        parallel = book.spec.parallel or self._settings.max_concurrent_runs
        training, scoring = self._follower.places(book)
        if book.spec.sweep is not None:
            return parallel - training - scoring
        return min(parallel - training, 2 * parallel - training - scoring)

    def _proposed(self, book: ExperimentBook) -> Trial | None:
        proposal = book.proposer.propose(book.run_specs.keys())
        if proposal is None:
            return None
        book.add(proposal)
        return next(iter(book.waiting()))

    def _begin_one(self, book: ExperimentBook, trial: Trial) -> None:
        self._disk.check()
        try:
            config = self._runs.configure(book, trial)
        except InvalidRequest as error:  # only a search proposes what was not checked before
            book.note(trial, TrialState.FAILED, "", cause=str(error))
            book.proposer.failed(trial.variant, str(error), misfit=True)
            for other in book.of_variant(trial.variant):
                if not other.is_final:
                    book.note(other, TrialState.FAILED, "", cause=str(error))
            return
        book.note(trial, TrialState.BEGUN, config.run_id)
        try:
            self._runs.add(config, book.spec.sinks)
        except (NotEnoughDisk, OSError) as error:
            book.note(trial, TrialState.LOST, config.run_id, cause=f"Its run could not be created: {error}")
            raise

    def _is_spent(self, book: ExperimentBook) -> bool:
        limits, now = book.spec.limits, self._clock()
        if limits == ExperimentLimits():
            return False
        with self._database.read() as session:
            rows = find_runs(session, book.run_ids)
        return (
            _is_reached(limits.seconds, training_seconds(rows, now))
            or _is_reached(limits.core_seconds, sum(row.core_seconds(now) for row in rows))
            or _is_reached(limits.steps, sum(row.step for row in rows))
        )

    def _end_when_done(self, book: ExperimentBook, skipping: str | None = None) -> None:
        if any(trial.is_begun for trial in book.trials.values()):
            return
        if skipping is None and book.waiting():
            return
        book.direct(ExperimentControl(desired="end", skipped=skipping))
        self._on_ended(book)

    def _end(self, book: ExperimentBook, cause: str) -> None:
        """It failed: nothing more is begun, and what trains is stopped.

        That it has ended is written last, so that a service that is killed in between does the rest when it is back.
        """
        self._follower.stop_all(book)
        book.direct(ExperimentControl(desired="end", cause=cause))
        self._on_ended(book)

    def _tell(self, book: ExperimentBook) -> None:
        """Tell the streams if something has changed."""
        now = (book.control, book.problem, [trial.last for trial in book.trials.values()])
        if self._seen.get(book.id) != now:
            self._seen[book.id] = now
            self._broadcast.experiment_changed(book.id)
            self._on_changed(book)


def _is_reached(limit: float | None, found: float) -> bool:
    return limit is not None and found >= limit
