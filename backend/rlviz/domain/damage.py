"""Damage: what cannot be read in a run folder, and what can be done about it."""

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel

REPAIR = "Repair the run: what can be read is kept, and the damaged file is put beside it."
RESTORE_OR_DELETE = "Nothing can be made of it: put it back from a copy, or delete the run."

DELETE_EXPERIMENT = "Put it back from a copy, or delete the experiment: its runs stay."

LOOK_ONLY = "It can be looked at; to go on with it, install that version."


class Damage(LazyModel):
    """One thing that is wrong with a file of a run folder, or that keeps the run from going on."""

    model_config = ConfigDict(frozen=True)

    file: str = Field(description="Path within the run folder; `.` is the folder itself.")
    line: int | None = Field(None, description="Line of the file, from 1; null where the whole file is meant.")
    problem: str = Field(description="What is wrong with it; a sentence.")
    remedy: str = Field(description="What can be done about it; a sentence.")
    newer: bool = Field(
        default=False, description="Nothing is damaged: a newer version wrote it, and the run can only be looked at."
    )

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.problem} {self.remedy}"
