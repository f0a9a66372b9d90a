"""ExperimentScheduler: begins trials, follows their runs to a score, and begins again what was lost.

All that it knows is in the folders of the experiments and in the catalogue. A line of ``trials.jsonl`` is written
before the run that it names is created, so a service that is killed in between leaves a trial whose run does not exist,
which the next one begins anew; and a run that was scored is never trained or scored again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from threading import Event, RLock, Thread

from sqlalchemy.exc import DatabaseError

from rlviz.catalog.database import Database
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.catalog.runs import find_runs
from rlviz.domain.errors import (
    IllegalTransition,
    InvalidRequest,
    NotEnoughDisk,
    NothingToResume,
    RlvizError,
    RunFolderError,
    RunIsActive,
    SnapshotRefused,
)
from rlviz.domain.experiments import ExperimentControl, FailMode, TrialState
from rlviz.domain.status import RunStatus
from rlviz.rundir.experiment_folder import ExperimentFolder, experiment_folders, remove_experiment_drafts
from rlviz.rundir.trash import Trash
from rlviz.services.experiments.book import ExperimentBook, Trial
from rlviz.services.experiments.pruning import GreedyReturns
from rlviz.services.experiments.scoring import Scorer
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.settings import Settings

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often experiments are looked after though nothing was heard of their runs."""

MOST_LOST = 100
"""Attempts of a trial that may be cut off from outside before it fails."""

STOPPED = "Its experiment was stopped."
PRUNED = "It fell behind other trials of the search."
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
    ) -> None:
        self._settings, self._database, self._broadcast, self._trash = settings, database, broadcast, trash
        self._runs, self._scorer = runs, scorer
        self._disk = DiskGuard(settings)
        self._books: dict[str, ExperimentBook] = {}
        self._damaged: dict[str, str] = {}
        self._lock = RLock()
        self._wake, self._closing = Event(), Event()
        self._greedy = GreedyReturns(settings.runs_dir)
        self._seen: dict[str, object] = {}
        self._thread = Thread(target=self._loop, name="experiments", daemon=True)

    def start(self) -> None:
        """Take up every experiment that shall go on."""
        remove_experiment_drafts(self._settings.runs_dir)
        for folder in experiment_folders(self._settings.runs_dir):
            try:
                self.open(folder)
            except (RlvizError, OSError, ValueError) as error:
                self._damaged[folder.id] = str(error)
                log.warning("Experiment %s cannot be read: %s", folder.id, error)
        self._thread.start()

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
                book = self._books[folder.id] = ExperimentBook(folder, self._scorer.clock)
                book.resumes_paused = book.control.desired == "run"
            return book

    def forget(self, experiment_id: str) -> None:
        with self._lock:
            book = self._books.pop(experiment_id, None)
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
                    self._advance(book)

    def _advance(self, book: ExperimentBook) -> None:
        if book.is_over or not book.folder.path.is_dir():
            return
        try:
            rows = self._rows(book)
            if book.control.desired == "stop":
                self._hold(book, rows)
            elif (failed := book.fast_failure()) is not None:
                self._end(book, failed)
            else:
                self._follow(book, rows)
                self._begin(book)
            book.problem = None
        except (NotEnoughDisk, OSError) as error:
            book.problem = f"{error} It goes on when there is room."
        except Exception as error:  # one experiment that cannot go on holds up no other
            log.exception("Experiment %s is held up", book.id)
            book.problem = (
                str(error) if isinstance(error, RlvizError | DatabaseError) else "See the log of the service."
            )
        self._tell(book)

    def _rows(self, book: ExperimentBook) -> dict[str, RunRow]:
        wanted = [trial.run_id for trial in book.trials.values() if trial.is_begun and trial.run_id is not None]
        with self._database.read() as session:
            return {row.id: row for row in find_runs(session, wanted)}

    def _hold(self, book: ExperimentBook, rows: Mapping[str, RunRow]) -> None:
        """Pause what trains; what only waits begins anew when the experiment goes on."""
        for trial in book.trials.values():
            row = rows.get(trial.run_id or "") if trial.is_begun else None
            if row is None:
                continue
            if row.state in (RunStatus.CREATED, RunStatus.QUEUED):
                self._runs.stop_if_it_can_be(row.id, STOPPED)
                book.note(trial, TrialState.LOST, row.id, cause=STOPPED)
            elif row.state in (RunStatus.STARTING, RunStatus.RUNNING):
                try:
                    self._runs.pause(row.id, STOPPED)
                except RunIsActive:  # chance cannot be paused
                    self._runs.stop(row.id, STOPPED)
                    book.note(trial, TrialState.LOST, row.id, cause=STOPPED)

    def _follow(self, book: ExperimentBook, rows: Mapping[str, RunRow]) -> None:
        for trial in list(book.trials.values()):
            if trial.is_begun and trial.run_id is not None:
                self._follow_one(book, trial, trial.run_id, rows.get(trial.run_id))
            if book.is_over:
                return
        pauses = (RunStatus.PAUSED, RunStatus.PAUSING)
        with self._database.read() as session:  # one whose old worker lives a moment longer is resumed next time
            left = find_runs(session, [run_id for run_id, row in rows.items() if row.state in pauses])
        book.resumes_paused = book.resumes_paused and any(row.state in pauses for row in left)

    def _follow_one(self, book: ExperimentBook, trial: Trial, run_id: str, row: RunRow | None) -> None:
        match row.state if row is not None else None:
            case None:
                self._lose(book, trial, run_id)
            case RunStatus.CREATED:
                self._runs.start(run_id)
            case RunStatus.COMPLETED:
                self._score(book, trial, run_id)
            case RunStatus.STOPPED:
                self._fail(book, trial, run_id, "It was stopped before its end.", again=False)
            case RunStatus.FAILED:
                assert row is not None
                self._fail(book, trial, run_id, row.cause or "Training failed.")
            case RunStatus.INTERRUPTED:
                self._go_on(book, trial, run_id)
            case RunStatus.PAUSED:
                if book.resumes_paused:
                    self._go_on(book, trial, run_id)
            case RunStatus.RUNNING:
                self._prune(book, trial, run_id)

    def _lose(self, book: ExperimentBook, trial: Trial, run_id: str) -> None:
        """Its run does not exist: it was deleted, or the service was killed before it created it."""
        if run_id in self._trash.run_ids():
            self._fail(book, trial, run_id, "Its run was deleted.", again=False)
        else:
            book.note(trial, TrialState.LOST, run_id, cause="The app ended before its run was created.")

    def _go_on(self, book: ExperimentBook, trial: Trial, run_id: str) -> None:
        """Resume it exactly where it was, or train it anew if it left no snapshot."""
        try:
            self._runs.resume(run_id)
        except (RunIsActive, IllegalTransition):  # its old worker lives a moment longer, or it was resumed already
            return
        except (NothingToResume, SnapshotRefused, RunFolderError) as error:
            if trial.lost >= MOST_LOST:
                self._fail(book, trial, run_id, f"It was interrupted {trial.lost + 1} times: {error}", again=False)
            else:
                book.note(trial, TrialState.LOST, run_id, cause=str(error))

    def _score(self, book: ExperimentBook, trial: Trial, run_id: str) -> None:
        found = self._scorer.score(run_id, book.spec.score)
        if found is None:
            return
        if isinstance(found, str):
            self._fail(book, trial, run_id, found, again=False)
            return
        book.note(trial, TrialState.SCORED, run_id, score=found)
        book.tell_if_finished(trial.variant)

    def _fail(self, book: ExperimentBook, trial: Trial, run_id: str, cause: str, *, again: bool = True) -> None:
        spec = book.spec
        if again and spec.fail_mode is FailMode.RETRY and trial.failures < spec.most_retries:
            book.note(trial, TrialState.RETRIED, run_id, cause=cause)
            return
        book.note(trial, TrialState.FAILED, run_id, cause=cause)
        if spec.fail_mode is FailMode.FAST_FAIL:
            self._end(book, book.fast_failure() or cause)
        else:
            book.tell_if_finished(trial.variant)

    def _prune(self, book: ExperimentBook, trial: Trial, run_id: str) -> None:
        if book.spec.sweep is None:
            return
        returns = self._greedy.of(run_id)
        if not returns or not book.proposer.evaluated(trial.variant, trial.seed, returns):
            return
        for other in book.of_variant(trial.variant):
            if not other.is_final:
                trains = other.run_id if other.is_begun else None
                book.note(other, TrialState.PRUNED, other.run_id or "", cause=PRUNED)
                if trains is not None:
                    self._runs.stop_if_it_can_be(trains, PRUNED)

    def _begin(self, book: ExperimentBook) -> None:
        """Begin trials as long as there is a place for one, and end the experiment if nothing is left."""
        if book.is_over:
            return
        parallel = book.spec.parallel or self._settings.max_concurrent_runs
        while sum(trial.is_begun for trial in book.trials.values()) < parallel:
            trial = next(iter(book.waiting()), None) or self._proposed(book)
            if trial is None:
                break
            if self._is_spent(book):
                self._end_when_done(book, skipping=LIMITED)
                return
            self._begin_one(book, trial)
            if book.is_over:
                return
        self._end_when_done(book)

    def _proposed(self, book: ExperimentBook) -> Trial | None:
        proposal = book.proposer.propose(book.wishes.keys())
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
            self._runs.add(config)
        except (NotEnoughDisk, OSError) as error:
            book.note(trial, TrialState.LOST, config.run_id, cause=f"Its run could not be created: {error}")
            raise

    def _is_spent(self, book: ExperimentBook) -> bool:
        limits = book.spec.limits
        if limits.seconds is not None:
            age = self._scorer.clock() - book.stored.created_at.timestamp()
            if age >= limits.seconds:
                return True
        if limits.steps is None:
            return False
        run_ids = [trial.run_id for trial in book.trials.values() if trial.run_id]
        with self._database.read() as session:
            return sum(row.step for row in find_runs(session, run_ids)) >= limits.steps

    def _end_when_done(self, book: ExperimentBook, skipping: str | None = None) -> None:
        if any(trial.is_begun for trial in book.trials.values()):
            return
        if skipping is None and book.waiting():
            return
        book.direct(ExperimentControl(desired="end", skipped=skipping))

    def _end(self, book: ExperimentBook, cause: str) -> None:
        """It failed: nothing more is begun, and what trains is stopped.

        That it has ended is written last, so that a service that is killed in between does the rest when it is back.
        """
        for trial in book.trials.values():
            if trial.is_begun and trial.run_id is not None:
                self._runs.stop_if_it_can_be(trial.run_id, "Another trial of its experiment failed.")
        book.direct(ExperimentControl(desired="end", cause=cause))

    def _tell(self, book: ExperimentBook) -> None:
        """Tell the streams if something has changed."""
        now = (book.control, book.problem, [trial.last for trial in book.trials.values()])
        if self._seen.get(book.id) != now:
            self._seen[book.id] = now
            self._broadcast.experiment_changed(book.id)
