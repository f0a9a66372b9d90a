"""How an attempt begins: anew, from a snapshot, or further back; and what becomes of what is in the folder already."""

from __future__ import annotations

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.events import RollbackData, StartedData, Stretch
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import counted_rows
from rlviz.rundir.superseded_policies import EarlierPolicies, leave_behind
from rlviz.training.attempt import Attempt
from rlviz.training.journals import RunJournals
from rlviz.training.recomputed import Recomputed
from rlviz.training.rules.engine import Firing
from rlviz.training.snapshot.restore import Continuation, restore


def continue_from_snapshot(
    model: BaseAlgorithm, config: RunConfig, folder: RunFolder, journals: RunJournals, attempt: Attempt
) -> Continuation | None:
    """Bring ``model`` to the snapshot that ``attempt`` begins from, if any. Raises SnapshotRefused."""
    if attempt.resume_from is None:
        return None
    continuation = restore(model, config, folder, attempt.resume_from)
    if continuation.not_exact_because:
        reasons = " ".join(continuation.not_exact_because)
        journals.warn(model.num_timesteps, f"Training does not go on exactly as it was. {reasons}")
    return continuation


def begin_journal(
    folder: RunFolder,
    journals: RunJournals,
    attempt: Attempt,
    step: int,
    continuation: Continuation | None,
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
