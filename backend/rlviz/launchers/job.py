"""The jobs of workers, and how they are passed on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


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
