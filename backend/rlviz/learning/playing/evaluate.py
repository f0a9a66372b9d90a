"""Runs an evaluation in a worker process: loads the policy, plays, films, records, and writes the result."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import torch

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.disk_full import DISK_FULL, is_disk_full
from rlviz.domain.errors import ArtifactNotFound, CheckpointUnusable, EpisodeUnusable, RlvizError, summarize_error
from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus, EvaluationSummary
from rlviz.domain.ids import utc
from rlviz.domain.recording import Actor
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import Policy, RandomPolicy, TrainedPolicy, read_policy
from rlviz.learning.environments.conforming import Fault, listen
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.make import Env, make_environment
from rlviz.learning.environments.observed import FaultKind
from rlviz.learning.playing.film import film
from rlviz.learning.playing.recording import EvaluationRecording
from rlviz.learning.playing.summary import summarize
from rlviz.learning.playing.video import VideoRecorder
from rlviz.rundir.contents import is_policy_file
from rlviz.rundir.files import open_file
from rlviz.rundir.folder import RunFolder, find_artifact

Clock = Callable[[], float]


def evaluate(folder: RunFolder, evaluation_id: str, *, clock: Clock = time.time) -> EvaluationRecord:
    """Play the evaluation requested in ``eval/<evaluation_id>.json`` and return its final record.

    The record is updated meanwhile: running, with ``episodes_done`` after each episode; then completed, with video and
    step records in place, or failed, with the cause, a traceback on standard error and no files. SIGTERM and Ctrl-C
    also end in failed, then raise SystemExit or KeyboardInterrupt. A final record is returned unchanged.

    Rendering needs a separate process. Raises RunFolderError if the record cannot be read.
    """
    record = folder.evaluations.read(evaluation_id)
    if record.status.is_final:
        return record
    with _termination_raises():
        job = _Job(folder, record, clock)
        try:
            return job.run()
        except Exception as error:
            traceback.print_exc()
            return job.record if job.record.status.is_final else job.fail(job.cause_of(error))
        except BaseException as error:
            if not job.record.status.is_final:
                job.fail(f"The evaluation was interrupted ({type(error).__name__}); start it again.")
            raise


class _Job:
    """A running evaluation; ``record`` is its record in the run folder."""

    def __init__(self, folder: RunFolder, record: EvaluationRecord, clock: Clock) -> None:
        self.folder, self.record, self.clock = folder, record, clock
        self.video, self.steps = folder.evaluations.video_path(record.id), folder.evaluations.steps_path(record.id)
        self.pictures = folder.evaluations.pictures_path(record.id)
        self.fault: Fault | None = None
        """The first value from the environment that is not finite."""

    def run(self) -> EvaluationRecord:
        self._update(status=EvaluationStatus.RUNNING, started_at=self._now(), episodes_done=0)
        config = self.folder.read_config()
        torch.set_num_threads(config.torch_threads)
        trained = None if config.actor is RunActor.RANDOM else self._trained(config)
        render = self.record.video or self.record.steps is not None
        # Close the environment after the record is final, because some crash when they are closed.
        with contextlib.closing(make_environment(config, render=render, whole_episodes=True)) as env:
            listen(env, self._note)
            summary = self._play(config, env, trained)
            return self._update(status=EvaluationStatus.COMPLETED, ended_at=self._now(), summary=summary)

    def cause_of(self, error: Exception) -> str:
        """Describe the error, after the environment fault that may have caused it."""
        said = cause_of(error)
        return said if self.fault is None or isinstance(error, EpisodeUnusable) else f"{self.fault.words()} {said}"

    def _note(self, fault: Fault) -> None:
        if fault.kind.is_not_finite and self.fault is None:
            self.fault = fault
        if fault.kind is FaultKind.CLOSE:
            print(fault.sentence(), file=sys.stderr, flush=True)

    def fail(self, cause: str) -> EvaluationRecord:
        try:
            return self._update(status=EvaluationStatus.FAILED, ended_at=self._now(), cause=cause, summary=None)
        finally:
            for path in (self.video, self.steps, self.pictures):
                path.unlink(missing_ok=True)

    def _trained(self, config: RunConfig) -> TrainedPolicy:
        pinned = self.folder.evaluations.pinned_policy_path(self.record.id)
        return load_policy(self.folder, config.algo, self.record.checkpoint, pinned if pinned.exists() else None)

    def _play(self, config: RunConfig, env: Env, trained: TrainedPolicy | None) -> EvaluationSummary:
        """Play, film and record as requested; all files are complete afterwards. Without ``trained``, play randomly."""
        results: list[EpisodeResult] = []
        asked = self.record
        with contextlib.ExitStack() as stack:
            policy: Policy = trained or RandomPolicy(env.action_space)
            actor = Actor.POLICY if trained is not None else Actor.RANDOM
            video, recording = None, None
            if asked.video:
                fps = find_environment(config).render_fps
                video = stack.enter_context(VideoRecorder(self.video, fps=fps, fits=True))
            if asked.steps is not None:
                recording = stack.enter_context(
                    EvaluationRecording(self.folder, asked, asked.steps, config, env, policy, actor)
                )
            for result in film(
                env,
                policy,
                video,
                episodes=asked.episodes,
                seed=asked.seed,
                deterministic=asked.deterministic,
                steps=None if recording is None else recording.recorder,
            ):
                results.append(result)
                self._update(episodes_done=len(results))
        return summarize(
            results,
            video.facts(self._name(self.video)) if video is not None else None,
            recording.steps if recording is not None else None,
            recording.pictures if recording is not None else None,
            recording.facts if recording is not None else None,
        )

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder.path).as_posix()

    def _now(self) -> datetime:
        return utc(self.clock())

    def _update(self, **changes: Any) -> EvaluationRecord:
        record = self.record.model_copy(update=changes)
        self.folder.evaluations.write(record)
        self.record = record
        return record


def load_policy(folder: RunFolder, algo: str, checkpoint: str | None, pinned: Path | None = None) -> TrainedPolicy:
    """Load the policy saved in ``checkpoint`` (relative to the run folder), on the CPU.

    Args:
        folder: The run's folder.
        algo: Id of the algorithm.
        checkpoint: The policy's file.
        pinned: A link to the same file, which stays if the trainer deletes the checkpoint.

    Raises:
        CheckpointUnusable: The file does not exist, lies outside the folder, or cannot be loaded.
    """
    if checkpoint is None:
        raise CheckpointUnusable("The evaluation names no checkpoint; train the run first, then evaluate again.")
    try:
        if not is_policy_file(checkpoint):
            raise CheckpointUnusable(f"{checkpoint[:120]} is not a policy file of a run; evaluate again.")
        path = pinned or find_artifact(folder, checkpoint)
    except ArtifactNotFound as error:
        raise CheckpointUnusable(f"{checkpoint} is not there any more; evaluate again to use the newest.") from error
    algorithm = ALGORITHMS.get(algo)
    try:
        with open_file(path, folder.path) as file:
            return read_policy(algorithm, file, own_environment=folder.read_config().has_own_code)
    except Exception as error:
        raise CheckpointUnusable(
            f"{checkpoint} cannot be loaded as {algorithm.model_class.partition(':')[2]} ({summarize_error(error)}); "
            "evaluate again once the run has saved another."
        ) from error


def cause_of(error: Exception) -> str:
    """Describe an error in one sentence for the user: its name, what happened, what to do."""
    if isinstance(error, RlvizError):
        return f"{type(error).__name__}: {error}"
    if is_disk_full(error):
        return f"{DISK_FULL} ({summarize_error(error)}). Make room, then evaluate again."
    return f"{summarize_error(error)}; the traceback is in worker.log."


@contextlib.contextmanager
def _termination_raises() -> Iterator[None]:
    """Turn the first SIGTERM into SystemExit, so that partial files are cleaned up. Main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: object) -> NoReturn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(128 + number)

    previous = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
