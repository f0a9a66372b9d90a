"""Trusting a run that came from elsewhere: its code may then be used here, and training resumes exactly."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import Conflict, RunFolderError
from rlviz.domain.origin import ORIGIN
from rlviz.exchange.admission import NOT_TRUSTED_YET, restore_entry_points
from rlviz.rundir.contents import Role, find_role
from rlviz.rundir.experiment_folder import experiment_folders
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.rundir.lock import training_lock
from rlviz.rundir.origin import Content, content_of, read_origin
from rlviz.rundir.snapshots import has_foreign_snapshots, sign_as_own
from rlviz.rundir.standing import Standing, mark_own, mark_trusted, standing_of
from rlviz.rundir.trash import TRASH


@dataclass(frozen=True)
class Holdings:
    """What trusting a run allows to run. ``entry_points``: custom environments, as files or modules; ``policies`` and
    ``snapshots``: their numbers."""

    content: Content
    entry_points: tuple[str, ...]
    policies: int
    snapshots: int


def inspect_holdings(folder: RunFolder) -> Holdings:
    """Read every file and return what trusting the run allows. Raises OSError and RunFolderError."""
    content = content_of(folder)
    code = [path for path in content.files if find_role(path) is Role.CODE]
    snapshots = [path for path in code if path.startswith("snapshots/")]
    return Holdings(content, _entry_points(folder), len(code) - len(snapshots), len(snapshots))


def trust_run(folder: RunFolder, content_hash: str | None = None) -> Standing:
    """Trust the content of a run.

    Intact snapshots are signed as this installation's own, the environments in its configuration are restored, and
    the hash of its content is recorded. A run that may already be used stays unchanged, except that its snapshots are
    signed if the user moved it here from another runs folder.

    Args:
        folder: Folder of the run.
        content_hash: Hash of what the user has seen; None trusts the current content.

    Raises:
        Conflict: The content has changed.
        RunIsActive: A worker is training it.
        RunFolderError: A file cannot be read.
        OSError: A file cannot be read or written.
    """
    standing = standing_of(folder.path)
    if standing.may_run and not has_foreign_snapshots(folder):
        return standing
    folder.check()
    with training_lock(folder):
        content = content_of(folder)
        if content_hash is not None and content_hash != content.hash:
            raise Conflict(f"Run {folder.run_id!r} has changed since you viewed it. View it again, then decide.")
        origin = read_origin(folder)
        if origin is not None:
            restore_entry_points(folder, origin.entry_points)
        there = origin.run_id if origin is not None else folder.run_id
        for name, digest in content.files.items():
            if name.startswith("snapshots/") and name.endswith(".zip"):
                sign_as_own(folder, folder.path / name, digest, there)
        if standing is Standing.OWN:
            return standing
        mark_trusted(folder.path, folder.path.parent, content.hash)
    return Standing.TRUSTED


def trust_runs_folder(runs_dir: Path) -> tuple[list[str], list[str]]:
    """Sign all runs and experiments in ``runs_dir``, and in its trash, as made here.

    For runs of earlier versions, and those that the user copied or moved there, with their snapshots. Imported bundles
    are skipped: they are trusted one by one.

    Returns:
        The signed ids, and the ids of runs that are still not trusted.

    Raises:
        OSError: A file cannot be read or written.
        RunFolderError: A file cannot be read.
    """
    signed, left = [], []
    for folder in run_folders(runs_dir):
        if standing_of(folder.path, runs_dir) is Standing.OWN and has_foreign_snapshots(folder):
            trust_run(folder)
            signed.append(folder.run_id)
    places = [folder.path for folder in run_folders(runs_dir)]
    places += [folder.path for folder in run_folders(runs_dir / TRASH)]
    places += [folder.path for folder in experiment_folders(runs_dir)]
    for path in places:
        if standing_of(path, runs_dir).may_run:
            continue
        if (path / ORIGIN).exists():
            left.append(path.name)
            continue
        before = path.stat()
        mark_own(path, runs_dir)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # the trash uses it as the time of deletion
        signed.append(path.name)
    return signed, left


def _entry_points(folder: RunFolder) -> tuple[str, ...]:
    found: dict[str, None] = {}
    with suppress(RunFolderError):
        if (origin := read_origin(folder)) is not None:
            found |= dict.fromkeys(origin.entry_points.values())
    for path in (folder.config_path, *_configs_of_parents(folder)):
        with suppress(RunFolderError):
            config: RunConfig = RunFolder.at(path.parent).read_config()
            if (custom := config.custom_environment) is not None and custom.entry_point != NOT_TRUSTED_YET:
                found[custom.entry_point] = None
    return tuple(found)


def _configs_of_parents(folder: RunFolder) -> list[Path]:
    return sorted(folder.parent.glob("*/config.json")) if folder.parent.is_dir() else []
