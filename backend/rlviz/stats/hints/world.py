"""Rules about the world that the agent explores: its cells, and the variables of a game."""

from __future__ import annotations

import numpy as np

from rlviz.domain.metrics import EPISODE_LENGTH, EXPLORED_CELLS, EXPLORED_TOTAL, TAPS
from rlviz.stats.hints.exploration import more_entropy
from rlviz.stats.hints.hint import Case, Hint, drop_none, number_text

FEWEST_EPISODES = 20
"""Episodes that a tap must have stayed the same in, and that two parts of a run need to be compared."""

NAMED_TAPS = 5
"""Taps that a hint names; it counts the others."""

FEW_CELLS = 2
"""Cells of an episode that did not get anywhere."""
MOSTLY = 0.9
"""Share of episodes that must not have got anywhere."""
SHORTEST = 10
"""Steps of a mean episode that could have got somewhere."""

LAST = 2 / 3
"""Share of the steps from which on nothing new was found."""
CLEAR = 3.0
"""Standard errors by which the mean return must have grown."""


def tap_never_changes(case: Case) -> Hint | None:
    """Some taps of a game have had the same value from the start to the end of every episode."""
    if case.is_good_enough:
        return None
    still = {
        metric.removeprefix(TAPS): case.curve(metric)
        for metric in case.series
        if metric.startswith(TAPS) and not np.any(case.curve(metric).value)
    }
    still = {name: curve for name, curve in still.items() if len(curve) >= FEWEST_EPISODES}
    if not still:
        return None
    first, curve = next(iter(still.items()))
    names = [f"“{name}”" for name in still]
    shown = ", ".join(names[:NAMED_TAPS]) + (f" and {len(names) - NAMED_TAPS} more" if len(names) > NAMED_TAPS else "")
    return Hint(
        id="tap-never-changes",
        severity="info",
        title=f"The tap {names[0]} never changes" if len(names) == 1 else f"{len(names)} taps never change",
        metric=TAPS + first,
        from_step=int(curve.step[0]),
        to_step=int(curve.step[-1]),
        evidence=f"In {min(map(len, still.values())):,} episodes, no step changed {shown}.",
        advice=(
            "check the address and the type in game.toml",
            "play the game by hand and see whether the value changes",
            "ignore this if the agent has not come far enough to change it",
        ),
    )


def stuck_in_a_cell(case: Case) -> Hint | None:
    """Over the second half of the episodes, almost all visited one or two cells, though they were not short."""
    curve = case.curve(EXPLORED_CELLS)
    half = len(curve) // 2
    recent, lengths = curve.value[half:], case.curve(EPISODE_LENGTH).value
    is_small = case.cells is not None and case.cells <= FEW_CELLS
    is_short = len(lengths) > 0 and float(lengths[len(lengths) // 2 :].mean()) < SHORTEST
    if case.reached or is_small or is_short or len(recent) < FEWEST_EPISODES:
        return None
    share = float(np.mean(recent <= FEW_CELLS))
    if share < MOSTLY:
        return None
    total = case.curve(EXPLORED_TOTAL).value
    known = f" Training has found {number_text(float(total[-1]))} cells in all." if len(total) else ""
    return Hint(
        id="stuck-in-a-cell",
        severity="problem",
        title="The agent stays where it begins",
        metric=EXPLORED_CELLS,
        from_step=int(curve.step[half]),
        to_step=int(curve.step[-1]),
        evidence=f"{share:.0%} of the last {len(recent):,} episodes visited at most {FEW_CELLS} cells.{known}",
        advice=drop_none(
            "watch an episode, or play one, to see what holds the agent",
            None if _rewards(case, "coverage") else "reward new cells (coverage)",
            more_entropy(case),
        ),
    )


def exploration_ended(case: Case) -> Hint | None:
    """Nothing new was found in the last third of the steps, some cells are unknown, and the return does not grow."""
    curve = case.curve(EXPLORED_TOTAL)
    late = curve.value[curve.step > LAST * case.step]
    if case.reached or len(late) < FEWEST_EPISODES or late[0] != late[-1] or stuck_in_a_cell(case) is not None:
        return None
    found = float(late[-1])
    if (case.cells is not None and found >= case.cells) or (grows := _return_grows(case)):
        return None
    since = int(curve.step[np.flatnonzero(curve.value == found)[0]])
    known = "" if case.cells is None else f" of {case.cells:,}"
    return Hint(
        id="exploration-ended",
        severity="warning",
        title="Exploration has ended",
        metric=EXPLORED_TOTAL,
        from_step=since,
        to_step=int(curve.step[-1]),
        evidence=(
            f"Since step {since:,}, training has found no new cell: it knows {number_text(found)}{known}."
            + ("" if grows is None else " Over the last third of the steps, the mean return did not grow either.")
        ),
        advice=drop_none(
            None if _rewards(case, "coverage") else "reward new cells (coverage)",
            None if _rewards(case, "novelty") else "reward new observations (novelty)",
            None if _rewards(case, "archive") else "begin episodes in cells that were seldom visited (archive)",
            more_entropy(case),
            "look at the map to see where the agent turns back",
        ),
    )


def _rewards(case: Case, switch: str) -> bool:
    """Whether the run has that switch of exploration on."""
    return case.exploration is not None and getattr(case.exploration, switch) is not None


def _return_grows(case: Case) -> bool | None:
    """Whether the mean return of the last third of the steps is clearly above that of the third before; None if there
    are too few episodes to tell."""
    returns = case.returns
    middle = returns.value[(returns.step > (2 * LAST - 1) * case.step) & (returns.step <= LAST * case.step)]
    late = returns.value[returns.step > LAST * case.step]
    if min(len(middle), len(late)) < FEWEST_EPISODES:
        return None
    error = float(np.hypot(*(part.std() / np.sqrt(len(part)) for part in (middle, late))))
    return float(late.mean() - middle.mean()) > max(CLEAR * error, 1e-9)
