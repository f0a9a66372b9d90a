"""Policies that an earlier attempt has left, where another one begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder


class EarlierPolicies:
    """The policies of steps after ``step``, as attempt ``attempt`` finds them when it begins: checkpoints, those of the
    filmstrip, and the best one."""

    def __init__(self, folder: RunFolder, attempt: int, step: int) -> None:
        self._place = folder.path / "behind" / str(attempt)
        self._root = folder.path
        self._found = [(at, path, _identity(path)) for at, path in _policies(folder) if at > step]

    def leave(self, beyond: int) -> None:
        """Put those of steps after ``beyond`` into ``behind/<attempt>``, where no reader looks for policies; without
        those that the attempt has replaced by its own. Raises OSError."""
        for step, path, identity in self._found:
            if step > beyond and _identity(path) == identity is not None:
                place = self._place / path.parent.relative_to(self._root)
                place.mkdir(parents=True, exist_ok=True)
                path.replace(place / path.name)


def leave_behind(folder: RunFolder, attempt: int, beyond: int | None, final_step: int | None) -> None:
    """Make room for attempt ``attempt``: the final policy, of step ``final_step``, becomes a checkpoint as any other.

    With ``beyond`` the run goes back to that step, and policies of later ones are left behind. Raises OSError.
    """
    if is_file(folder.model_path):
        folder.checkpoints.mkdir(exist_ok=True)
        folder.model_path.replace(folder.checkpoint_path(final_step or 0))
    if beyond is not None:
        EarlierPolicies(folder, attempt, beyond).leave(beyond)


def _policies(folder: RunFolder) -> Iterator[tuple[int, Path]]:
    yield from folder.checkpoint_files()
    yield from folder.film_files()
    with suppress(RunFolderError):
        if (best := folder.best_policy()) is not None:
            yield best.step, folder.best_model_path


def _identity(path: Path) -> tuple[int, int] | None:
    """What differs once a file is replaced; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
