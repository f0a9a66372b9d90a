"""Scripted training: writes into a run folder what a trainer writes, from a recording instead of a model.

Everything that decides *what* is written and *when* is the trainer's own: journals, attempts, pauses, snapshots,
checkpoints, the filmstrip, rules and the handling of ``control.json``. What the library computes (rows, weights,
figures of the best policy) comes from the recording.
"""

from __future__ import annotations

import os
import time
import traceback
from collections import deque
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any, cast

import orjson

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import RlvizError, RunFolderError, UnknownName
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.events import (
    BestData,
    Ending,
    ErrorData,
    FinishedData,
    PausedData,
    RecordedData,
    StartedData,
    StoppedData,
)
from rlviz.domain.ids import new_evaluation_id, utc
from rlviz.domain.metrics import EPISODE_INDEX, EVAL_REWARD
from rlviz.domain.rules import MAX_FACTOR, Override, RollBack, ScaleKnob, SetKnob
from rlviz.domain.snapshots import Built, Origin, SnapshotManifest, Trigger
from rlviz.launchers.base import Exit
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Algorithm, Hyperparameters
from rlviz.learning.algorithms.knobs import allowed_range, find_knobs, is_scheduled
from rlviz.learning.training.attempt import Attempt, begin_attempt, begin_journal
from rlviz.learning.training.checkpoint import Checkpoints, Filmstrip
from rlviz.learning.training.guard import Guard
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.pausing import Pause, TrainingPaused
from rlviz.learning.training.rules import Firing, read_active_rules
from rlviz.learning.training.snapshot.schedule import Snapshots, Subject
from rlviz.learning.training.steering import ControlRequests, PastChanges, Steering, read_past_changes
from rlviz.rundir.control import Control, Desired, read_control
from rlviz.rundir.files import write_atomically
from rlviz.rundir.folder import RunFolder, add_results
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.lock import training_lock
from rlviz.rundir.snapshots import (
    find_fork_start,
    leave_parent,
    must_retrain_parent,
    read_snapshot,
    usable_snapshots,
    write_snapshot,
)
from rlviz.testing.recording import Recording, Row, recording, recording_for
from rlviz.testing.scripted import Cue, Fault, Script, ScriptedWorker, WorkerEnded
from rlviz.testing.scripted_evaluation import copy_steps

WATCH_SECONDS = 0.02
"""How often ``control.json`` and the clock are checked while training waits for its next row."""

TRACEBACK_LINES = 20

_STATE = "scripted.json"
"""Member of a scripted snapshot: what counts while a run trains, as JSON."""


def train_scripted(
    folder: RunFolder, script: Script, worker: ScriptedWorker, *, monotonic: Callable[[], float] = time.monotonic
) -> bool:
    """Play one attempt of the run in ``folder``. Returns whether it ended without an error.

    Raises RunIsActive and IllegalTransition as ``train_run`` does, and WorkerEnded once the worker was killed.
    """
    with training_lock(folder):
        return ScriptedTraining(folder, script, worker, begin_attempt(folder), monotonic).run()


@dataclass
class Model:
    """Replaces the library's model; it only knows how far it has trained."""

    num_timesteps: int = 0


@dataclass(frozen=True)
class Captured:
    """What a scripted snapshot holds."""

    step: int
    point: str
    last_row: int
    state: bytes
    pieces: tuple[()] = ()
    problem: None = None
    is_finite: bool = True


@dataclass(frozen=True)
class Continuation:
    """A snapshot that scripted training continues."""

    manifest: SnapshotManifest
    state: Mapping[str, Any]
    is_fork: bool

    @property
    def not_exact_because(self) -> list[str]:
        return []

    @property
    def taken_at(self) -> tuple[int, int]:
        return self.manifest.step, 0 if self.is_fork else self.manifest.attempt

    @property
    def last_row(self) -> int:
        return 0 if self.is_fork else self.manifest.last_row


class GoBack(Exception):
    """Rolls training back to a snapshot. ``by`` is the rule that asks for it; None for a user."""

    def __init__(self, name: str, by: Firing | None = None) -> None:
        super().__init__(name)
        self.name, self.by = name, by


class ScriptedTraining:
    """One attempt of one run; ``run`` plays it in the thread that calls it."""

    def __init__(
        self,
        folder: RunFolder,
        script: Script,
        worker: ScriptedWorker,
        attempt: Attempt,
        monotonic: Callable[[], float],
    ) -> None:
        self._folder, self._script, self._worker, self._attempt = folder, script, worker, attempt
        self._monotonic = monotonic
        self._journals = RunJournals(folder)
        self._stop = Event()
        self._pause = Pause(self._journals, sleep=worker.rest)
        self._requests = ControlRequests(folder, Guard(self._journals.warn_now))
        self._seen: tuple[int, int] | None = None
        self._looked_at = float("-inf")
        self._cues = deque(sorted(script.cues, key=lambda cue: cue.at_step))
        self._parts: _Parts | None = None
        self._model = Model()

    def run(self) -> bool:
        """Play the attempt. Returns whether it ended without an error. Raises WorkerEnded."""
        try:
            self._train(self._configuration())
        except Exception as error:
            lines = traceback.format_exc().splitlines()
            self._journals.event(
                self._model.num_timesteps,
                ErrorData(
                    attempt=self._attempt.number,
                    type=type(error).__name__,
                    message=str(error),
                    traceback="\n".join(lines[-TRACEBACK_LINES:]),
                ),
            )
            return False
        finally:
            if self._parts is not None:
                self._parts.close()
            self._journals.close()
        return True

    def _configuration(self) -> RunConfig:
        config, total = self._folder.config_to_go_on(), self._attempt.total_timesteps
        return config if total is None else config.model_copy(update={"total_timesteps": total})

    def _train(self, config: RunConfig) -> None:
        recorded = recording(self._script.recording) if self._script.recording else recording_for(config)
        self._read_control(handle=False)
        if config.actor is not RunActor.POLICY:
            self._play_randomly(config, recorded)
            return
        algorithm = ALGORITHMS.get(config.algo)
        hyperparameters = algorithm.validate(config.hyperparameters, config.total_timesteps)
        self._attempt = _attempt_of_fork(self._folder, config, self._attempt)
        continuation = None
        if self._attempt.resume_from is not None:
            continuation = _read_continuation(self._folder, config, self._attempt.resume_from)
            self._model.num_timesteps = continuation.manifest.step
        elif config.parent is not None:
            self._model.num_timesteps = config.parent.step
        begin_journal(
            self._folder,
            self._journals,
            self._attempt,
            self._model.num_timesteps,
            continuation,
            self._worker.identity,
        )
        parts = self._parts = _Parts(self, config, algorithm, hyperparameters, recorded, continuation)
        self._requests.attach(parts, self._control().rules_number)
        while True:
            try:
                ending = self._play(parts, config, hyperparameters)
            except GoBack as back:
                self._roll_back(parts, config, back)
            else:
                break
        parts.snapshots.requested.warn_of_waiting(self._model.num_timesteps)
        self._journals.event(self._model.num_timesteps, ending)

    def _play(self, parts: _Parts, config: RunConfig, hyperparameters: Hyperparameters) -> Ending:
        number = self._attempt.number
        try:
            stopped = self._stop.is_set() or self._steps(parts, config, hyperparameters)
        except TrainingPaused as paused:
            parts.checkpoints.save(cast(Any, self._model))
            path = self._folder.checkpoint_path(self._model.num_timesteps)
            within = path.relative_to(self._folder.path).as_posix() if path.is_file() else None
            return PausedData(attempt=number, snapshot=paused.snapshot, path=within)
        with suppress(RunFolderError):
            parts.snapshots.requested.add_requests(self._folder.read_control().snapshot_requests)
        self._pause.cancel()
        parts.steering.close(self._model.num_timesteps)
        path_name, ended_early = None, parts.steering.end
        if parts.steering.saves:
            if stopped or ended_early is not None:
                parts.snapshots.write_newest(Trigger.STOPPED)
            else:
                parts.snapshots.take_last(Trigger.FINISHED)
            parts.snapshots.flush()
            parts.checkpoints.save_final(cast(Any, self._model))
            parts.filmstrip.finish(cast(Any, self._model))
            path_name = self._folder.model_path.name
        if stopped:
            return StoppedData(attempt=number, path=path_name)
        if not parts.steering.saves:
            return StoppedData(attempt=number, ended_early=ended_early)
        return FinishedData(attempt=number, path=path_name, ended_early=ended_early)

    def _steps(self, parts: _Parts, config: RunConfig, hyperparameters: Hyperparameters) -> bool:
        """Train to the end. Returns whether a stop ended it."""
        model, rollout = self._model, hyperparameters.rollout_steps
        together = hyperparameters.environments
        end = max(hyperparameters.training_end(config.total_timesteps), model.num_timesteps)
        rows = parts.rows(model.num_timesteps, end, lap=max(rollout, parts.recorded.end // 2 // rollout * rollout))
        row = next(rows, None)
        clock = _Pace(self._script.speed, row.at if row is not None else 0.0, parts.recorded, self._monotonic)
        began = model.num_timesteps
        parts.filmstrip.begin(cast(Any, model), goes_on=parts.continuation is not None)
        while True:
            step = model.num_timesteps
            if step >= end:
                return False
            if self._at_boundary(step, began, rollout):
                parts.begin_rollout(self._pause, self._yields, rollout)
                if parts.steering.end is not None:
                    return False
            self._handle_cues(step)
            model.num_timesteps = step = step + together
            while row is not None and row.step <= step:
                self._await(clock, row)
                if self._stop.is_set():
                    return True
                parts.write(row)
                row = next(rows, None)
            if row is None or clock.is_late:
                self._poll()
            parts.do_due(step)
            if self._pause.is_wanted and not self._pause.is_announced:
                self._pause.announce(step, step + -step % rollout)
            if self._stop.is_set():
                return True
            if parts.steering.end is not None:
                return False

    @staticmethod
    def _at_boundary(step: int, began: int, rollout: int) -> bool:
        return step == began or step % rollout == 0

    def _yields(self) -> bool:
        """Return whether something takes precedence over the waiting pause."""
        self._poll()
        return self._stop.is_set() or (self._parts is not None and self._parts.rollbacks.is_wanted)

    def _await(self, clock: _Pace, row: Row) -> None:
        """Wait until ``row`` is due; training that pauses or stops does not wait."""
        self._poll(at_most_every=WATCH_SECONDS)
        while (seconds := clock.seconds_until(row)) > 0 and not (self._stop.is_set() or self._pause.is_wanted):
            self._worker.rest(min(seconds, WATCH_SECONDS))
            self._poll()
            if self._parts is not None and self._parts.rollbacks.is_wanted:
                return

    def _poll(self, at_most_every: float = 0.0) -> None:
        """Do what a real worker's watcher does several times a second."""
        self._worker.check()
        now = self._monotonic()
        if now - self._looked_at < at_most_every:
            return
        self._looked_at = now
        if self._worker.stop_asked.is_set():
            self._stop.set()
        with suppress(OSError):
            self._journals.flush_if_due()
        with suppress(OSError, RunFolderError):
            self._read_control()
        if self._parts is not None:
            self._parts.run_due_work()

    def _control(self) -> Control:
        """Read ``control.json``; a damaged file requests nothing."""
        with suppress(RunFolderError):
            return self._folder.read_control()
        return Control()

    def _read_control(self, *, handle: bool = True) -> None:
        try:
            status = os.stat(self._folder.control_path)  # noqa: PTH116  (often: no Path built for it)
        except OSError:
            return
        version = (status.st_mtime_ns, status.st_ino)
        if version == self._seen:
            return
        control = read_control(self._folder.control_path)
        self._seen = version
        if handle:
            self._requests.handle_control(control)
        if control.desired is Desired.STOP:
            self._stop.set()
        elif control.desired is Desired.PAUSE:
            self._pause.request()

    def _roll_back(self, parts: _Parts, config: RunConfig, back: GoBack) -> None:
        """Continue from an earlier snapshot in a new attempt, or warn that it cannot be read."""
        try:
            continuation = _read_continuation(self._folder, config, back.name)
        except (OSError, RlvizError) as error:
            text = f"The run could not roll back to snapshot {back.name}: {error}"
            self._journals.warn(self._model.num_timesteps, text)
            return
        self._journals.roll_back()
        step = self._model.num_timesteps = continuation.manifest.step
        number = self._attempt.number + 1
        self._attempt = replace(
            self._attempt, number=number, resume_from=continuation.manifest.name, rollback=True, final_step=None
        )
        begin_journal(self._folder, self._journals, self._attempt, step, continuation, self._worker.identity, back.by)
        parts.roll_back(continuation, self._attempt, back.by)
        self._pause.roll_back()

    def _handle_cues(self, step: int) -> None:
        while self._cues and self._cues[0].at_step <= step:
            cue = self._cues.popleft()
            if cue.attempt == self._attempt.number:
                self._handle_cue(cue, step)

    def _handle_cue(self, cue: Cue, step: int) -> None:
        self._journals.flush()
        match cue.do:
            case Fault.CRASH:
                raise WorkerEnded(Exit(-cue.signal))
            case Fault.EXIT:
                raise WorkerEnded(Exit(cue.code))
            case Fault.ERROR:
                raise RuntimeError(cue.message)
            case Fault.HANG:
                while True:
                    self._worker.rest(60)
            case Fault.WAIT:
                while not (self._stop.is_set() or self._pause.is_wanted or self._is_told_otherwise()):
                    self._worker.rest(WATCH_SECONDS)
                    self._poll()
            case Fault.NONSENSE:
                for path in (self._folder.metrics_path, self._folder.events_path):
                    _append(path, b"\x00\xffnonsense {\n")
            case Fault.TEAR:
                _append(self._folder.metrics_path, b'{"seq":')
                raise WorkerEnded(Exit(-cue.signal))
            case Fault.NAN:
                self._journals.metrics(step, {"train/loss": float("nan")})

    def _is_told_otherwise(self) -> bool:
        parts = self._parts
        return parts is not None and (parts.rollbacks.is_wanted or parts.steering.end is not None)

    def _play_randomly(self, config: RunConfig, recorded: Recording) -> None:
        """Play a run in which nothing learns: it has rows, but no policy."""
        self._journals.event(0, StartedData(attempt=self._attempt.number, worker=self._worker.identity))
        rows = recorded.rows_from(0, config.total_timesteps, max(1, recorded.end // 2))
        clock = _Pace(self._script.speed, 0.0, recorded, self._monotonic)
        episodes = self._attempt.episodes
        for row in rows:
            self._handle_cues(row.step)
            self._await(clock, row)
            if self._stop.is_set():
                break
            values = dict(row.values)
            if EPISODE_INDEX in values:
                episodes += 1
                values[EPISODE_INDEX] = episodes
            self._journals.metrics_soon(row.step, values)
            self._model.num_timesteps = row.step
        number = self._attempt.number
        if self._stop.is_set():
            self._journals.event(self._model.num_timesteps, StoppedData(attempt=number))
            return
        self._model.num_timesteps = config.total_timesteps
        self._journals.event(config.total_timesteps, FinishedData(attempt=number))


class _Pace:
    """Decides when rows are due: the recording at the script's speed, its repetition at most in real time."""

    def __init__(self, speed: float | None, begin: float, recorded: Recording, monotonic: Callable[[], float]) -> None:
        """``begin``: seconds of the recording at which this attempt starts."""
        self._speed, self._begin, self._monotonic = speed, begin, monotonic
        self._recorded_seconds = max(recorded.rows[-1].at - begin, 0.0)
        self._began = monotonic()
        self._repeats_since: float | None = None
        self.is_late = False

    def seconds_until(self, row: Row) -> float:
        """Seconds to wait; 0 or less for a row that is due."""
        at = row.at - self._begin
        if self._speed is not None:
            due = self._began + at / self._speed
        elif at <= self._recorded_seconds:
            return 0.0
        else:  # the recording is over, at once: its repetition starts now
            if self._repeats_since is None:
                self._repeats_since = self._monotonic()
            due = self._repeats_since + at - self._recorded_seconds
        seconds = due - self._monotonic()
        self.is_late = seconds < -1.0
        return seconds


class _Parts:
    """The parts around the model of a scripted run, like ``TrainingComponents`` of a real one."""

    def __init__(
        self,
        training: ScriptedTraining,
        config: RunConfig,
        algorithm: Algorithm,
        hyperparameters: Hyperparameters,
        recorded: Recording,
        continuation: Continuation | None,
    ) -> None:
        self._folder, self._journals = training._folder, training._journals
        self._model, self._attempt, self._config = training._model, training._attempt, config
        self.recorded, self.continuation = recorded, continuation
        control = training._control()
        self._episodes = self._attempt.episodes
        exports = recorded.has(self._folder.q_table_path.name) and algorithm.export is not None
        self.checkpoints: Checkpoints = _ScriptedCheckpoints(
            recorded,
            self._folder,
            config.checkpoints,
            self._journals,
            answered=self._attempt.answered_request,
            export=self._export_table if exports else None,
        )
        self.filmstrip: Filmstrip = _ScriptedFilmstrip(
            recorded,
            self._folder,
            self._journals,
            end=hyperparameters.training_end(config.total_timesteps),
            count=config.checkpoints.film,
            first_update=hyperparameters.first_update,
            every=hyperparameters.rollout_steps,
        )
        self.snapshots: Snapshots = self._make_snapshots(control, training)
        self.rollbacks = _ScriptedRollbacks(self._folder, self.snapshots)
        past = self._past(continuation)
        self._knobs = _ScriptedKnobs(self._model, config, algorithm)
        rules = read_active_rules(self._folder, config.rules, self._journals)
        self.steering = Steering(
            self._folder, self._journals, cast(Any, self._knobs), rules, _Targets(self, training._pause), past=past
        )
        if continuation is not None:
            self._restore(continuation)
            if continuation.is_fork and config.parent is not None:
                self.steering.begin_fork(continuation.manifest.step, config.parent.changed)
        self._journals.watch(self.steering.observe_row)
        with ExitStack() as stack:
            self._anatomy = JournalWriter(self._folder.anatomy_path) if config.anatomy else None
            if self._anatomy is not None:
                stack.callback(self._anatomy.close)
            self._closing = stack.pop_all()
        step = self._model.num_timesteps
        self._anatomy_lines = deque(line for line in recorded.anatomy if line["step"] > step)
        self._best = deque(best for best in recorded.best if best.step > step)
        evaluates = config.evaluation.every_steps is not None
        self._recorded_episodes = deque(one for one in recorded.recorded if evaluates and one.step > step)
        self._evaluated_at = deque(at for at in recorded.evaluated_at if at > step)
        self._solved_at = recorded.solved_at if config.snapshots.is_on else None
        self._rollout_began_at = step

    def rows(self, after: int, end: int, lap: int) -> Any:
        """Rows of the recording, without periodic evaluations in a run that has none."""
        evaluates = self._config.evaluation.every_steps is not None
        found = self.recorded.rows_from(after, end, lap)
        return (row for row in found if evaluates or EVAL_REWARD not in row.values)

    def write(self, row: Row) -> None:
        """Write one row and what belongs to it, such as a best policy."""
        values = dict(row.values)
        if EPISODE_INDEX in values:
            self._episodes += 1
            values[EPISODE_INDEX] = self._episodes
            self._journals.metrics_soon(row.step, values)
            return
        self._journals.metrics(row.step, values)
        if EVAL_REWARD in values:
            while self._evaluated_at and self._evaluated_at[0] <= row.step:
                self._evaluated_at.popleft()
            self._write_best(row.step)

    def do_due(self, step: int) -> None:
        """Do what is due after an environment step."""
        model = cast(Any, self._model)
        if step >= self.checkpoints.next_step:
            self.checkpoints.save_due(model)
        if step >= self.filmstrip.next_step:
            self.filmstrip.copy_policy(model)
        while self._recorded_episodes and self._recorded_episodes[0].step <= step:
            self._write_episodes(self._recorded_episodes.popleft().evaluation_id, step)
        while self._anatomy is not None and self._anatomy_lines and self._anatomy_lines[0]["step"] <= step:
            self._anatomy.append(self._anatomy_lines.popleft())
        if self.steering.is_due:
            self.steering.check_rules(step)
        self.rollbacks.leave_if_wanted()

    def begin_rollout(self, pause: Pause, yields: Callable[[], bool], rollout: int) -> None:
        """Do what is due at the start of a rollout, where everything can be captured."""
        step = self._model.num_timesteps
        self.steering.begin_rollout(step)
        if self.steering.end is not None:
            pause.cancel()
            return
        self.rollbacks.leave_if_wanted()
        self._rollout_began_at = step
        if self._solved_at is not None and self._solved_at <= step:
            self._solved_at = None
            self.snapshots.note_solved()
        if pause.is_wanted:
            pause.take_snapshot(step, self.snapshots, yields)
        elif self.snapshots.is_due(step, is_evaluated=self._is_evaluated_by(step + rollout)):
            self.snapshots.take_due(step)

    def _is_evaluated_by(self, step: int) -> bool:
        evaluates = self._config.evaluation.every_steps is not None
        return evaluates and bool(self._evaluated_at) and self._evaluated_at[0] <= step

    def run_due_work(self) -> None:
        self.checkpoints.check_clock()
        self.snapshots.check_clock()
        self.filmstrip.write()
        self.steering.check_clock()

    def roll_back(self, continuation: Continuation, attempt: Attempt, by: Firing | None) -> None:
        self._attempt, self.continuation = attempt, continuation
        step = continuation.manifest.step
        self.steering.roll_back(step, by)
        self._restore(continuation)
        self.snapshots.roll_back(step, attempt.number)

    def close(self) -> None:
        self.snapshots.close()
        self._closing.close()

    def _restore(self, continuation: Continuation) -> None:
        counters = continuation.state
        self._episodes = counters.get("episodes", self._episodes)
        if "checkpoints" in counters:
            self.checkpoints.restore(counters["checkpoints"])
        if "steering" in counters:
            self.steering.restore(counters["steering"])

    def _capture(self, point: str) -> Captured:
        state = {
            "episodes": self._episodes,
            "checkpoints": self.checkpoints.state(),
            "steering": self.steering.state(),
        }
        content = orjson.dumps(state, option=orjson.OPT_SERIALIZE_NUMPY)
        return Captured(self._model.num_timesteps, point, self._journals.last_row(), content)

    def _make_snapshots(self, control: Control, training: ScriptedTraining) -> Snapshots:
        config, manifest = self._config, self.recorded.manifest
        built = manifest.built if manifest is not None else Built(algo="", env_id="", config_digest="", environments=())
        origin = manifest.origin if manifest is not None else Origin(versions={}, capability="", threads=1)
        subject = Subject(
            self._folder.run_id,
            self._attempt.number,
            built.model_copy(update={"algo": config.algo, "env_id": config.env_id}),
            origin,
            None,
            config.parent.step if config.parent is not None else None,
        )
        return _ScriptedSnapshots(
            self._folder,
            control.snapshots or config.snapshots,
            self._journals,
            cast(Any, self._capture),
            subject,
            step=self._model.num_timesteps,
            answered=self._attempt.answered_snapshot,
        )

    def _past(self, continuation: Continuation | None) -> PastChanges:
        beyond = continuation.taken_at if continuation is not None and not self._attempt.rollback else None
        return read_past_changes(self._folder, beyond)

    def _export_table(self, _model: Any) -> None:
        name = self._folder.q_table_path.name
        write_atomically(self._folder.q_table_path, self.recorded.read(name), self._folder.path)

    def _write_best(self, step: int) -> None:
        while self._best and self._best[0].step <= step:
            found = self._best.popleft()
            path = self._folder.best_model_path
            write_atomically(path, add_results(self.recorded.policy(found.step), found), self._folder.path)
            self._journals.event(found.step, BestData(path=path.name, **found.model_dump(exclude={"step"})))
            self.snapshots.note_best(self._rollout_began_at)

    def _write_episodes(self, evaluation_id: str, step: int) -> None:
        """Episodes that the recorded run kept while it trained."""
        theirs = self.recorded.evaluation(evaluation_id)
        now = utc(time.time())
        record = theirs.model_copy(
            update={
                "id": new_evaluation_id(now),
                "run_id": self._folder.run_id,
                "created_at": now,
                "started_at": now,
                "ended_at": now,
            }
        )
        if self._folder.evaluations.record_path(record.id).exists():
            return
        self._folder.evaluations.path.mkdir(exist_ok=True)
        record = _with_steps(self.recorded, theirs, record, self._folder)
        self._folder.evaluations.write(record)
        self._journals.event(step, RecordedData(evaluation=record.id, episodes=record.episodes, cost=None))


def _with_steps(
    recorded: Recording, theirs: EvaluationRecord, record: EvaluationRecord, folder: RunFolder
) -> EvaluationRecord:
    assert record.summary is not None
    steps = copy_steps(recorded, theirs, record, folder)
    return record.model_copy(update={"summary": record.summary.model_copy(update={"steps": steps})})


class _ScriptedCheckpoints(Checkpoints):
    def __init__(self, recorded: Recording, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._recorded = recorded

    def _write(self, model: Any, path: Path) -> None:
        write_atomically(path, self._recorded.policy(model.num_timesteps), self._folder.path)


class _ScriptedFilmstrip(Filmstrip):
    def __init__(self, recorded: Recording, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._recorded = recorded

    def _weights(self, model: Any) -> bytes:
        return self._recorded.weights(model.num_timesteps)


class _ScriptedSnapshots(Snapshots):
    """Decides like real snapshots when, why and under which name; the file has counters instead of a model."""

    def _archive(self, captured: Any, manifest: SnapshotManifest) -> tuple[SnapshotManifest, int]:
        path = write_snapshot(self._folder, manifest, {_STATE: captured.state})
        return manifest, path.stat().st_size

    def find_in_memory(self, name: str) -> None:
        return None


class _ScriptedRollbacks:
    """Requested rollbacks; raises GoBack at the next step."""

    def __init__(self, folder: RunFolder, snapshots: Snapshots) -> None:
        self._folder, self._snapshots = folder, snapshots
        self._wanted: GoBack | None = None
        self._been: dict[str, set[int]] = {}

    @property
    def is_wanted(self) -> bool:
        return self._wanted is not None

    def request(self, name: str) -> None:
        self._wanted = GoBack(name)

    def leave_if_wanted(self) -> None:
        """Raise GoBack if a rollback was requested."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self._snapshots.flush()
            raise wanted

    def choose_target(self, action: RollBack, firing: Firing) -> str | None:
        """Roll back for a rule. Returns None, or a sentence that says why it cannot."""
        self._snapshots.flush()
        been = self._been.setdefault(firing.rule.words, set())
        found = [
            one
            for one in usable_snapshots(self._folder)
            if (one.manifest.trigger is Trigger.BEST if action.to == "best" else one.manifest.step not in been)
        ]
        if not found:
            return f"Skipped “{action.words}”: there is no snapshot to roll back to."
        been.add(found[-1].manifest.step)
        self._wanted = GoBack(found[-1].name, firing)
        return None


class _ScriptedKnobs:
    """Remembers the values of knobs, within their bounds. Nothing is trained with them."""

    def __init__(self, model: Model, config: RunConfig, algorithm: Algorithm) -> None:
        self._model, self._config, self._algorithm = model, config, algorithm
        self._known = find_knobs(algorithm, config.hyperparameters)
        self._overrides: dict[str, Override] = {}

    def apply_change(self, change: SetKnob | ScaleKnob) -> Any:
        name, before = change.knob, self._now(change.knob)
        override = self.compute_override(change)
        scheduled = is_scheduled(self._known[name], self._config.hyperparameters)
        had_course = self._overrides.get(name, Override()).value is None
        self._overrides[name] = override
        after = self._now(name)
        wanted = change.value if isinstance(change, SetKnob) else before * change.factor
        return _Applied(
            change=change,
            before=before,
            after=after,
            override=override,
            replaced_schedule=had_course and scheduled and isinstance(change, SetKnob),
            is_limited=abs(after - wanted) > 1e-9 * max(abs(wanted), 1e-12),
        )

    def compute_override(self, change: SetKnob | ScaleKnob) -> Override:
        """Raises UnknownName."""
        name = change.knob
        if name not in self._known:
            raise UnknownName("adjustable hyperparameter", name, self._known, "/knob")
        if isinstance(change, SetKnob):
            return Override(value=self._within(name, change.value))
        before, override = self._now(name), self._overrides.get(name, Override())
        factor = self._within(name, before * change.factor) / before if before else 1.0
        if override.value is not None:
            return Override(value=override.value * factor)
        return Override(factor=override.factor * factor)

    def make_change(self, name: str, wanted: Override) -> SetKnob | ScaleKnob:
        now = self._overrides.get(name, Override())
        if wanted.value is not None or now.value is not None:
            value = wanted.value if wanted.value is not None else self._now(name) * wanted.factor
            return SetKnob(knob=name, value=value)
        return ScaleKnob(knob=name, factor=wanted.factor / now.factor)

    def begin_fork(self, changed: Collection[str]) -> list[Any]:
        """Overrides of the parent end where the fork changes the hyperparameter. Returns the others."""
        for name, knob in self._known.items():
            if knob.hyperparameters & set(changed):
                self._overrides.pop(name, None)
        return [self._inherited(name, override) for name, override in self._overrides.items()]

    def state(self) -> dict[str, Any]:
        return {name: (override.value, override.factor) for name, override in self._overrides.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._overrides = {name: Override(*override) for name, override in state.items() if name in self._known}

    def _inherited(self, name: str, override: Override) -> Any:
        before, after = self._course(name), self._now(name)
        scheduled = is_scheduled(self._known[name], self._config.hyperparameters)
        change: SetKnob | ScaleKnob = SetKnob(knob=name, value=after)
        if override.value is None and scheduled:
            change = ScaleKnob(knob=name, factor=min(override.factor, MAX_FACTOR))
        return _Applied(change, before, after, override, override.value is not None and scheduled, is_limited=False)

    def _now(self, name: str) -> float:
        override = self._overrides.get(name, Override())
        return override.value if override.value is not None else self._course(name) * override.factor

    def _course(self, name: str) -> float:
        """The configured value at this step of training."""
        knob = self._known[name]
        values = {
            field: info.default for field, info in self._algorithm.hyperparameters.model_fields.items()
        } | self._config.hyperparameters
        done = min(1.0, self._model.num_timesteps / max(1, self._config.total_timesteps))
        end = float(values[knob.hyperparameter])
        if knob.start is not None and knob.fraction is not None:
            share = min(1.0, done / max(float(values[knob.fraction]), 1e-9))
            return float(values[knob.start]) + share * (end - float(values[knob.start]))
        return end * (1 - done) if is_scheduled(knob, self._config.hyperparameters) else end

    def _within(self, name: str, value: float) -> float:
        bounds = allowed_range(self._known[name], self._algorithm)
        return min(max(value, bounds.minimum), bounds.maximum)


@dataclass(frozen=True)
class _Applied:
    change: SetKnob | ScaleKnob
    before: float
    after: float
    override: Override
    replaced_schedule: bool
    is_limited: bool


class _Targets:
    """Implements the actions of rules."""

    def __init__(self, parts: _Parts, pause: Pause) -> None:
        self._parts, self._pause = parts, pause

    def pause(self) -> None:
        self._pause.request()

    def evaluate(self) -> bool:
        return self._parts._config.evaluation.every_steps is not None

    def snapshot(self, trigger: Trigger, message: str) -> None:
        self._parts.snapshots.request(trigger, message)

    def roll_back(self, action: RollBack, firing: Firing) -> str | None:
        return self._parts.rollbacks.choose_target(action, firing)


def _attempt_of_fork(folder: RunFolder, config: RunConfig, attempt: Attempt) -> Attempt:
    """A fork starts at the snapshot that it has inherited, if there is one at that very step.

    Otherwise it starts at its step without a snapshot. There is nothing to train again: all rows are recorded.
    """
    parent = config.parent
    if parent is None:
        return attempt
    if attempt.resume_from in (None, parent.snapshot):
        begin = None if must_retrain_parent(folder, parent) else find_fork_start(folder, parent)
        is_exact = begin is not None and (begin.manifest.run_id, begin.manifest.step) == (parent.run_id, parent.step)
        attempt = replace(attempt, resume_from=begin.name if begin is not None and is_exact else None)
    leave_parent(folder)
    return attempt


def _read_continuation(folder: RunFolder, config: RunConfig, name: str) -> Continuation:
    """Raises ArtifactNotFound, SnapshotDamaged and SnapshotRefused."""
    manifest, members = read_snapshot(folder, name)
    state = orjson.loads(members[_STATE]) if _STATE in members else {}
    parent = config.parent
    return Continuation(manifest, state, is_fork=parent is not None and manifest.run_id == parent.run_id)


def _append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)
