"""Cautions: sentences that say what makes a comparison less fair than it looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rlviz.analysis.experiments.pairs import Improvements
from rlviz.analysis.experiments.scores import VariantScores
from rlviz.analysis.experiments.trials import Trial, evaluated_alike, scored
from rlviz.analysis.numbers import brief, listed
from rlviz.analysis.statistics.banded_curve import AS_LONG
from rlviz.domain.evaluation import PolicyChoice

MOST_NAMED = 6


def not_compared(found: Improvements, labels: Mapping[str, str]) -> list[str]:
    if not found.left_out:
        return []
    names = _some([labels[variant] for variant in found.left_out])
    return [
        f"Only the {len(found.variants)} best by interquartile mean are compared in pairs; {names} "
        f"{_are(len(found.left_out))} not."
    ]


def cautions_of(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    sentences = [
        f"{one.failed} of {one.trials} trials of {one.label} ended without a score and {_are(one.failed)} left out; if "
        "the variant made them fail, its scores look better than it is."
        for one in variants
        if one.failed
    ]
    skipped = sum(one.skipped for one in trials)
    if skipped:
        sentences.append(
            f"{skipped} of {len(trials)} trials {_were(skipped)} left out, because the experiment ended before they "
            "did."
        )
    pruned = sum(one.pruned for one in trials)
    if pruned:
        sentences.append(
            f"{pruned} of {len(trials)} trials {_were(pruned)} pruned by the search and {_have(pruned)} no score."
        )
    waiting = sum(not one.ended for one in trials)
    if waiting:
        sentences.append(f"{waiting} of {len(trials)} trials {_have(waiting)} not ended: what is said here may change.")
    return [
        *sentences,
        *_without_this_score(variants, trials),
        *_deleted(variants, trials),
        *_policies(variants),
        *_arrivals(variants, trials),
        *_budgets(variants, trials),
    ]


def _without_this_score(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    """Which have a score of their own, but not the one that is asked for."""
    counts = {one.variant: 0 for one in variants}
    for trial in trials:
        counts[trial.variant] += trial.has_own_score and trial.score is None and not trial.deleted
    return [
        f"{counts[one.variant]} of {one.trials} trials of {one.label} {_have(counts[one.variant])} no score of this "
        f"kind and {_are(counts[one.variant])} left out: no policy was kept as the best, or no episode has ended."
        for one in variants
        if counts[one.variant]
    ]


def _deleted(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    sentences = []
    for one in variants:
        gone = [trial for trial in trials if trial.variant == one.variant and trial.deleted]
        scores_stay = all(trial.score is not None for trial in gone)
        if gone and len(gone) == one.trials:
            left = "only its scores are left" if scores_stay else "none of its figures is left"
            sentences.append(f"All runs of {one.label} were deleted since: {left}.")
        elif gone:
            figures = "curve, cost and steps" if scores_stay else "figures"
            sentences.append(
                f"{len(gone)} of {one.trials} runs of {one.label} {_were(len(gone))} deleted since: its {figures} are "
                "of the rest."
            )
    return sentences


def _budgets(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    """Whether some were trained for longer than others on the same environment."""
    sentences = []
    environments = dict.fromkeys(one.environment for one in variants)
    for environment in environments:
        known = {one.label: _budget(trials, one.variant) for one in variants if one.environment == environment}
        budgets = {label: steps for label, steps in known.items() if steps is not None}
        if budgets and min(budgets.values()) < AS_LONG * max(budgets.values()):
            least, most = min(budgets, key=budgets.__getitem__), max(budgets, key=budgets.__getitem__)
            where = f" on {environment}" if len(environments) > 1 else ""
            sentences.append(
                f"They were not trained for as long{where}: {least} for {brief(budgets[least])} steps, {most} for "
                f"{brief(budgets[most])}."
            )
    return sentences


def _policies(variants: Sequence[VariantScores]) -> list[str]:
    """Whether the best policy plays for some, and the last one for others."""
    best = [one.label for one in variants if PolicyChoice.BEST in one.policies]
    last = [one.label for one in variants if PolicyChoice.LATEST in one.policies]
    if not best or not last:
        return []
    return [
        f"Scores of {_some(best)} are of the best policy that a run kept, those of {_some(last)} of the last one, "
        "since no evaluations chose a best: only the first are safe from a relapse at the end."
    ]


def _arrivals(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    """Whether the variants of an environment were evaluated unlike while they trained."""
    evaluated: list[str] = []
    for environment in dict.fromkeys(one.environment for one in variants if one.threshold is not None):
        here = {one.label: scored(trials, one.variant) for one in variants if one.environment == environment}
        if not evaluated_alike([one.evaluated_every for ours in here.values() for one in ours]):
            evaluated += [label for label, ours in here.items() if any(one.evaluated_every for one in ours)]
    if not evaluated:
        return []
    return [
        f"{_some(evaluated)} {_were(len(evaluated))} evaluated along the way, the others not or not as often. "
        "Steps to the threshold leave these evaluations out, so that they tell alike of all."
    ]


def _some(labels: Sequence[str]) -> str:
    """The first of them."""
    return listed([*labels[:MOST_NAMED], *([f"{len(labels) - MOST_NAMED} more"] if len(labels) > MOST_NAMED else [])])


def _budget(trials: Sequence[Trial], variant: str) -> float | None:
    """For how many steps those that have a score were trained, the median; None if there are none, or all of their runs
    were deleted since."""
    counted = [one.steps for one in scored(trials, variant) if one.steps]
    return float(np.median(counted)) if counted else None


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
