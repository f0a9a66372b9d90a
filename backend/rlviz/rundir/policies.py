"""The policies in a run folder, and the one to play for a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.domain.policies import KeptPolicy, PolicyKind
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder


def kept_policies(folder: RunFolder, final_step: int | None = None) -> list[KeptPolicy]:
    """All policies, by step. ``final_step`` is the step of the final model, if known.

    A best policy that cannot be read is left out; inspection reports it.
    """
    found: dict[int, tuple[list[PolicyKind], Path]] = {}
    for step, kind, path in _files(folder, final_step):
        kinds, _ = found.setdefault(step, ([], path))
        if kind is not None:
            kinds.append(kind)
    if found:
        found[max(found)][0].insert(0, PolicyKind.LATEST)
    policies = []
    for step, (kinds, path) in sorted(found.items()):
        with suppress(FileNotFoundError):  # a checkpoint that was deleted just now
            file = path.relative_to(folder.path).as_posix()
            policies.append(KeptPolicy(step=step, kinds=kinds, file=file, size_bytes=path.stat().st_size))
    return policies


def evaluated_policy(
    folder: RunFolder, evaluation_id: str, step: int | None, final_step: int | None = None
) -> KeptPolicy | None:
    """The policy that played in an evaluation, of training step ``step``: the one kept with it, or of that step. None
    if it is not kept any more. ``final_step`` as for kept_policies."""
    path = folder.evaluations.evaluated_policy_path(evaluation_id)
    if step is not None and is_file(path, folder.path):
        with suppress(FileNotFoundError):  # deleted just now
            name = path.relative_to(folder.path).as_posix()
            return KeptPolicy(step=step, kinds=[], file=name, size_bytes=path.stat().st_size)
    return next((policy for policy in kept_policies(folder, final_step) if policy.step == step), None)


def policy_at(policies: Sequence[KeptPolicy], step: int) -> KeptPolicy | None:
    """The newest of ``policies`` (by step) up to ``step``; None if there is none."""
    return next((policy for policy in reversed(policies) if policy.step <= step), None)


def steps_of_learning(policies: Sequence[KeptPolicy], count: int) -> list[KeptPolicy]:
    """``count`` of ``policies`` (by step) at most, evenly from the first to the best one; to the newest if none is
    known to be the best, or if that is the first."""
    best = next((place for place, policy in enumerate(policies) if PolicyKind.BEST in policy.kinds), 0)
    last = best or len(policies) - 1
    places = {round(place * last / (count - 1)) for place in range(count)}
    return [policies[place] for place in sorted(places)]


def _files(folder: RunFolder, final_step: int | None) -> Iterator[tuple[int, PolicyKind | None, Path]]:
    """Most permanent kind first. The final model has only the kind ``latest``."""
    for step, path in folder.film_files():
        yield step, PolicyKind.FILM, path
    with suppress(RunFolderError):
        if (best := folder.best_policy()) is not None:
            yield best.step, PolicyKind.BEST, folder.best_model_path
    if final_step is not None and is_file(folder.model_path):
        yield final_step, None, folder.model_path
    for step, path in folder.checkpoint_files():
        yield step, PolicyKind.CHECKPOINT, path
