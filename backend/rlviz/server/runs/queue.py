"""The order of the queue: runs start by their time of queueing, and a run that is moved gets another time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

STEP = 0.001
"""Seconds between two runs whose times were equal."""

Move = Literal["first", "up", "down", "last"]


@dataclass(frozen=True)
class Place:
    """Where a run goes: one of the moves, or before another queued run."""

    move: Move | None = None
    before: str | None = None


def times_after_move(queue: Sequence[tuple[str, float]], run_id: str, place: Place) -> dict[str, float]:
    """Return new times of queueing that put ``run_id`` in its place; all others keep their order.

    As few runs as possible get a new time: usually only the one that moves. Empty if it is there already.

    Args:
        queue: Id and time of every queued run, in order: by time, and by id if the times are equal.
        run_id: A run of the queue.
        place: Where it goes. ``before`` is a run of the queue.
    """
    times = dict(queue)
    ids = [one for one, _ in queue]
    old = ids.index(run_id)
    others = ids[:old] + ids[old + 1 :]
    if place.before is not None:
        new = old if place.before == run_id else others.index(place.before)
    else:
        new = {"first": 0, "up": max(0, old - 1), "down": old + 1, "last": len(others)}[place.move or "last"]
    if min(new, len(others)) == old:
        return {}
    ahead, behind = others[:new], others[new:]
    if not ahead:
        return {run_id: times[behind[0]] - STEP}
    changed = {run_id: _between(times[ahead[-1]], times[behind[0]] if behind else None)}
    before = (changed[run_id], run_id)
    for one in behind:
        if before < (times[one], one):
            break
        changed[one] = before[0] + STEP
        before = (changed[one], one)
    return changed


def _between(earlier: float, later: float | None) -> float:
    middle = earlier + STEP if later is None else (earlier + later) / 2
    return middle if earlier < middle else earlier + STEP
