"""Which files of a run folder may leave it."""

from __future__ import annotations

from pathlib import Path

from rlviz.domain.errors import ArtifactNotFound
from rlviz.rundir.folder import RunFolder


def find_artifact(folder: RunFolder, name: str) -> Path:
    """The regular file called ``name`` inside ``folder``.

    Raises ArtifactNotFound for everything else: absolute names, ``..``, backslashes, NUL, hidden
    and temporary files, folders, and links that lead outside.
    """
    missing = ArtifactNotFound(f"Run {folder.run_id!r} has no file {name[:120]!r}.")
    parts = name.split("/")
    if any(part in ("", ".", "..") or part.startswith(".") for part in parts):
        raise missing
    if any(character in name for character in "\\\0:"):
        raise missing
    try:
        path = folder.path.joinpath(*parts).resolve(strict=True)
        inside = path.is_file() and path.is_relative_to(folder.path.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle, until Python 3.13
        raise missing from error
    if not inside:
        raise missing
    return path
