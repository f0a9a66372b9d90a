"""StorageActionLog: what the storage rules of a runs folder did, as a file beside the runs.

StorageRulesStore: the storage rules of a runs folder, as a file beside the runs.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from rlviz.domain.errors import RunFolderError, StorageRulesUnusable
from rlviz.domain.storage_rules import StorageRules
from rlviz.rundir.files import read_document, write_atomically
from rlviz.rundir.journal import JournalWriter, last_lines
from rlviz.server.storage.models import LoggedStorageAction, StorageAction

RULES_FILE = "storage.json"


class StorageRulesStore:
    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / RULES_FILE

    def read(self) -> StorageRules:
        """None at all where there is no file. Raises StorageRulesUnusable for one that cannot be understood: then
        nothing may be deleted by it."""
        try:
            return read_document(self._path, StorageRules)
        except FileNotFoundError:
            return StorageRules()
        except RunFolderError as error:
            raise StorageRulesUnusable(
                f"The storage rules in {self._path} cannot be used, so none is followed. {error.damage.problem} "
                "Mend the file, or save the rules anew on the Storage page."
            ) from error

    def save(self, rules: StorageRules) -> None:
        """Raises OSError."""
        write_atomically(self._path, rules.model_dump_json(indent=2).encode())


LOG_FILE = "storage-log.jsonl"
OLDER_LOG_FILE = "storage-log.old.jsonl"

MOST_LOG_BYTES = 4_000_000
"""A longer log is put aside as the older one, in the place of what was there."""


class StorageActionLog:
    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / LOG_FILE
        self._lock = Lock()

    def append(self, action: StorageAction) -> None:
        """It is on the disk when this returns. Raises OSError."""
        with self._lock:
            if self._path.is_file() and self._path.stat().st_size > MOST_LOG_BYTES:
                self._path.replace(self._path.with_name(OLDER_LOG_FILE))
            with closing(JournalWriter(self._path)) as journal:
                journal.append(action.model_dump())

    def newest(self, count: int) -> list[LoggedStorageAction]:
        """The newest ``count`` entries, the newest first. Lines that cannot be understood are passed over."""
        try:
            lines = last_lines(self._path, count)
        except RunFolderError:
            return []
        found = []
        for line in reversed(lines):
            try:
                found.append(LoggedStorageAction.model_validate(line.record))
            except ValidationError:
                continue
        return found
