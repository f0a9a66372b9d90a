"""The verdict of an experiment, in words: only what the intervals carry, and what would make them carry more.

Pairs: how often a seed of one variant does better than a seed of another, on one environment or several.

Cautions: sentences that say what makes a comparison less fair than it looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from math import ceil, comb
from statistics import NormalDist

import numpy as np
from pydantic import Field

from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.limits import LEAST_VERDICT_SEEDS
from rlviz.stats.arrays import Floats
from rlviz.stats.experiments.across import Across, normalisation
from rlviz.stats.experiments.trials import (
    AGARWAL,
    OUR_PAGE,
    Frozen,
    Made,
    Trial,
    VariantScores,
    evaluated_alike,
    resamples_for,
    scored,
)
from rlviz.stats.number_text import NO_INTERVAL, brief, decimal, ends, listed
from rlviz.stats.returns import best_first
from rlviz.stats.seeds import AS_LONG, CONFIDENCE, probability_of_improvement, rank_test

MOST_COMPARED = 12
"""Variants that are compared in pairs, the best by interquartile mean: 66 pairs."""


class Pair(Frozen):
    """Whether ``first`` does better than ``second``. The other way round all probabilities are 1 minus these."""

    first: str = Field(description="Id of a variant, or of a method where they are compared over environments.")
    second: str
    seeds_first: int = Field(description="Scores on each environment: where there are several, the fewest.")
    seeds_second: int
    probability: float = Field(description="That a seed of the first does better than one of the second; ties half.")
    low: float | None = Field(description="Ends of its 95 % interval; null if one of the two has a single seed.")
    high: float | None
    joint_low: float | None = Field(
        description="Ends of the wider interval, likewise; those of all pairs together hold with 95 %."
    )
    joint_high: float | None
    chance: float = Field(
        description="p-value: how likely ranks at least as far apart were, in either direction, if both were the same "
        "(Mann-Whitney, exact up to 40 scores on an environment)."
    )
    made: Made

    @property
    def has_no_width(self) -> bool:
        """Whether no resample says anything else: everywhere all seeds of one did better, or all were level."""
        return self.joint_low is not None and self.joint_low == self.joint_high


class Improvements(Frozen):
    """Probability of improvement, for each pair of ``variants``."""

    variants: list[str] = Field(description="Ids, from best to worst: rows and columns of the matrix.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 12, which are not compared in pairs.")
    matrix: list[list[float | None]] = Field(description="Row against column; null on the diagonal.")
    pairs: list[Pair] = Field(description="Each pair once, the better ranked first.")


def improvements(scores: Mapping[str, Sequence[Floats]]) -> Improvements:
    """``scores``: by variant, from the best to the worst, on each environment of shape (n,) with at least one."""
    ids = list(scores)
    compared = ids[:MOST_COMPARED]
    count = max(comb(len(compared), 2), 1)
    pairs = [_pair(a, scores[a], b, scores[b], count) for a, b in combinations(compared, 2)]
    places = {variant: place for place, variant in enumerate(compared)}
    matrix: list[list[float | None]] = [[None] * len(compared) for _ in compared]
    for pair in pairs:
        matrix[places[pair.first]][places[pair.second]] = pair.probability
        matrix[places[pair.second]][places[pair.first]] = 1 - pair.probability
    return Improvements(variants=compared, left_out=ids[MOST_COMPARED:], matrix=matrix, pairs=pairs)


def _pair(first: str, ours: Sequence[Floats], second: str, theirs: Sequence[Floats], pairs: int) -> Pair:
    seeds = [(len(x), len(y)) for x, y in zip(ours, theirs, strict=True)]
    resamples = resamples_for(sum(n + m for n, m in seeds) * pairs)
    joint = 1 - (1 - CONFIDENCE) / pairs
    found = probability_of_improvement(ours, theirs, resamples=resamples)
    averaged = f" It is the mean of {len(seeds)} environments, each of which counts the same." if len(seeds) > 1 else ""
    interval, wide = found.interval, found.interval_of(joint)
    return Pair(
        first=first,
        second=second,
        seeds_first=min(n for n, _ in seeds),
        seeds_second=min(m for _, m in seeds),
        probability=found.probability,
        low=interval and interval.low,
        high=interval and interval.high,
        joint_low=wide and wide.low,
        joint_high=wide and wide.high,
        chance=rank_test(ours, theirs),
        made=Made(
            definition="Probability of improvement: of all pairs of a seed of the first and a seed of the second, the "
            f"share in which the first did better; ties count half.{averaged} The interval is the percentile interval "
            "of a bootstrap over the seeds of both.",
            n=sum(n * m for n, m in seeds),
            resamples=resamples if interval else None,
            confidence=CONFIDENCE if interval else None,
            source=AGARWAL,
        ),
    )


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


MOST_SEEDS_ADVISED = 100

POWER = 0.8
"""How often as many seeds as are advised shall tell."""


class Finding(StrEnum):
    """*better*: the best variant is better than all others. *partly*: than some. *nothing*: nothing can be said yet."""

    BETTER = "better"
    PARTLY = "partly"
    NOTHING = "nothing"


class ExperimentVerdict(Frozen):
    finding: Finding
    headline: str = Field(description="One sentence.")
    best: str | None = Field(
        description="Id of the variant, or of the method where they are compared over environments, with the highest "
        "interquartile mean, if one is better."
    )
    better_than: list[str] = Field(description="Ids of those that it is better than.")
    reasons: list[str] = Field(description="Sentences: the figures behind it, and how many seeds would tell more.")
    cautions: list[str] = Field(description="Sentences: what makes the comparison less fair than it looks.")
    made: Made


def experiment_verdict(
    variants: Sequence[VariantScores],
    found: Improvements,
    trials: Sequence[Trial],
    across: Across | None = None,
) -> ExperimentVerdict:
    """The best variant, or method where there are several environments, against all others that are compared with it,
    each with an interval so wide that those of all pairs hold together."""
    compared = variants if across is None else across.methods
    ranked = best_first((one for one in compared if one.n), lambda one: one.rank)
    labels = {one.variant: one.label for one in compared}
    made = _made(found, ranked, across)
    cautions = [*not_compared(found, labels), *(across.left_out if across else ()), *cautions_of(variants, trials)]
    why_not = _why_not(ranked, across, any(one.n for one in variants))
    if why_not is not None:
        headline = f"Nothing can be said yet: {why_not}"
        return _nothing(headline, _ends(ranked, across), cautions, made)
    ours = [pair for pair in found.pairs if pair.first == ranked[0].variant]
    better = [pair for pair in ours if _is_better(pair, len(found.pairs))]
    open_pairs = [pair for pair in ours if pair not in better]
    reasons = [
        *_ends(ranked, across),
        *_separated(better, labels),
        *_advice(better, open_pairs, labels, len(found.pairs)),
    ]
    if not better:
        return _nothing(f"Nothing can be said yet: {_undecided(ours[0], labels)}", reasons, cautions, made)
    names = listed([f"{labels[pair.second]} with probability {_probability(pair)}" for pair in better])
    over = "" if across is None else f"Over {_environments(across)}, "
    headline = f"{over}{ranked[0].label} is better than {names}"
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


def _why_not(ranked: Sequence[VariantScores], across: Across | None, has_scores: bool) -> str | None:
    """What keeps the best two from being compared at all."""
    if across is not None and has_scores and not ranked:
        return (
            "the variants were trained on different environments, whose returns are not on one scale, and on none of "
            "them all have scores that can be normalised."
        )
    if not ranked:
        return "no trial has a score."
    if len(ranked) == 1:
        return f"{ranked[0].label} alone has scores, and there is nothing to compare it with."
    short = [one for one in ranked if one.seeds < LEAST_VERDICT_SEEDS]
    if len(ranked) - len(short) < 2 or ranked[0] in short:
        counts = listed([f"{one.label} has {one.seeds}" for one in short[:6]])
        on_each = "" if across is None else " on each environment"
        return f"{LEAST_VERDICT_SEEDS} seeds of each{on_each} are needed for an interval that can be trusted; {counts}."
    return None


def _is_better(pair: Pair, pairs: int) -> bool:
    """Interval and ranks have to say so both: a bootstrap of few seeds knows too little of what else could have been,
    and nothing where all seeds of one did better."""
    enough = min(pair.seeds_first, pair.seeds_second) >= LEAST_VERDICT_SEEDS
    return enough and (pair.joint_low or 0.0) > 0.5 and pair.chance <= _most_chance(pairs)


def _most_chance(pairs: int) -> float:
    """Of one of so many pairs, for all of them together (Bonferroni)."""
    return (1 - CONFIDENCE) / pairs


def _contradicts(pair: Pair) -> bool:
    """Whether the second does better in most pairs of seeds, beyond chance, though the first has the higher score."""
    return pair.joint_high is not None and pair.joint_high < 0.5


def _probability(pair: Pair) -> str:
    """With a third digit where two would say one half of what is more."""
    if pair.joint_low is None or pair.joint_high is None:
        return f"{pair.probability:.2f} ({NO_INTERVAL})"
    digits = 3 if f"{pair.joint_low:.2f}" == "0.50" and pair.joint_low > 0.5 else 2
    return f"{pair.probability:.2f} [{pair.joint_low:.{digits}f}, {pair.joint_high:.2f}]"


def _is_tied(pair: Pair) -> bool:
    """Whether all seeds of both have one and the same score, so that every resample says one half."""
    return pair.low == pair.high == pair.probability == 0.5


def _undecided(pair: Pair, labels: dict[str, str]) -> str:
    if _is_tied(pair):
        return (
            f"every seed of {labels[pair.first]} and of {labels[pair.second]} has the same score, which cannot tell "
            "them apart."
        )
    if _contradicts(pair):
        return (
            f"{labels[pair.first]} has the higher interquartile mean, but a seed of it does better than a seed of "
            f"{labels[pair.second]} only with probability {_probability(pair)}."
        )
    return (
        f"a seed of {labels[pair.first]} does better than a seed of {labels[pair.second]} with probability "
        f"{_probability(pair)}, which may be chance."
    )


def _environments(across: Across) -> str:
    """Three of them are named, of more only how many they are."""
    names = [one.environment for one in across.environments]
    return listed(names) if len(names) <= 3 else f"{len(names)} environments"


def _ends(ranked: Sequence[VariantScores], across: Across | None) -> list[str]:
    """The scores themselves, of the best six."""
    if not ranked:
        return []
    scores = "; ".join(
        f"{one.label} {decimal(one.iqm or 0.0)}"
        + (f" {ends(one.low, one.high)}, {_seeds(one, across)}" if one.low is not None else f" ({NO_INTERVAL})")
        for one in ranked[:6]
    )
    if across is None:
        return [f"Score as interquartile mean over seeds [95 % interval]: {scores}."]
    return [f"Normalised score as interquartile mean over environments and seeds [95 % interval]: {scores}."]


def _seeds(one: VariantScores, across: Across | None) -> str:
    """How many it has, on each environment."""
    if across is None:
        return f"{one.n} seeds"
    exactly = one.seeds * len(across.environments) == one.n
    return f"{one.seeds} seeds{'' if exactly else ' or more'} on each"


def _separated(better: Sequence[Pair], labels: dict[str, str]) -> list[str]:
    """An interval without a width is no certainty."""
    return [
        f"{'Every' if pair.probability == 1 else 'Where they are not level, every'} seed of {labels[pair.first]} did "
        f"better than every seed of {labels[pair.second]}, so the bootstrap knows nothing else and its interval has no "
        f"width; by chance that happens in {_share(pair.chance)} of cases."
        for pair in better
        if pair.has_no_width
    ]


def _share(chance: float) -> str:
    return f"{100 * chance:.2g} %" if chance >= 1e-4 else "less than 0.01 %"


def _advice(better: Sequence[Pair], undecided: Sequence[Pair], labels: dict[str, str], pairs: int) -> list[str]:
    """How many more seeds would tell more. An interval's width falls with the square root of their number."""
    sentences = []
    wide = [pair for pair in better if not pair.has_no_width]
    if wide:
        more = 3 * max(wide[0].seeds_first, wide[0].seeds_second)
        sentences.append(
            f"About {more} more seeds of {labels[wide[0].first]} and of {labels[wide[0].second]} would halve the "
            "interval between them."
        )
    sentences += [_more_for(pair, labels, pairs) for pair in undecided[:3]]
    return sentences


def _more_for(pair: Pair, labels: dict[str, str], pairs: int) -> str:
    between = f"between {labels[pair.first]} and {labels[pair.second]}"
    fewest = min(pair.seeds_first, pair.seeds_second)
    if fewest < LEAST_VERDICT_SEEDS:
        return f"To say anything {between}, {LEAST_VERDICT_SEEDS} seeds of each are needed; there are {fewest} of one."
    if _is_tied(pair):
        return (
            f"More seeds tell nothing {between} as long as all have the same score: look at the steps to a threshold, "
            "or score the policy at the end of training."
        )
    if (pair.joint_low or 0.0) > 0.5:
        return (
            f"Between {labels[pair.first]} and {labels[pair.second]} ranks come out as far apart by chance in "
            f"{_share(pair.chance)} of cases, which among {pairs} {'pair' if pairs == 1 else 'pairs'} is too often "
            f"({_share(_most_chance(pairs))} at most): train more seeds."
        )
    if _contradicts(pair):
        return (
            f"{between[0].upper()}{between[1:]} the two figures contradict each other: look at the seeds and the "
            "profiles, and say which counts."
        )
    if pair.probability < 0.5:
        return (
            f"{labels[pair.first]} has the higher interquartile mean, {labels[pair.second]} more often the better seed "
            f"({_probability(pair)}): more seeds may turn either."
        )
    if pair.probability == 0.5:
        return f"No number of seeds will show a difference {between} if the probability stays at {_probability(pair)}."
    more = _seeds_needed(pair, pairs) - max(pair.seeds_first, pair.seeds_second)
    if more > MOST_SEEDS_ADVISED:
        return f"More than {MOST_SEEDS_ADVISED} more seeds of each would be needed to tell {between}."
    needed = "one more seed" if more <= 1 else f"about {more} more seeds"
    return (
        f"If the probability {between} stays at {_probability(pair)}, {needed} of each would show in four of five "
        "cases that it is no chance."
    )


def _seeds_needed(pair: Pair, pairs: int) -> int:
    """Seeds of each with which the interval of all pairs together lies above one half with a power of 80 %, if the
    probability is what it was found to be. The standard error, which the interval says, falls with their square root.
    """
    normal = NormalDist()
    quantile = normal.inv_cdf(1 - _most_chance(pairs) / 2)
    error = (pair.probability - (pair.joint_low or 0.0)) / quantile
    needed = (pair.probability - 0.5) / (quantile + normal.inv_cdf(POWER))
    return ceil(max(pair.seeds_first, pair.seeds_second) * (error / needed) ** 2)


def _made(found: Improvements, ranked: Sequence[VariantScores], across: Across | None) -> Made:
    pairs = max(len(found.pairs), 1)
    each = 1 - _most_chance(pairs)
    together = (
        f" With {pairs} pairs each interval is made for {100 * each:.4g} %, so that all together hold with 95 %."
        if pairs > 1
        else ""
    )
    what, on_each = ("variant", "") if across is None else ("method", " on each environment")
    averaged = "" if across is None else ", averaged over the environments,"
    normalised = "" if across is None else f" {normalisation(across.environments)}"
    return Made(
        definition=f"One {what} is called better than another if, with {LEAST_VERDICT_SEEDS} seeds of each{on_each} at "
        f"least, the interval of the probability that one of its seeds does better{averaged} lies above one half, and "
        f"ranks as far apart come by chance in at most {_share(_most_chance(pairs))} of cases (Mann-Whitney)."
        f"{together}{normalised}",
        n=sum(one.n for one in ranked),
        resamples=found.pairs[0].made.resamples if found.pairs else None,
        confidence=each if found.pairs else None,
        source=OUR_PAGE,
    )
