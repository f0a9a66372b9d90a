"""The interface of launchers and workers, and the jobs of workers with their command-line arguments."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from rlviz.domain.disk_full import DISK_FULL
from rlviz.rundir.folder import RunFolder


class WorkFolder(Protocol):
    """The folder that a worker reads from and writes to: a run folder, or the folder of a session."""

    path: Path

    def check(self) -> None:
        """Raise ArtifactNotFound if it does not exist, RunFolderError if it is a link or not a folder."""

    def open_log(self) -> BinaryIO:
        """Open the worker's log for appending. Raises OSError and RunFolderError."""


@dataclass(frozen=True)
class Train:
    """Train the run."""


@dataclass(frozen=True)
class Evaluate:
    """Play one evaluation of the run, with the policy that it has pinned."""

    evaluation_id: str


@dataclass(frozen=True)
class Verify:
    """Play an evaluation again and compare it with its step records; with ``film``, also film it."""

    evaluation_id: str
    film: bool = False


@dataclass(frozen=True)
class VerifySnapshot:
    """Restore a snapshot of the run, capture it again, and compare the result with the file."""

    name: str


@dataclass(frozen=True)
class MakeClips:
    """Render the requested clips of the run."""


@dataclass(frozen=True)
class PlaySession:
    """Play a session according to the plan in its folder."""


Job = Train | Evaluate | Verify | VerifySnapshot | MakeClips | PlaySession


def worker_arguments(folder: WorkFolder, job: Job, identity: str | None = None) -> list[str]:
    """Return the arguments after ``python -m rlviz.worker`` for ``job``; ``worker.py`` parses them.

    Args:
        folder: The folder to work in.
        job: The job.
        identity: How the launcher finds this worker again, if not by its process.
    """
    arguments = [str(folder.path)]
    if identity is not None:
        arguments += ["--identity", identity]
    match job:
        case Train():
            return arguments
        case Evaluate(evaluation_id):
            return [*arguments, "--evaluate", evaluation_id]
        case Verify(evaluation_id, film):
            return [*arguments, "--verify", evaluation_id, *(["--film"] if film else [])]
        case VerifySnapshot(name):
            return [*arguments, "--verify-snapshot", name]
        case PlaySession():
            return [*arguments, "--session"]
        case MakeClips():
            return [*arguments, "--clips"]


EXIT_OK = 0
EXIT_FAILED = 1
EXIT_DISK_FULL = 74  # EX_IOERR: the worker could not even write its error
EXIT_REFUSED = 75  # EX_TEMPFAIL: another worker trains this run, it has ended, or its folder is gone


@dataclass(frozen=True)
class Exit:
    """How a worker ended. ``code`` is None if unknown, and negative for a signal."""

    code: int | None
    out_of_memory: bool = False

    def cause(self, what: str = "training") -> str:
        """Describe in a sentence how a worker ended without a report. ``what`` is its job."""
        if self.out_of_memory:
            return "The host ran out of memory and killed the worker."
        if self.code is None:
            return f"The worker ended before {what} was done, and its exit status is unknown."
        if self.code < 0:
            return f"The worker {_killed_by(-self.code)}."
        if self.code == EXIT_DISK_FULL:
            return f"{DISK_FULL}: the worker could not write into the run's folder and gave up."
        return f"The worker ended with exit status {self.code} before {what} was done; see worker.log."


def _killed_by(number: int) -> str:
    """Describe a signal, for instance ``was killed by signal 9 (SIGKILL)``."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"was killed by signal {number}"
    if name in ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"):
        return f"crashed in native code: signal {number} ({name})"
    return f"was killed by signal {number} ({name})"


class Worker(ABC):
    """A worker that was launched or adopted."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """Text by which the launcher finds the worker after a restart; opaque to all other code.

        The ``started`` event has it as ``worker``, so that a service without its catalogue can adopt the worker.
        """

    @abstractmethod
    def poll(self) -> Exit | None:
        """Return how the worker ended, or None while it lives. Never blocks; may be called again after the end."""

    def processor_seconds(self) -> float | None:
        """Return the processor time used so far by all threads; None if it is unknown or the worker has ended."""
        return None

    @abstractmethod
    def terminate(self) -> None:
        """Ask the worker to end without ``control.json``, in case it no longer reads it."""

    @abstractmethod
    def kill(self) -> None:
        """End the worker by force if possible; ``poll`` tells when it has ended."""


class UnknownWorker(Worker):
    """A worker that cannot be identified: only the lock of its folder shows that it exists.

    ``poll`` always reports its end, so that the caller checks the lock.
    """

    @property
    def identity(self) -> str:
        return ""

    def poll(self) -> Exit:
        return Exit(None)

    def terminate(self) -> None:
        """Do nothing: the process is unknown."""

    def kill(self) -> None:
        """Do nothing: the process is unknown."""


class Launcher(ABC):
    """Starts workers for run folders and sessions.

    Obligations:

    - ``launch`` returns at once. The worker does its job until it is done or ``control.json`` asks it to stop, also if
      that was before the launch.
    - Workers report in the run folder; ``Exit`` only matters if there is no report of an end.
    - Two workers never train in one folder.
    - The worker of a session runs on the host of the service, in a separate process, and ends with the service.
    - ``adopt`` finds a worker that outlived an earlier service by its identity. It returns None if there is none, also
      for an identity of another launcher.
    - ``close`` leaves workers alone that can live without the service, and stops the others.
    - All methods are called from one thread.
    """

    capacity: int | None = None
    """Maximum number of runs that can train at the same time; None if only the settings limit it."""

    def maintain(self) -> None:  # noqa: B027  (a launcher may have nothing to maintain)
        """Maintain what is kept between launches. Called several times a second; must return at once."""

    @abstractmethod
    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        """Start a worker for ``job`` in the folder of the run or session.

        Raises:
            LauncherError: The worker cannot be started.
            RunFolderError: The folder is a link or not a folder.
        """

    @abstractmethod
    def adopt(self, identity: str) -> Worker | None:
        """Return the worker with this identity, if it still lives."""

    def cause_of_loss(self, identity: str) -> str:
        """Explain in a sentence the loss of a worker that ``adopt`` does not find and that reported no end."""
        return "The worker ended while the service was not running."

    def watch(self, folder: RunFolder, identity: str) -> Worker:
        """Watch the program that writes the foreign run in ``folder``.

        Args:
            folder: The run's folder.
            identity: The identity in the program's ``started`` event.
        """
        from rlviz.launchers.foreign import ForeignWorker

        return ForeignWorker(identity, folder)

    @abstractmethod
    def close(self) -> None:
        """End or leave the workers, as the obligations say."""
