"""Launcher and Worker: the obligations of every launcher.

The jobs of workers, and how they are passed on the command line.
"""

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
        """Raises ArtifactNotFound if it does not exist, RunFolderError if it is a link or no folder."""

    def open_log(self) -> BinaryIO:
        """Opens the worker's log for appending. Raises OSError and RunFolderError."""


@dataclass(frozen=True)
class Train:
    """Train the run."""


@dataclass(frozen=True)
class Evaluate:
    """Play one evaluation of the run, with the policy that it has pinned."""

    evaluation_id: str


@dataclass(frozen=True)
class Verify:
    """Play an evaluation of the run again, and compare it with its step records; ``film`` it meanwhile, too."""

    evaluation_id: str
    film: bool = False


@dataclass(frozen=True)
class VerifySnapshot:
    """Bring training to a snapshot of the run, and compare what that gives with the file."""

    name: str


@dataclass(frozen=True)
class MakeClips:
    """Render the clips of the run that are requested."""


@dataclass(frozen=True)
class PlaySession:
    """Play a session, as the plan in its folder says."""


Job = Train | Evaluate | Verify | VerifySnapshot | MakeClips | PlaySession


def worker_arguments(folder: WorkFolder, job: Job, identity: str | None = None) -> list[str]:
    """Arguments after ``python -m rlviz.worker`` for ``job``; ``worker.py`` parses them.

    ``identity`` is how the launcher finds this worker again, unless it does so by its process.
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
    """How a worker ended. ``code`` is None if unknown, negative for a signal."""

    code: int | None
    out_of_memory: bool = False

    def cause(self, what: str = "training") -> str:
        """One sentence for a worker that ended without saying why. ``what``: its purpose."""
        if self.out_of_memory:
            return "The host ran out of memory and killed the worker."
        if self.code is None:
            return f"The worker went away before {what} was done, and nobody saw how."
        if self.code < 0:
            return f"The worker {_killed_by(-self.code)}."
        if self.code == EXIT_DISK_FULL:
            return f"{DISK_FULL}: the worker could not write into the folder of the run, and gave up."
        return f"The worker ended with exit status {self.code} before {what} was done; see worker.log."


def _killed_by(number: int) -> str:
    """A signal in words: ``was killed by signal 9 (SIGKILL)``."""
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
        """Text by which its launcher finds it again after a restart; opaque to everything else.

        The ``started`` event contains it as ``worker`` too, so that a service that has lost its catalogue can adopt it.
        """

    @abstractmethod
    def poll(self) -> Exit | None:
        """How it ended, or None while it lives. Never blocks; may be called again after the end."""

    def processor_seconds(self) -> float | None:
        """Processor time that it has used so far, all threads together; None if that cannot be told, or if it is
        gone."""
        return None

    @abstractmethod
    def terminate(self) -> None:
        """Ask it to end by another way than ``control.json``, which it may not read any more."""

    @abstractmethod
    def kill(self) -> None:
        """End it by force, if that is possible; ``poll`` tells when it is gone."""


class UnknownWorker(Worker):
    """A worker that trains in a folder and cannot be identified: only the folder's lock shows that it exists.

    ``poll`` always reports it as gone, so that the caller checks the lock.
    """

    @property
    def identity(self) -> str:
        return ""

    def poll(self) -> Exit:
        return Exit(None)

    def terminate(self) -> None:
        """Not possible."""

    def kill(self) -> None:
        """Not possible."""


class Launcher(ABC):
    """Starts workers for run folders, and for sessions.

    Obligations:

    - ``launch`` returns at once; the worker does its job until done, or until ``control.json`` asks it to stop,
      a request that was there before the launch included.
    - What a worker has to say, it says in the run folder; ``Exit`` only matters if nothing there tells of an end.
    - Two workers never train in one folder.
    - The worker of a session runs on the host of the service, in a process of its own, and ends with it.
    - ``adopt`` finds a worker that outlived an earlier service by its identity, or answers None, also for an
      identity that another launcher gave.
    - ``close`` leaves workers that can live without the service alone, and ends the others as a stop would.
    - All methods are called from one thread.
    """

    capacity: int | None = None
    """Maximum number of runs that can train at the same time; None if only the settings limit it."""

    def tick(self) -> None:  # noqa: B027  (nothing to look after is fine)
        """Maintain what is kept between launches. Called several times a second; returns at once."""

    @abstractmethod
    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        """Start a worker for ``job``. ``folder`` is that of the run or of the session.

        Raises LauncherError if that is impossible, RunFolderError if the folder is a link or no folder.
        """

    @abstractmethod
    def adopt(self, identity: str) -> Worker | None: ...

    def cause_of_loss(self, identity: str) -> str:
        """One sentence for a worker that ``adopt`` does not find, and that did not record how it ended."""
        return "The worker went away while the service was not running."

    def watch(self, folder: RunFolder, identity: str) -> Worker:
        """The program that writes the foreign run in ``folder``: it was not launched and is not adopted, but only
        watched. ``identity`` is what the program says in its ``started`` event."""
        from rlviz.launchers.foreign import ForeignWorker

        return ForeignWorker(identity, folder)

    @abstractmethod
    def close(self) -> None: ...
