"""The verdict of an experiment, in words: only what the intervals carry, and what would make them carry more."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import ceil
from statistics import NormalDist

import numpy as np
from pydantic import Field

from rlviz.analysis.experiments.made import OUR_PAGE, Frozen, Made
from rlviz.analysis.experiments.pairs import Improvements, Pair
from rlviz.analysis.experiments.scores import VariantScores
from rlviz.analysis.experiments.trials import Trial
from rlviz.analysis.numbers import NO_INTERVAL, brief, decimal, ends, listed
from rlviz.analysis.statistics.bootstrap import CONFIDENCE
from rlviz.domain.evaluation import PolicyChoice

LEAST_SEEDS = 5
"""Of each, before one is called better: with fewer, intervals hold too seldom (docs/experiments.md)."""

MOST_SEEDS_ADVISED = 100

POWER = 0.8
"""How often as many seeds as are advised shall tell."""

MOST_NAMED = 6
SAME_BUDGET = 0.98
"""Variants whose median steps differ by less than this share were trained for as long."""


class Finding(StrEnum):
    """*better*: the best variant is better than all others. *partly*: than some. *nothing*: nothing can be said yet."""

    BETTER = "better"
    PARTLY = "partly"
    NOTHING = "nothing"


class ExperimentVerdict(Frozen):
    finding: Finding
    headline: str = Field(description="One sentence.")
    best: str | None = Field(description="Id of the variant with the highest interquartile mean, if one is better.")
    better_than: list[str] = Field(description="Ids of the variants that it is better than.")
    reasons: list[str] = Field(description="Sentences: the figures behind it, and how many seeds would tell more.")
    cautions: list[str] = Field(description="Sentences: what makes the comparison less fair than it looks.")
    made: Made


def experiment_verdict(
    variants: Sequence[VariantScores], found: Improvements, trials: Sequence[Trial]
) -> ExperimentVerdict:
    """The best variant against all others that are compared with it, each with an interval so wide that those of all
    pairs hold together."""
    ranked = sorted((one for one in variants if one.n), key=lambda one: one.rank or 0)
    labels = {one.variant: one.label for one in variants}
    made = _made(found, ranked)
    cautions = [*_not_compared(found, labels), *_cautions(variants, trials)]
    why_not = _why_not(ranked)
    if why_not is not None:
        headline = f"Nothing can be said yet: {why_not}"
        return _nothing(headline, _ends(ranked), cautions, made)
    ours = [pair for pair in found.pairs if pair.first == ranked[0].variant]
    better = [pair for pair in ours if _is_better(pair, len(found.pairs))]
    open_pairs = [pair for pair in ours if pair not in better]
    reasons = [*_ends(ranked), *_separated(better, labels), *_advice(better, open_pairs, variants, len(found.pairs))]
    if not better:
        return _nothing(f"Nothing can be said yet: {_undecided(ours[0], labels)}", reasons, cautions, made)
    names = listed([f"{labels[pair.second]} with probability {_told(pair)}" for pair in better])
    headline = f"{ranked[0].label} is better than {names}"
    if open_pairs:
        headline += f"; against {listed([labels[pair.second] for pair in open_pairs])} nothing can be said yet"
    return ExperimentVerdict(
        finding=Finding.PARTLY if open_pairs or found.left_out else Finding.BETTER,
        headline=f"{headline}.",
        best=ranked[0].variant,
        better_than=[pair.second for pair in better],
        reasons=reasons,
        cautions=cautions,
        made=made,
    )


def _nothing(headline: str, reasons: list[str], cautions: list[str], made: Made) -> ExperimentVerdict:
    return ExperimentVerdict(
        finding=Finding.NOTHING,
        headline=headline,
        best=None,
        better_than=[],
        reasons=reasons,
        cautions=cautions,
        made=made,
    )


def _why_not(ranked: Sequence[VariantScores]) -> str | None:
    """What keeps the best two from being compared at all."""
    if not ranked:
        return "no trial has a score."
    if len(ranked) == 1:
        return f"{ranked[0].label} alone has scores, and there is nothing to compare it with."
    if len({one.environment for one in ranked}) > 1:
        return "the variants were trained on different environments, whose returns are not on one scale."
    short = [one for one in ranked if one.n < LEAST_SEEDS]
    if len(ranked) - len(short) < 2 or ranked[0] in short:
        told = listed([f"{one.label} has {one.n}" for one in short[:6]])
        return f"{LEAST_SEEDS} seeds of each are needed for an interval that can be trusted; {told}."
    return None


def _is_better(pair: Pair, pairs: int) -> bool:
    """Where all seeds of one did better, no resample says otherwise; then ranks by chance must be unlikely too."""
    if min(pair.seeds_first, pair.seeds_second) < LEAST_SEEDS:
        return False
    return (pair.joint_low or 0.0) > 0.5 and (pair.probability < 1 or pair.chance <= (1 - CONFIDENCE) / pairs)


def _told(pair: Pair) -> str:
    """With a third digit where two would say one half of what is more."""
    if pair.joint_low is None or pair.joint_high is None:
        return f"{pair.probability:.2f} ({NO_INTERVAL})"
    digits = 3 if f"{pair.joint_low:.2f}" == "0.50" and pair.joint_low > 0.5 else 2
    return f"{pair.probability:.2f} [{pair.joint_low:.{digits}f}, {pair.joint_high:.2f}]"


def _undecided(pair: Pair, labels: dict[str, str]) -> str:
    return (
        f"a seed of {labels[pair.first]} does better than a seed of {labels[pair.second]} with probability "
        f"{_told(pair)}, which may be chance."
    )


def _ends(ranked: Sequence[VariantScores]) -> list[str]:
    """The scores themselves, of the best six."""
    if not ranked:
        return []
    told = "; ".join(
        f"{one.label} {decimal(one.iqm or 0.0)}"
        + (f" {ends(one.low, one.high)}, {one.n} seeds" if one.low is not None else f" ({NO_INTERVAL})")
        for one in ranked[:6]
    )
    return [f"Score as interquartile mean over seeds [95 % interval]: {told}."]


def _separated(better: Sequence[Pair], labels: dict[str, str]) -> list[str]:
    """An interval without a width is no certainty."""
    return [
        f"Every seed of {labels[pair.first]} did better than every seed of {labels[pair.second]}, so the bootstrap "
        f"knows nothing else and its interval has no width; by chance that happens in {_share(pair.chance)} of cases."
        for pair in better
        if pair.probability == 1
    ]


def _share(chance: float) -> str:
    return f"{100 * chance:.2g} %" if chance >= 1e-4 else "less than 0.01 %"


def _advice(
    better: Sequence[Pair], undecided: Sequence[Pair], variants: Sequence[VariantScores], pairs: int
) -> list[str]:
    """How many more seeds would tell more. An interval's width falls with the square root of their number."""
    labels = {one.variant: one.label for one in variants}
    told = []
    wide = [pair for pair in better if pair.joint_high != pair.joint_low]
    if wide:
        more = 3 * max(wide[0].seeds_first, wide[0].seeds_second)
        told.append(
            f"About {more} more seeds of {labels[wide[0].first]} and of {labels[wide[0].second]} would halve the "
            "interval between them."
        )
    told += [_more_for(pair, labels, pairs) for pair in undecided[:3]]
    return told


def _more_for(pair: Pair, labels: dict[str, str], pairs: int) -> str:
    between = f"between {labels[pair.first]} and {labels[pair.second]}"
    fewest = min(pair.seeds_first, pair.seeds_second)
    if fewest < LEAST_SEEDS:
        return f"To say anything {between}, {LEAST_SEEDS} seeds of each are needed; there are {fewest} of one."
    if pair.probability == 1:
        return f"All seeds came out one way {between}, but among {pairs} pairs that may be chance: train more seeds."
    if pair.probability <= 0.5:
        return f"No number of seeds will show a difference {between} if the probability stays at {_told(pair)}."
    more = _seeds_to_tell(pair, pairs) - max(pair.seeds_first, pair.seeds_second)
    if more > MOST_SEEDS_ADVISED:
        return f"More than {MOST_SEEDS_ADVISED} more seeds of each would be needed to tell {between}."
    needed = "one more seed" if more <= 1 else f"about {more} more seeds"
    return (
        f"If the probability {between} stays at {_told(pair)}, {needed} of each would show in four of five cases that "
        "it is no chance."
    )


def _seeds_to_tell(pair: Pair, pairs: int) -> int:
    """Seeds of each with which the interval of all pairs together lies above one half with a power of 80 %, if the
    probability is what it was found to be. The standard error, which the interval says, falls with their square root.
    """
    normal = NormalDist()
    quantile = normal.inv_cdf(1 - (1 - CONFIDENCE) / pairs / 2)
    error = (pair.probability - (pair.joint_low or 0.0)) / quantile
    needed = (pair.probability - 0.5) / (quantile + normal.inv_cdf(POWER))
    return ceil(max(pair.seeds_first, pair.seeds_second) * (error / needed) ** 2)


def _not_compared(found: Improvements, labels: dict[str, str]) -> list[str]:
    if not found.left_out:
        return []
    names = _some([labels[variant] for variant in found.left_out])
    return [
        f"Only the {len(found.variants)} best by interquartile mean are compared in pairs; {names} "
        f"{_are(len(found.left_out))} not."
    ]


def _cautions(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    told = [
        f"{one.failed} of {one.trials} trials of {one.label} ended without a score and {_are(one.failed)} left out; if "
        "the variant made them fail, its scores look better than it is."
        for one in variants
        if one.failed
    ]
    skipped = sum(one.skipped for one in trials)
    if skipped:
        told.append(
            f"{skipped} of {len(trials)} trials {_were(skipped)} left out, because the experiment ended before they "
            "did."
        )
    waiting = sum(not one.ended for one in trials)
    if waiting:
        told.append(f"{waiting} of {len(trials)} trials {_have(waiting)} not ended: what is said here may change.")
    told += _policies(variants)
    budgets = {one.label: _budget(trials, one.variant) for one in variants if one.n}
    if budgets and min(budgets.values()) < SAME_BUDGET * max(budgets.values()):
        least, most = min(budgets, key=budgets.__getitem__), max(budgets, key=budgets.__getitem__)
        told.append(
            f"They were not trained for as long: {least} for {brief(budgets[least])} steps, {most} for "
            f"{brief(budgets[most])}."
        )
    return told


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


def _some(labels: Sequence[str]) -> str:
    """The first of them."""
    return listed([*labels[:MOST_NAMED], *([f"{len(labels) - MOST_NAMED} more"] if len(labels) > MOST_NAMED else [])])


def _budget(trials: Sequence[Trial], variant: str) -> float:
    """For how many steps those that have ended were trained, the median."""
    counted = [one.steps for one in trials if one.variant == variant and one.ended and not one.skipped]
    return float(np.median(counted))


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _made(found: Improvements, ranked: Sequence[VariantScores]) -> Made:
    pairs = max(len(found.pairs), 1)
    each = 1 - (1 - CONFIDENCE) / pairs
    together = (
        f" With {pairs} pairs each interval is made for {100 * each:.4g} %, so that all together hold with 95 %."
        if pairs > 1
        else ""
    )
    return Made(
        definition="One variant is called better than another if, with 5 seeds of each at least, the interval of the "
        f"probability that one of its seeds does better lies above one half.{together}",
        n=sum(one.n for one in ranked),
        resamples=found.pairs[0].made.resamples if found.pairs else None,
        confidence=each if found.pairs else None,
        source=OUR_PAGE,
    )
