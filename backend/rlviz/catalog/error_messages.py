"""Explanations of what can be wrong with the catalogue's file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from rlviz.domain.disk_full import is_disk_full
from rlviz.domain.errors import CatalogueDamaged, CatalogueUnusable
from rlviz.rundir.lock import full_disk

_LEAST_ROOM_BYTES = 1_000_000

_AGAIN = "Run `rlviz rebuild`: it keeps the file under another name and makes the catalogue again from the run folders."


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system within the block into CatalogueUnusable or CatalogueDamaged, which say
    what to do."""
    try:
        yield
    except DatabaseError as error:
        raise explain(path, str(error.orig)) from error
    except OSError as error:
        if is_disk_full(error):
            raise CatalogueUnusable(full_disk(path.parent)) from error
        raise CatalogueUnusable(f"The runs folder {path.parent} cannot be used ({error}).") from error


def explain(path: Path, reason: str) -> CatalogueUnusable:
    if "locked" in reason:
        return CatalogueUnusable(
            f"{path} is locked: another program has it open and does not let go. Close it (a database browser, "
            "perhaps), then start again."
        )
    if "malformed" in reason or "not a database" in reason:
        return damaged(path, reason)
    if "readonly" in reason or "unable to open" in reason:
        return CatalogueUnusable(
            f"{path} cannot be written ({reason}). See that this user may write the file and the folder it lies in."
        )
    if "full" in reason or ("disk I/O" in reason and _has_no_room(path.parent)):
        return CatalogueUnusable(f"{path} cannot be written ({reason}). {full_disk(path.parent)}")
    return CatalogueUnusable(f"{path} cannot be used ({reason}).")


def _has_no_room(folder: Path) -> bool:
    """SQLite does not say that the disk is full where it cannot make its shared memory."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free < _LEAST_ROOM_BYTES
    return False


def damaged(path: Path, reason: str) -> CatalogueDamaged:
    return CatalogueDamaged(f"{path} is damaged ({reason}). {_AGAIN}")


def newer(path: Path, revision: str, known: str) -> CatalogueDamaged:
    return CatalogueDamaged(
        f"{path} was made by another version of RL Gym Visualizer (its schema is {revision!r}, this version knows "
        f"schemas up to {known!r}). Install that version again, or go on with this one: {_AGAIN}"
    )
