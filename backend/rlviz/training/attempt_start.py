"""What the journal says when an attempt starts: from the beginning, from a snapshot, or after a rollback."""

from __future__ import annotations

from typing import Protocol

from rlviz.domain.events import RollbackData, StartedData, Stretch
from rlviz.domain.snapshot import SnapshotManifest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import counted_rows
from rlviz.rundir.superseded_policies import EarlierPolicies, leave_behind
from rlviz.training.attempt import Attempt
from rlviz.training.journals import RunJournals
from rlviz.training.recomputed import Recomputed
from rlviz.training.rules.engine import Firing


class Resumed(Protocol):
    """What the journal says about the snapshot that an attempt continues."""

    @property
    def manifest(self) -> SnapshotManifest: ...

    @property
    def not_exact_because(self) -> list[str]:
        """Why training may differ from the original, one sentence each; empty if it continues bit for bit."""

    @property
    def taken_at(self) -> tuple[int, int]:
        """Step and attempt at which the snapshot was taken; attempt 0 for a snapshot of a fork's parent."""

    @property
    def last_row(self) -> int:
        """``seq`` of the last row before the snapshot in this run's journal; 0 for a fork."""


def begin_journal(
    folder: RunFolder,
    journals: RunJournals,
    attempt: Attempt,
    step: int,
    continuation: Resumed | None,
    worker: str | None,
    by: Firing | None = None,
) -> None:
    """Journal that ``attempt`` begins at ``step``, and what becomes of the rows that are there already. From here on
    time counts as training. ``by``: the rule that has it go back, if one does."""
    if continuation is not None:
        leave_behind(folder, attempt.number, step if attempt.rollback else None, attempt.final_step)
    last = journals.last_row()
    started = StartedData(
        attempt=attempt.number,
        worker=worker,
        snapshot=attempt.resume_from,
        total_timesteps=attempt.total_timesteps,
        not_exact_because=(" ".join(continuation.not_exact_because) or None) if continuation is not None else None,
    )
    journals.event(step, started)
    if continuation is None and not attempt.is_repeated:
        return
    name, seq = (continuation.manifest.name, continuation.last_row) if continuation is not None else ("0", 0)
    if attempt.rollback and continuation is not None:
        superseded = Stretch(first=seq + 1, last=last, attempt=attempt.number, beyond=step)
        cause = {"rule": by.number, "says": by.rule.words, "count": by.count} if by is not None else {}
        journals.event(
            step, RollbackData(snapshot=name, superseded=superseded, taken_in=continuation.taken_at[1], **cause)
        )
    else:
        beyond = counted_rows(folder, after=seq)
        earlier = EarlierPolicies(folder, attempt.number, step)
        journals.expect(Recomputed(name, step, beyond, last=last, attempt=attempt.number, leave_behind=earlier.leave))
