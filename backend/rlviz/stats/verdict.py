"""Verdict: a sentence on which of several runs is better, and why; also for settings trained with several seeds each,
outside of an experiment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from rlviz.domain.lazy_model import Frozen
from rlviz.stats.arrays import Floats
from rlviz.stats.criterion import Criterion
from rlviz.stats.experiments.trials import (
    ScoreKind,
    Setting,
    Trial,
    scored_trials,
    trial_scores,
    variant_scores,
)
from rlviz.stats.experiments.verdict import compare_pairs, experiment_verdict
from rlviz.stats.groups import (
    ComparisonEntry,
    first_to_reach,
    is_clearly_higher,
    reached_before_fork,
    settled_seeds,
    split_groups,
)
from rlviz.stats.number_text import brief_number, decimal, join_words
from rlviz.stats.returns import best_first


@dataclass(frozen=True, eq=False)
class SeedScores:
    """Scores of a group. ``scores``: final return of each seed, shape (n,), at least one."""

    label: str
    scores: Floats


def seed_verdict(groups: Sequence[SeedScores], window: int) -> tuple[str, list[str]]:
    """Return a headline about the group with the highest interquartile mean, and the reasons.

    Takes at least two groups in one environment. ``window``: episodes in the mean that is a final return.
    """
    labels = {str(place): group.label for place, group in enumerate(groups)}
    setting = Setting(labels, dict.fromkeys(labels, ""), ScoreKind.TRAINING)
    trials = [
        Trial(str(place), seed, run_id="", score=float(score), ended=True)
        for place, group in enumerate(groups)
        for seed, score in enumerate(group.scores)
    ]
    summed_up = variant_scores(trials, setting)
    in_order = best_first(summed_up, lambda one: one.rank)
    pairs = compare_pairs({one.variant: [trial_scores(scored_trials(trials, one.variant))] for one in in_order})
    found = experiment_verdict(summed_up, pairs, trials)
    score = f"A score is the mean return of the last {window} episodes of training, exploration included."
    return found.headline, [*found.reasons, score]


FEW = 3
"""Maximum number of runs that a sentence names."""

ONE_SEED_EACH = "Not enough seeds to compare: one seed each."
"""A comparison of single runs says nothing about their settings: the spread of last episodes is not the spread over
seeds."""

SOFTWARE = ("/versions", "/git_revision")
"""Settings that record the software versions of a run."""


class Verdict(Frozen):
    headline: str
    why: list[str]
    cautions: list[str] = Field(description="Limits of what the figures show.")
    seed_caution: str | None = Field(description="The caution that more seeds would remove; null: none.")


def verdict(
    runs: Sequence[ComparisonEntry],
    *,
    window: int,
    threshold: float | None,
    criterion: Criterion | None,
    differences: Iterable[str],
    shared: int = 0,
) -> Verdict | None:
    """Compare runs; return None with fewer than two.

    A difference in final returns counts only if it exceeds the spread of the last episodes. Seeds that still train are
    left out of a group once one of its seeds has ended. With one seed each, runs that differ in more than the seed get
    figures, but no verdict.

    Args:
        runs: The runs to compare.
        window: Episodes in the moving average.
        threshold: Reward threshold that all runs share; None for none.
        criterion: Detects when a run reached ``threshold``; None: not comparable.
        differences: JSON pointers of the settings that differ.
        shared: Step up to which they were one run; nothing before it can distinguish them.
    """
    if len(runs) < 2:
        return None
    environments = list(dict.fromkeys(run.environment for run in runs))
    if len(environments) > 1:
        names = ", ".join(environments)
        apart = f"They trained in different environments ({names}), whose returns are not comparable."
        return Verdict(headline="These runs cannot be ranked.", why=[apart], cautions=[], seed_caution=None)
    settings = [path for path in differences if not path.startswith(SOFTWARE)]
    few_seeds = _seed_caution(runs) if settings != ["/seed"] else None
    cautions = _cautions(runs, settings, shared) + ([] if few_seeds is None else [few_seeds])
    settled = [run for group in split_groups(runs).values() for run in settled_seeds(group)]
    early = [run.label for run in settled if run.metrics.best_moving_average is None]
    if early:
        few = _some(early) + (" has" if len(early) == 1 else " have")
        why = [f"{few} finished too few episodes."]
        return Verdict(headline="It is too early to tell.", why=why, cautions=cautions, seed_caution=few_seeds)
    groups = _groups(runs)
    if len(groups) > 1 and len(groups) < len(runs):
        headline, why = seed_verdict(groups, window)
    else:
        headline, why = _ranked(runs, window, threshold, criterion, shared)
        if few_seeds is not None:
            headline = ONE_SEED_EACH
    return Verdict(headline=headline, why=why, cautions=cautions, seed_caution=few_seeds)


def _ranked(
    runs: Sequence[ComparisonEntry],
    window: int,
    threshold: float | None,
    criterion: Criterion | None,
    shared: int,
) -> tuple[str, list[str]]:
    """Return a headline about the runs themselves, and the figures behind it."""
    by_final = sorted(runs, key=_final, reverse=True)
    first, second = by_final[0], by_final[1]
    ahead = is_clearly_higher(first, second, window)
    speed, sooner, quickest = _speed(runs, threshold, criterion, shared)
    ends = f"{first.label} ends at {decimal(_final(first))}, {second.label} at {decimal(_final(second))}"
    spread = f"the spread of their last {window} episodes"
    why = [f"{ends}: the difference exceeds {spread}." if ahead else f"{ends}: within {spread}.", *speed]
    if ahead and quickest in (None, first):
        best = "better" if len(runs) == 2 else f"best of {len(runs)}"
        return f"{first.label} did {best}.", why
    if ahead:
        return f"{first.label} ends higher; {sooner}.", why
    return ("No clear difference." if quickest is None else f"Level at the end; {sooner}."), why


def _speed(
    runs: Sequence[ComparisonEntry], threshold: float | None, criterion: Criterion | None, shared: int
) -> tuple[list[str], str, ComparisonEntry | None]:
    """Return sentences about when runs reached the threshold, a clause about the clearly first one, and that run."""
    if threshold is None:
        return [], "", None
    if criterion is None:
        return (
            ["No criterion applies equally to all runs, so their speed to the threshold is not compared."],
            "",
            None,
        )
    goal = criterion.names(threshold)
    before = reached_before_fork(runs, shared)
    if before is not None:
        return [f"{_capital(goal)} was reached at step {brief_number(before)}, before the fork."], "", None
    quickest = first_to_reach(runs, threshold, criterion)
    sooner = "" if quickest is None else f"{quickest.label} was first to {goal}"
    return [_arrivals(runs, goal)], sooner, quickest


def _arrivals(runs: Sequence[ComparisonEntry], goal: str) -> str:
    reached = sorted((run for run in runs if run.metrics.steps_to_threshold is not None), key=_steps)
    if not reached:
        return f"None reached {goal}."
    if len(runs) > FEW:
        first = f"{reached[0].label} first, after {brief_number(_steps(reached[0]))} steps"
        return f"{len(reached)} of {len(runs)} reached {goal}, {first}."
    steps = [f"{run.label} after {brief_number(_steps(run))} steps" for run in reached]
    missed = [f"{run.label} did not in {brief_number(run.step)}" for run in runs if run not in reached]
    rest = f"; {join_words(missed)}" if missed else ""
    return f"{_capital(goal)} was reached by {join_words(steps)}{rest}."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _cautions(runs: Sequence[ComparisonEntry], settings: list[str], shared: int) -> list[str]:
    cautions = []
    if shared:
        cautions.append(f"Up to step {brief_number(shared)} they were one run: only later steps differ.")
    active = [run.label for run in runs if not run.ended]
    if active:
        cautions.append(f"{_some(active)} {'has' if len(active) == 1 else 'have'} not ended yet.")
    if any(path.startswith("/env_options") for path in settings):
        cautions.append("The options of their environments differ.")
    steps = [run.step for run in runs]
    if max(steps) > 1.1 * min(steps):
        cautions.append("They trained for different numbers of steps.")
    if settings == ["/seed"]:
        cautions.append("Only their seeds differ: the difference shows the effect of chance.")
    return cautions


def _seed_caution(runs: Sequence[ComparisonEntry]) -> str | None:
    """Return a caution that chance may decide, if some have a single seed."""
    single = [group[0].label for group in split_groups(runs).values() if len(group) == 1]
    if not single:
        return None
    whose = "each" if len(single) == len(runs) else f"of {_some(single)}"
    return f"One seed {whose}: other seeds may give a different result."


def _groups(runs: Sequence[ComparisonEntry]) -> list[SeedScores]:
    """Return the final returns of the settled seeds by group."""
    return [
        SeedScores(
            group[0].group_label if len(group) > 1 else group[0].label,
            np.array([_final(run) for run in settled_seeds(group)]),
        )
        for group in split_groups(runs).values()
    ]


def _some(labels: list[str]) -> str:
    """Return the names if there are few, otherwise their number."""
    return join_words(labels) if len(labels) <= FEW else f"{len(labels)} of the runs"


def _final(run: ComparisonEntry) -> float:
    final = run.metrics.final_moving_average
    best = run.metrics.best_moving_average
    return final if final is not None else best if best is not None else -math.inf


def _steps(run: ComparisonEntry) -> float:
    steps = run.metrics.steps_to_threshold
    return math.inf if steps is None else steps
