"""Verdict: a sentence on which of several runs is better, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.figures import SHARE, ComparisonEntry, groups_of, is_clearly_higher, reached_before_they_parted
from rlviz.analysis.mean_return import MEAN_EPISODES
from rlviz.analysis.numbers import brief, decimal, listed
from rlviz.analysis.seed_verdict import SeedScores, seed_verdict

FEW = 3
"""Most runs that a sentence names."""

ONE_SEED_EACH = "One seed each: nothing can be said yet."
"""What runs show by themselves says nothing of their settings: the spread of last episodes is not that of seeds."""

SOFTWARE = ("/versions", "/git_revision")
"""Settings that record the software versions of a run."""


@dataclass(frozen=True)
class Verdict:
    """``cautions``: limits of the comparison, for instance settings that differ. ``seed_caution``: that of them which
    training more seeds takes away; None: there is none."""

    headline: str
    why: list[str]
    cautions: list[str]
    seed_caution: str | None = None


def verdict(
    runs: Sequence[ComparisonEntry],
    *,
    window: int,
    threshold: float | None,
    differences: Iterable[str],
    shared: int = 0,
) -> Verdict | None:
    """None with fewer than two runs.

    ``differences``: JSON pointers of the settings that are not the same in all runs. A difference in final returns
    counts only when it is larger than what the spread of the last episodes explains, and of runs that differ in more
    than their seed it is a reason alone: one seed of each carries no verdict. ``shared``: up to that step they
    were one run, so that nothing before tells them apart.
    """
    if len(runs) < 2:
        return None
    environments = list(dict.fromkeys(run.environment for run in runs))
    if len(environments) > 1:
        names = ", ".join(environments)
        apart = f"They trained in different environments ({names}), whose returns mean different things."
        return Verdict("These runs cannot be ranked.", [apart], [])
    settings = [path for path in differences if not path.startswith(SOFTWARE)]
    few_seeds = _seed_caution(runs) if settings != ["/seed"] else None
    cautions = _cautions(runs, settings, shared) + ([] if few_seeds is None else [few_seeds])
    early = [run.label for run in runs if run.metrics.best_moving_average is None]
    if early:
        few = _some(early) + (" has" if len(early) == 1 else " have")
        return Verdict("It is too early to tell.", [f"{few} finished too few episodes."], cautions, few_seeds)
    groups = _groups(runs)
    if len(groups) > 1 and len(groups) < len(runs):
        headline, why = seed_verdict(groups, window)
    else:
        headline, why = _ranked(runs, window, threshold, shared)
        if few_seeds is not None:
            headline, why = ONE_SEED_EACH, [f"These runs by themselves: {headline}", *why]
    return Verdict(headline, why, cautions, few_seeds)


def _ranked(
    runs: Sequence[ComparisonEntry], window: int, threshold: float | None, shared: int
) -> tuple[str, list[str]]:
    by_final = sorted(runs, key=_final, reverse=True)
    first, second = by_final[0], by_final[1]
    ahead = is_clearly_higher(first, second, window)
    reached = sorted((run for run in runs if run.metrics.steps_to_threshold is not None), key=_steps)
    before = reached_before_they_parted(runs, shared)
    quickest = None if before is not None else _soonest(reached)
    ends = f"{first.label} ends at {decimal(_final(first))}, {second.label} at {decimal(_final(second))}"
    speed = [] if threshold is None else [_speed(runs, reached, threshold)]
    if before is not None and threshold is not None:
        speed = [f"A mean return of {decimal(threshold)} was reached at step {brief(before)}, before they parted."]
    spread = f"the spread of their last {window} episodes"
    if ahead and quickest is not None and quickest is not first:
        return f"{first.label} ends higher; {quickest.label} learned faster.", [f"{ends}.", *speed]
    if ahead:
        best = "better" if len(runs) == 2 else f"best of {len(runs)}"
        return f"{first.label} did {best}.", [f"{ends}: more than {spread} explains.", *speed]
    level = f"{ends}: within {spread}."
    if quickest is not None:
        return f"Level at the end; {quickest.label} learned faster.", [level, *speed]
    return "No clear difference.", [level, *speed]


def _speed(runs: Sequence[ComparisonEntry], reached: Sequence[ComparisonEntry], threshold: float) -> str:
    """``reached``: those that did, the soonest first."""
    goal = f"a mean return of {decimal(threshold)}"
    if not reached:
        return f"None reached {goal} over {MEAN_EPISODES} episodes, or in a greedy evaluation."
    if len(runs) > FEW:
        first = f"{reached[0].label} first, after {brief(_steps(reached[0]))} steps"
        return f"{len(reached)} of {len(runs)} reached {goal}, {first}."
    steps = [f"{run.label} after {brief(_steps(run))} steps" for run in reached]
    missed = [run.label for run in runs if run not in reached]
    rest = f"; {listed(missed)} did not" if missed else ""
    return f"{goal[:1].upper()}{goal[1:]} was reached by {listed(steps)}{rest}."


def _soonest(reached: Sequence[ComparisonEntry]) -> ComparisonEntry | None:
    """The one that reached the threshold clearly before every other, if one did. ``reached``: soonest first."""
    if not reached:
        return None
    first, second = reached[0], reached[1] if len(reached) > 1 else None
    return first if second is None or _steps(first) < SHARE * _steps(second) else None


def _cautions(runs: Sequence[ComparisonEntry], settings: list[str], shared: int) -> list[str]:
    cautions = []
    if shared:
        cautions.append(f"Up to step {brief(shared)} they were one run: only what came after tells them apart.")
    active = [run.label for run in runs if not run.ended]
    if active:
        cautions.append(f"{_some(active)} {'has' if len(active) == 1 else 'have'} not ended yet.")
    if any(path.startswith("/env_options") for path in settings):
        cautions.append("The options of their environments differ.")
    steps = [run.step for run in runs]
    if max(steps) > 1.1 * min(steps):
        cautions.append("They trained for different numbers of steps.")
    if settings == ["/seed"]:
        cautions.append("Only their seeds differ: this is how much luck decides.")
    return cautions


def _seed_caution(runs: Sequence[ComparisonEntry]) -> str | None:
    """That luck may decide, where there is a single seed of some."""
    single = [group.label for group in _groups(runs) if len(group.scores) == 1]
    if not single:
        return None
    whose = "each" if len(single) == len(runs) else f"of {_some(single)}"
    return f"One seed {whose}: with other seeds it may come out differently."


def _groups(runs: Sequence[ComparisonEntry]) -> list[SeedScores]:
    """The final returns by group."""
    return [
        SeedScores(group[0].group_label if len(group) > 1 else group[0].label, np.array([_final(run) for run in group]))
        for group in groups_of(runs).values()
    ]


def _some(labels: list[str]) -> str:
    """The names if there are few, otherwise their number."""
    return listed(labels) if len(labels) <= FEW else f"{len(labels)} of the runs"


def _final(run: ComparisonEntry) -> float:
    final = run.metrics.final_moving_average
    best = run.metrics.best_moving_average
    return final if final is not None else best if best is not None else -math.inf


def _steps(run: ComparisonEntry) -> float:
    steps = run.metrics.steps_to_threshold
    return math.inf if steps is None else steps
