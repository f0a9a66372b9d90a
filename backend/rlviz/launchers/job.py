"""What a worker is started for, and how that is written on its command line."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.rundir.folder import RunFolder


@dataclass(frozen=True)
class Train:
    """Train the run."""


@dataclass(frozen=True)
class Evaluate:
    """Play one evaluation of the run, with the policy that it has pinned."""

    evaluation_id: str


Job = Train | Evaluate


def worker_arguments(folder: RunFolder, job: Job, identity: str | None = None) -> list[str]:
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
