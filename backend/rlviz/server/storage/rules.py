"""Read and write the storage rules of a runs folder, and the log of their actions. Both are files in that folder."""

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
        """Return the rules; none if there is no file.

        Raises StorageRulesUnusable if the file is invalid. Then no rule may be applied.
        """
        try:
            return read_document(self._path, StorageRules)
        except FileNotFoundError:
            return StorageRules()
        except RunFolderError as error:
            raise StorageRulesUnusable(
                f"The storage rules in {self._path} cannot be read, so none is applied. {error.damage.problem} "
                "Fix the file, or save the rules again on the Storage page."
            ) from error

    def save(self, rules: StorageRules) -> None:
        """Save the rules. Raises OSError."""
        write_atomically(self._path, rules.model_dump_json(indent=2).encode())


LOG_FILE = "storage-log.jsonl"
OLDER_LOG_FILE = "storage-log.old.jsonl"

MOST_LOG_BYTES = 4_000_000
"""Maximum size of the log; a larger one replaces the older log, and a new one starts."""


class StorageActionLog:
    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / LOG_FILE
        self._lock = Lock()

    def append(self, action: StorageAction) -> None:
        """Append an action and flush it to the disk. Raises OSError."""
        with self._lock:
            if self._path.is_file() and self._path.stat().st_size > MOST_LOG_BYTES:
                self._path.replace(self._path.with_name(OLDER_LOG_FILE))
            with closing(JournalWriter(self._path)) as journal:
                journal.append(action.model_dump())

    def newest(self, count: int) -> list[LoggedStorageAction]:
        """Return the newest ``count`` entries, newest first. Invalid lines are left out."""
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
