"""What the doctor finds in versions: of the files of runs, of the packages that trained them, of the catalogue."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rlviz.cli.checks import Finding
from rlviz.cli.output import counted

if TYPE_CHECKING:
    from rlviz.settings import Settings

MOST_RUNS = 1_000
"""So many of the newest runs are looked at."""


def check_versions(settings: Settings) -> list[Finding]:
    return [check_files(settings), check_catalogue(settings)]


def check_files(settings: Settings) -> Finding:
    """Whether the files of runs are what this version reads as they were meant."""
    from rlviz.domain.errors import RunFolderError
    from rlviz.provenance import package_versions
    from rlviz.rundir.drift import drift_of_run
    from rlviz.rundir.folder import run_folders

    folders = sorted(run_folders(settings.runs_dir), key=lambda folder: folder.path.stat().st_ctime)[-MOST_RUNS:]
    runs: Counter[str] = Counter()
    unread: list[str] = []
    for folder in folders:
        try:
            found = drift_of_run(folder, package_versions())
        except (OSError, RunFolderError):
            unread.append(folder.run_id)
            continue
        runs.update({one.kind.value for one in found})
        if not all(one.is_harmless for one in found):
            unread.append(folder.run_id)
    counts = ", ".join(f"{count} with {_WORDS[kind]}" for kind, count in sorted(runs.items()))
    says = f"Looked at {counted(len(folders), 'run')}{': ' + counts if counts else ''}."
    if unread:
        return Finding("versions", "look", says, f"`rlviz config check {unread[-1]}` tells what, for instance.")
    return Finding("versions", "ok", says)


_WORDS = {
    "newer": "files of a newer version",
    "deprecated": "keys of a former name",
    "unknown": "unknown keys",
    "missing": "missing keys",
    "defaulted": "keys that have their default",
    "wrong": "values of a wrong type",
    "package": "packages of another version than here",
}


def check_catalogue(settings: Settings) -> Finding:
    """Whether its pages are whole, and its tables those of the models."""
    from rlviz.catalog import maintenance
    from rlviz.catalog.database import Database
    from rlviz.domain.errors import CatalogueUnusable
    from rlviz.services.wiring import CATALOGUE

    path = settings.runs_dir / CATALOGUE
    if not path.is_file():
        return Finding("catalogue", "ok", "There is none yet; the first command makes it.")
    database = Database(path)
    try:
        found = maintenance.check(database)
    except CatalogueUnusable as error:
        return Finding("catalogue", "bad", str(error))
    finally:
        database.close()
    if found.problems:
        return Finding("catalogue", "look", " ".join(found.problems), "`rlviz rebuild` makes it again from the runs.")
    if found.waiting:
        return Finding("catalogue", "ok", f"It is at {found.revision}; the next start brings it to {found.head}.")
    return Finding("catalogue", "ok", f"It is whole, and its tables are the models' ({found.head}).")
