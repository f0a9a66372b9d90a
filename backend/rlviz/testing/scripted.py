"""A launcher whose workers replay recorded runs: no torch, no training, at any speed, and with faults on cue.

Select it with ``RLVIZ_LAUNCHER=scripted``. ``RLVIZ_SCRIPT`` holds a ``Script`` as JSON, or the path of a file with one.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from enum import StrEnum
from fnmatch import fnmatch
from itertools import count
from pathlib import Path
from threading import Event, Thread

from pydantic import ConfigDict, Field, ValidationError

from rlviz.domain.disk_full import is_disk_full
from rlviz.domain.errors import Conflict, InvalidRequest, LauncherError, RunFolderError, validation_text
from rlviz.domain.lazy_model import LazyModel
from rlviz.launchers.base import (
    EXIT_DISK_FULL,
    EXIT_FAILED,
    EXIT_OK,
    EXIT_REFUSED,
    Evaluate,
    Exit,
    Job,
    Launcher,
    Train,
    Worker,
    WorkFolder,
)
from rlviz.launchers.process import ProcessLauncher
from rlviz.machine import DEFAULT_NICENESS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process_identity import ProcessIdentity

log = logging.getLogger(__name__)

VARIABLE = "RLVIZ_SCRIPT"
_NAME = "scripted "
_CLOSE_SECONDS = 10.0


class Fault(StrEnum):
    """What a scripted worker does at a cue."""

    CRASH = "crash"  # dies as if killed by a signal, without a report
    EXIT = "exit"  # ends with an exit status, without a report
    ERROR = "error"  # training raises an error, which the journal records
    HANG = "hang"  # writes nothing and obeys nothing until it is killed
    WAIT = "wait"  # makes no progress but still obeys control.json
    NONSENSE = "nonsense"  # writes lines that are not JSON into both journals, then continues
    TEAR = "tear"  # dies in the middle of a line
    NAN = "nan"  # logs a row whose values are not finite


class Cue(LazyModel):
    """Something that happens once, as soon as the run has reached a step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_step: int = Field(0, ge=0)
    do: Fault
    attempt: int = Field(1, ge=1, description="The attempt in which it happens.")
    signal: int = Field(9, ge=1, le=64, description="For a crash.")
    code: int = Field(3, ge=0, le=255, description="For an exit.")
    message: str = Field("The script says so.", description="For an error.")


class Script(LazyModel):
    """How a scripted worker plays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    speed: float | None = Field(
        None,
        gt=0,
        description="Recorded seconds per second; null: replay at once. Repetitions then run in real time.",
    )
    recording: str | None = Field(
        None, description="Its name, or the path of an archive; null: the one of the run's algorithm."
    )
    cues: tuple[Cue, ...] = ()
    runs: dict[str, Script] = Field(
        {}, description="Other scripts, by a pattern of run names such as `crash*`; the first match applies."
    )

    def for_run(self, name: str) -> Script:
        """Return the script for the run called ``name``."""
        return next((script for pattern, script in self.runs.items() if fnmatch(name, pattern)), self)


def script_from_environment() -> Script:
    """Read the script in ``RLVIZ_SCRIPT``; without it, a script without faults. Raises InvalidRequest."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return Script()
    try:
        return Script.model_validate_json(text if text.startswith("{") else Path(text).read_bytes())
    except ValidationError as error:
        raise InvalidRequest(
            f"{VARIABLE} is not a valid script. {'; '.join(map(validation_text, error.errors()))}"
        ) from error
    except OSError as error:
        raise InvalidRequest(f"{VARIABLE} names a file that cannot be read: {error}.") from error


class WorkerEnded(BaseException):
    """The worker ended without a report, like a killed process. Not an Exception, so that no handler records it."""

    def __init__(self, how: Exit) -> None:
        super().__init__(how)
        self.how = how


class ScriptedWorker(Worker):
    """A thread that acts as a worker process."""

    def __init__(self, identity: str, name: str, work: Callable[[ScriptedWorker], int]) -> None:
        self._identity = identity
        self.stop_asked, self.killed = Event(), Event()
        self.wake = Event()
        """Set to wake the worker at once."""
        self._exit: Exit | None = None
        self._thread = Thread(target=self._run, args=(work,), name=name, daemon=True)
        self._thread.start()

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:
        return None if self._thread.is_alive() else self._exit or Exit(EXIT_FAILED)

    def terminate(self) -> None:
        self.stop_asked.set()
        self.wake.set()

    def kill(self) -> None:
        self.killed.set()
        self.wake.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def rest(self, seconds: float) -> None:
        """Sleep until woken. Raises WorkerEnded if the worker was killed."""
        self.wake.wait(seconds)
        self.check()
        self.wake.clear()

    def check(self) -> None:
        """Raise WorkerEnded if the worker was killed."""
        if self.killed.is_set():
            raise WorkerEnded(Exit(-9))

    def _run(self, work: Callable[[ScriptedWorker], int]) -> None:
        try:
            self._exit = Exit(work(self))
        except WorkerEnded as ended:
            self._exit = ended.how
        except Conflict:
            self._exit = Exit(EXIT_REFUSED)
        except Exception as error:
            self._exit = Exit(EXIT_DISK_FULL if is_disk_full(error) else EXIT_FAILED)
            log.info("A scripted worker ended with an error", exc_info=True)


class ScriptedLauncher(Launcher):
    """Trains and evaluates by replaying recordings, in threads of the service; they end with it.

    Everything else, such as sessions and clips, is done by real worker processes.
    """

    def __init__(
        self,
        *,
        warm: bool = False,
        niceness: int = DEFAULT_NICENESS,
        script: Script | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Use ``script``, by default that of ``RLVIZ_SCRIPT``. ``warm`` and ``niceness`` are for real workers."""
        self._script = script_from_environment() if script is None else script
        self._processes = ProcessLauncher(warm=warm, niceness=niceness)
        self._monotonic = monotonic
        self._numbers = count(1)
        self._service = ProcessIdentity.current()
        self._workers: list[ScriptedWorker] = []

    def maintain(self) -> None:
        self._processes.maintain()
        self._workers = [worker for worker in self._workers if worker.poll() is None]

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        if not isinstance(job, Train | Evaluate):
            return self._processes.launch(folder, job)
        run = RunFolder.at(folder.path)
        if not run.is_there():
            raise LauncherError(f"The folder of run {run.run_id!r} is gone.")
        script = self._script.for_run(_name_of(run))
        with run.open_log() as log_file:
            log_file.write(b"A scripted worker replays a recording.\n")
        identity = f"{_NAME}{next(self._numbers)} of {self._service}"

        def work(worker: ScriptedWorker) -> int:
            from rlviz.testing.scripted_evaluation import play_evaluation
            from rlviz.testing.scripted_training import train_scripted

            if isinstance(job, Evaluate):
                return EXIT_OK if play_evaluation(run, job.evaluation_id, script, worker) else EXIT_FAILED
            return EXIT_OK if train_scripted(run, script, worker, monotonic=self._monotonic) else EXIT_FAILED

        worker = ScriptedWorker(identity, f"scripted-{run.run_id}", work)
        self._workers.append(worker)
        return worker

    def adopt(self, identity: str) -> Worker | None:
        """Adopt a process of another launcher. A scripted worker never outlives its service."""
        return None if identity.startswith(_NAME) else self._processes.adopt(identity)

    def cause_of_loss(self, identity: str) -> str:
        if identity.startswith(_NAME):
            return "The worker ended while the service was not running."
        return self._processes.cause_of_loss(identity)

    def close(self) -> None:
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.join(_CLOSE_SECONDS)
        self._processes.close()


def _name_of(folder: RunFolder) -> str:
    try:
        return folder.read_labels().name
    except RunFolderError:
        return folder.run_id
