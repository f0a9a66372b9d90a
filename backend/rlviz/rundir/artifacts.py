"""Which files of a run folder may leave it."""

from __future__ import annotations

from pathlib import Path

from rlviz.domain.errors import ArtifactNotFound
from rlviz.rundir.files import may_be_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import compressed_path


def find_artifact(folder: RunFolder, name: str) -> Path:
    """The regular file called ``name`` inside ``folder``; of a journal, it may be there in compressed form alone.

    Raises ArtifactNotFound for everything else: absolute names, ``..``, backslashes, NUL, hidden
    and temporary files, folders, pipes, and links, wherever they lead.
    """
    missing = ArtifactNotFound(f"Run {folder.run_id!r} has no file {name[:120]!r}.")
    parts = name.split("/")
    if any(part in ("", ".", "..") or part.startswith(".") for part in parts):
        raise missing
    if any(character in name for character in "\\\0:"):
        raise missing
    path = folder.path.joinpath(*parts)
    if not may_be_file(path, folder.path) and not may_be_file(compressed_path(path), folder.path):
        raise missing
    return path
