"""What a worker is started for, and how that is written on its command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


class Workplace(Protocol):
    """Where a worker finds what it needs, and leaves what it has to say: a run folder, or the folder of a session."""

    path: Path

    def check(self) -> None:
        """Raises ArtifactNotFound if it is gone, RunFolderError if it is no folder of its own."""

    def open_log(self) -> BinaryIO:
        """Where the worker prints to, at its end. Raises OSError and RunFolderError."""


@dataclass(frozen=True)
class Train:
    """Train the run."""


@dataclass(frozen=True)
class Evaluate:
    """Play one evaluation of the run, with the policy that it has pinned."""

    evaluation_id: str


@dataclass(frozen=True)
class Verify:
    """Play one evaluation of the run again, and compare it with its step records."""

    evaluation_id: str


@dataclass(frozen=True)
class MakeClips:
    """Play the clips of the run that are wanted."""


@dataclass(frozen=True)
class PlaySession:
    """Play for somebody who looks, as the plan in the session's folder says."""


Job = Train | Evaluate | Verify | MakeClips | PlaySession


def worker_arguments(folder: Workplace, job: Job, identity: str | None = None) -> list[str]:
    """What comes after ``python -m rlviz.worker`` to have ``job`` done; ``worker.py`` parses it.

    ``identity`` is how the launcher finds this worker again, unless that is by its process.
    """
    arguments = [str(folder.path)]
    if identity is not None:
        arguments += ["--identity", identity]
    match job:
        case Train():
            return arguments
        case Evaluate(evaluation_id):
            return [*arguments, "--evaluate", evaluation_id]
        case Verify(evaluation_id):
            return [*arguments, "--verify", evaluation_id]
        case PlaySession():
            return [*arguments, "--session"]
        case MakeClips():
            return [*arguments, "--clips"]
