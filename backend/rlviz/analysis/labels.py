"""Labels that distinguish runs with the same name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

SHORT_ID = 4


@dataclass(frozen=True)
class Named:
    id: str
    name: str
    seed: int


def told_apart(runs: Sequence[Named]) -> list[str]:
    """A label for each run, no two the same: the name alone if no other run has it, with the seed if that is enough,
    and otherwise with the end of the id."""
    names = Counter(run.name for run in runs)
    seeds = Counter((run.name, run.seed) for run in runs)
    labels = []
    for run in runs:
        if names[run.name] == 1:
            labels.append(run.name)
        elif seeds[run.name, run.seed] == 1:
            labels.append(f"{run.name} (seed {run.seed})")
        else:
            labels.append(f"{run.name} ({_end(run, runs)})")
    return labels if len(set(labels)) == len(labels) else [f"{run.name} ({run.id})" for run in runs]


def _end(run: Named, runs: Sequence[Named]) -> str:
    """The shortest end of the id that no other id shares."""
    others = [other.id for other in runs if other.id != run.id]
    for length in range(SHORT_ID, len(run.id)):
        end = run.id[-length:]
        if not any(other.endswith(end) for other in others):
            return end
    return run.id
