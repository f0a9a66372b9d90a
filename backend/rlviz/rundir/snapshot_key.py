"""The key by which this installation knows its own snapshots.

A snapshot holds pickled Python objects: whoever reads it runs what is in it. So every snapshot is signed, and only
those that were signed with this key are read. It lies beside the runs, for their owner alone.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from rlviz.rundir.atomic import temporary_name
from rlviz.rundir.files import open_descriptor, read_small

KEY_FILE = ".snapshot-key"
KEY_BYTES = 32


def snapshot_key(runs_dir: Path) -> bytes:
    """The key of the runs in ``runs_dir``, made where there is none. Raises OSError and RunFolderError."""
    path = runs_dir / KEY_FILE
    with suppress(FileNotFoundError):
        if len(key := read_small(path, limit=KEY_BYTES)) == KEY_BYTES:
            return key
        path.unlink()  # a host that failed may have left an empty one
    draft = temporary_name(path)
    with os.fdopen(open_descriptor(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC), "wb") as file:
        draft.chmod(0o600)
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:  # another worker was first
        draft.unlink()
    except OSError:  # a file system without hard links
        draft.replace(path)
    else:
        draft.unlink()
    return read_small(path, limit=KEY_BYTES)
