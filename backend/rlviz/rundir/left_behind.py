"""Policies that an earlier attempt has left, where another one begins."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder


def leave_behind(folder: RunFolder, attempt: int, beyond: int | None, final_step: int | None) -> None:
    """Make room for attempt ``attempt``: the final policy, of step ``final_step``, becomes a checkpoint as any other.

    With ``beyond`` the run goes back to that step, and what is of later ones is put into ``behind/<attempt>``, where no
    reader looks for policies. Raises OSError.
    """
    if is_file(folder.model_path):
        folder.checkpoints.mkdir(exist_ok=True)
        folder.model_path.replace(folder.checkpoint_path(final_step or 0))
    if beyond is None:
        return
    place = folder.path / "behind" / str(attempt)
    for step, path in [*folder.checkpoint_files(), *folder.film_files()]:
        if step > beyond:
            _put(path, place / path.parent.name)
    with suppress(RunFolderError):
        best = folder.best_policy()
        if best is not None and best.step > beyond:
            _put(folder.best_model_path, place)


def _put(path: Path, place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    path.replace(place / path.name)
