"""ingest: runs into PostgreSQL, and what became of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rlviz.rundir.folder import RunFolder
from rlviz.services.ingest.source import NotIngested, fingerprint, read_run
from rlviz.services.ingest.warehouse import CentralDatabase
from rlviz.services.use_cases.metrics import MetricsService


@dataclass
class Ingested:
    """``unchanged``: runs that were there already, as they are. ``skipped``: by run id, why. ``renamed``: metrics whose
    names PostgreSQL does not take, with what they are called there. ``problems``: by what is wrong there, the ids."""

    runs: list[str] = field(default_factory=list)
    evaluations: int = 0
    points: int = 0
    unchanged: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)


def ingest(
    folders: Sequence[RunFolder],
    database: CentralDatabase,
    *,
    machine: str,
    incremental: bool,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Ingested:
    """Put each run of ``folders`` that has ended into ``database``; again is the same as once.

    ``incremental``: leave those alone that have not changed since. ``machine``: what this one is called; a run that
    another machine has put there is left to it. ``progress`` is told how many are done, of how many.
    """
    report, metrics = Ingested(), MetricsService()
    known = database.known()
    for done, folder in enumerate(folders):
        progress(done, len(folders))
        stamp = fingerprint(folder)
        owner, before = known.get(folder.run_id, (machine, ""))
        if owner != machine:
            report.skipped[folder.run_id] = f"It is there already, from {owner}."
        elif incremental and stamp == before:
            report.unchanged += 1
        else:
            try:
                run = read_run(folder, metrics)
                database.put(run, machine, stamp)
            except NotIngested as reason:
                report.skipped[folder.run_id] = str(reason)
            else:
                report.runs.append(folder.run_id)
                report.evaluations += len(run.evaluations)
                report.points += run.count
                report.renamed |= run.renamed()
    progress(len(folders), len(folders))
    report.problems = database.problems()
    return report
