"""Which rules a run begins with."""

from __future__ import annotations

from collections.abc import Sequence

from rlviz.domain.errors import RunFolderError
from rlviz.domain.rules import Rule
from rlviz.rundir.folder import RunFolder
from rlviz.training.journals import RunJournals


def rules_in_force(folder: RunFolder, of_config: Sequence[Rule], journals: RunJournals) -> Sequence[Rule]:
    """Those of ``rules.json``, or of the configuration. What cannot be read is warned of, and changes nothing."""
    try:
        changed = folder.read_rules()
    except RunFolderError as error:
        journals.warn_now(f"The rules that were set could not be read; those of the configuration hold. {error}")
        return of_config
    return of_config if changed is None else changed.rules
