"""``to-resume.json`` of a runs folder: the runs that ended with the app, and go on with it."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.domain.ids import is_run_id
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.files import read_small


class ToResume:
    """The ids, kept on disk until they are dropped: a service that is killed meanwhile leaves them to the next."""

    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / "to-resume.json"

    def read(self) -> list[str]:
        """None of them if the file is not there, or cannot be read: nobody shall be surprised by what it may hold."""
        with suppress(OSError, ValueError, RunFolderError):
            found = json.loads(read_small(self._path))
            if isinstance(found, list):
                return [one for one in found if isinstance(one, str) and is_run_id(one)]
        return []

    def write(self, run_ids: Collection[str]) -> None:
        """Raises OSError."""
        if run_ids:
            write_atomically(self._path, json.dumps(sorted(run_ids)).encode())
        else:
            self._path.unlink(missing_ok=True)
