"""StorageRulesStore: the storage rules of a runs folder, as a file beside the runs."""

from __future__ import annotations

from pathlib import Path

from rlviz.domain.errors import RunFolderError, StorageRulesUnusable
from rlviz.domain.storage_rules import StorageRules
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.documents import read_document

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
