"""Which runs were imported before, so that the same logs do not become a second run unasked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.exchange.imports.found_run import Row
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import run_folders

FIELD = "imported_digest"


def digest_of(rows: Iterable[Row]) -> str:
    """Of the curves alone: steps and values, whatever the names of files and their times are. 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps([row.step, sorted(row.values.items())]).encode())
    return digest.hexdigest()


def imported_before(runs_dir: Path) -> dict[str, str]:
    """Ids of the runs that were imported, by digest; of several the first. One that cannot be read is none of them."""
    found: dict[str, str] = {}
    sign = f'"{FIELD}": "'.encode()
    for folder in run_folders(runs_dir):
        with suppress(OSError, RunFolderError, ValueError):
            written = read_small(folder.config_path, folder.path)
            if sign in written and isinstance(digest := json.loads(written).get(FIELD), str):
                found.setdefault(digest, folder.run_id)
    return found
