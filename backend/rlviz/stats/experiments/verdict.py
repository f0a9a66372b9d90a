"""The verdict of an experiment in words: what the intervals support, and what would support more.

Also here: comparisons of variants in pairs, and cautions, sentences on what makes a comparison less fair than it
looks.
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
from rlviz.domain.lazy_model import Frozen
from rlviz.domain.limits import LEAST_VERDICT_SEEDS
from rlviz.stats.arrays import Floats
from rlviz.stats.experiments.across import Across, describe_normalisation
from rlviz.stats.experiments.trials import (
    AGARWAL,
    OUR_PAGE,
    Made,
    Trial,
    VariantScores,
    evaluated_alike,
    resamples_for,
    scored_trials,
)
from rlviz.stats.number_text import NO_INTERVAL, brief_number, decimal, interval_text, join_words
from rlviz.stats.returns import best_first
from rlviz.stats.seeds import AS_LONG, CONFIDENCE, probability_of_improvement, rank_test

MOST_COMPARED = 12
"""Maximum number of variants compared in pairs, best by interquartile mean: 66 pairs."""


class Pair(Frozen):
    """Whether ``first`` does better than ``second``. In the opposite direction, probabilities are 1 minus these."""

    first: str = Field(description="Id of a variant, or of a method if several environments are compared.")
    second: str
    seeds_first: int = Field(description="Scores per environment; if they differ, the fewest.")
    seeds_second: int
    probability: float = Field(
        description="Probability that a seed of the first beats one of the second; ties count half."
    )
    low: float | None = Field(description="Lower end of its 95 % interval; null if either has a single seed.")
    high: float | None
    joint_low: float | None = Field(
        description="Lower end of the wider interval that holds for all pairs together with 95 %."
    )
    joint_high: float | None
    chance: float = Field(
        description="p-value: how likely ranks at least this far apart are, in either direction, if both are equal "
        "(Mann-Whitney, exact up to 40 scores on an environment)."
    )
    made: Made

    @property
    def has_no_width(self) -> bool:
        """Whether all resamples agree: one side won everywhere, or all seeds are equal."""
        return self.joint_low is not None and self.joint_low == self.joint_high


class Improvements(Frozen):
    """Probability of improvement for each pair of ``variants``."""

    variants: list[str] = Field(description="Ids, from best to worst: rows and columns of the matrix.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 12, not compared in pairs.")
    matrix: list[list[float | None]] = Field(description="Row against column; null on the diagonal.")
    pairs: list[Pair] = Field(description="Each pair once, the better ranked first.")


def compare_pairs(scores: Mapping[str, Sequence[Floats]]) -> Improvements:
    """Compare all pairs. ``scores``: by variant, best first; one array of shape (n,) ≥ 1 per environment."""
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
MOST_IN_HEADLINE = 3
"""The pairs of all variants have a table of their own."""


def not_compared(found: Improvements, labels: Mapping[str, str]) -> list[str]:
    if not found.left_out:
        return []
    names = _some([labels[variant] for variant in found.left_out])
    return [
        f"Only the {len(found.variants)} best by interquartile mean are compared in pairs; {names} "
        f"{_are(len(found.left_out))} not."
    ]


def list_cautions(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
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
        sentences.append(f"{waiting} of {len(trials)} trials {_have(waiting)} not ended, so these results may change.")
    return [
        *sentences,
        *_without_this_score(variants, trials),
        *_deleted(variants, trials),
        *_policies(variants),
        *_arrivals(variants, trials),
        *_budgets(variants, trials),
    ]


def _without_this_score(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    """Return cautions about variants with trials that have another score, but not the requested kind."""
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
    """Return cautions if variants trained for different numbers of steps on the same environment."""
    sentences = []
    environments = dict.fromkeys(one.environment for one in variants)
    for environment in environments:
        known = {one.label: _budget(trials, one.variant) for one in variants if one.environment == environment}
        budgets = {label: steps for label, steps in known.items() if steps is not None}
        if budgets and min(budgets.values()) < AS_LONG * max(budgets.values()):
            least, most = min(budgets, key=budgets.__getitem__), max(budgets, key=budgets.__getitem__)
            where = f" on {environment}" if len(environments) > 1 else ""
            sentences.append(
                f"They were trained for different numbers of steps{where}: {least} for {brief_number(budgets[least])}, "
                f"{most} for {brief_number(budgets[most])}."
            )
    return sentences


def _policies(variants: Sequence[VariantScores]) -> list[str]:
    """Return a caution if some scores are of best policies and others of last ones."""
    best = [one.label for one in variants if PolicyChoice.BEST in one.policies]
    last = [one.label for one in variants if PolicyChoice.LATEST in one.policies]
    if not best or not last:
        return []
    return [
        f"Scores of {_some(best)} are of the best policy that a run kept. Scores of {_some(last)} are of the last "
        "policy, since no evaluations chose a best one, and suffer if the policy becomes worse at the end."
    ]


def _arrivals(variants: Sequence[VariantScores], trials: Sequence[Trial]) -> list[str]:
    """Return a caution if variants of an environment were evaluated at different intervals in training."""
    evaluated: list[str] = []
    for environment in dict.fromkeys(one.environment for one in variants if one.threshold is not None):
        here = {one.label: scored_trials(trials, one.variant) for one in variants if one.environment == environment}
        if not evaluated_alike([one.evaluated_every for ours in here.values() for one in ours]):
            evaluated += [label for label, ours in here.items() if any(one.evaluated_every for one in ours)]
    if not evaluated:
        return []
    return [
        f"{_some(evaluated)} {_were(len(evaluated))} evaluated during training, the others not, or less often. "
        "Steps to the threshold ignore these evaluations, so that all are treated equally."
    ]


def _some(labels: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return the first of them in words."""
    return join_words([*labels[:most], *([f"{len(labels) - most} more"] if len(labels) > most else [])])


def _budget(trials: Sequence[Trial], variant: str) -> float | None:
    """Return the median training steps of trials with a score; None without any, or if all their runs were deleted."""
    counted = [one.steps for one in scored_trials(trials, variant) if one.steps]
    return float(np.median(counted)) if counted else None


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


MOST_SEEDS_ADVISED = 100

POWER = 0.8
"""Power with which the advised number of seeds should detect the difference."""


class Finding(StrEnum):
    """Result of a comparison. *better*: the best variant beats all others. *partly*: it beats some. *nothing*: no
    conclusion yet."""

    BETTER = "better"
    PARTLY = "partly"
    NOTHING = "nothing"


class ExperimentVerdict(Frozen):
    finding: Finding
    headline: str = Field(description="One sentence.")
    best: str | None = Field(
        description="Id of the variant (or method, for several environments) with the highest "
        "interquartile mean, if one is better."
    )
    better_than: list[str] = Field(description="Ids of the variants that it beats.")
    reasons: list[str] = Field(description="Sentences: the figures behind it, and how many seeds would help.")
    cautions: list[str] = Field(description="Sentences: what makes the comparison less fair than it looks.")
    made: Made


def experiment_verdict(
    variants: Sequence[VariantScores],
    found: Improvements,
    trials: Sequence[Trial],
    across: Across | None = None,
    *,
    tests_hint: bool = False,
) -> ExperimentVerdict:
    """Compare the best variant (or method, for several environments) with all others, using intervals wide enough to
    hold for all pairs together.

    ``tests_hint``: the effect of a change, with the same seeds, is reported too; the verdict explains how both fit
    together.
    """
    compared = variants if across is None else across.methods
    ranked = best_first((one for one in compared if one.n), lambda one: one.rank)
    labels = {one.variant: one.label for one in compared}
    made = _made(found, ranked, across)
    cautions = [*not_compared(found, labels), *(across.left_out if across else ()), *list_cautions(variants, trials)]
    paired = [PAIRED] if tests_hint and len(ranked) > 1 else []
    why_not = _why_not(ranked, across, any(one.n for one in variants), tests_hint=tests_hint)
    if why_not is not None:
        return _nothing(why_not, [*_ends(ranked, across), *paired], cautions, made)
    ours = [pair for pair in found.pairs if pair.first == ranked[0].variant]
    better = [pair for pair in ours if _is_better(pair, len(found.pairs))]
    open_pairs = [pair for pair in ours if pair not in better]
    reasons = [
        *_ends(ranked, across),
        *_separated(better, labels),
        *_advice(better, open_pairs, labels, len(found.pairs)),
    ]
    if not better:
        undecided = f"No verdict yet: {_undecided(ours[0], labels)}"
        return _nothing(undecided, [*reasons, *paired], cautions, made)
    names = _some([f"{labels[pair.second]} with probability {_probability(pair)}" for pair in better], MOST_IN_HEADLINE)
    over = "" if across is None else f"Over {_environments(across)}, "
    headline = f"{over}{ranked[0].label} is better than {names}"
    if open_pairs:
        headline += f"; no verdict yet against {_some([labels[pair.second] for pair in open_pairs], MOST_IN_HEADLINE)}"
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


PAIRED = (
    "The test of the hint compares each seed only with itself, so its effect can be clear before this comparison of "
    "all seeds is."
)


def _why_not(
    ranked: Sequence[VariantScores], across: Across | None, has_scores: bool, *, tests_hint: bool
) -> str | None:
    """Return the headline that says why the best two cannot be compared at all; None if they can."""
    if across is not None and has_scores and not ranked:
        return (
            "No verdict yet: the variants were trained on different environments, whose returns are not on one scale, "
            "and there is no environment on which all have scores that can be normalised."
        )
    if not ranked:
        return "No verdict yet: no trial has a score."
    if len(ranked) == 1:
        return f"No verdict yet: only {ranked[0].label} has scores."
    short = [one for one in ranked if one.seeds < LEAST_VERDICT_SEEDS]
    if len(ranked) - len(short) < 2 or ranked[0] in short:
        counts = join_words([f"{one.label} has {one.seeds}" for one in short[:6]])
        on_each = "" if across is None else " on each environment"
        need = f"a reliable interval needs {LEAST_VERDICT_SEEDS} seeds of each{on_each}"
        if tests_hint:  # its effect is reported beside it
            return f"Only first signs so far: {need}; {counts}."
        return f"Not enough seeds to compare: {need}; {counts}."
    return None


def _is_better(pair: Pair, pairs: int) -> bool:
    """Whether the first is better: both interval and rank test must agree, because a bootstrap of few seeds
    underestimates uncertainty, and has none if all seeds of one did better."""
    enough = min(pair.seeds_first, pair.seeds_second) >= LEAST_VERDICT_SEEDS
    return enough and (pair.joint_low or 0.0) > 0.5 and pair.chance <= _most_chance(pairs)


def _most_chance(pairs: int) -> float:
    """Return the maximum p-value of one pair for this many pairs (Bonferroni)."""
    return (1 - CONFIDENCE) / pairs


def _contradicts(pair: Pair) -> bool:
    """Whether the second wins most pairs of seeds, beyond chance, although the first has the higher score."""
    return pair.joint_high is not None and pair.joint_high < 0.5


def _probability(pair: Pair) -> str:
    """Return the probability with its interval; with three digits if two would round to one half."""
    if pair.joint_low is None or pair.joint_high is None:
        return f"{pair.probability:.2f} ({NO_INTERVAL})"
    digits = 3 if f"{pair.joint_low:.2f}" == "0.50" and pair.joint_low > 0.5 else 2
    return f"{pair.probability:.2f} [{pair.joint_low:.{digits}f}, {pair.joint_high:.2f}]"


def _is_tied(pair: Pair) -> bool:
    """Whether all seeds of both have the same score, so that every resample gives one half."""
    return pair.low == pair.high == pair.probability == 0.5


def _undecided(pair: Pair, labels: dict[str, str]) -> str:
    if _is_tied(pair):
        return (
            f"every seed of {labels[pair.first]} and of {labels[pair.second]} has the same score, which cannot tell "
            "them apart."
        )
    if _contradicts(pair):
        return (
            f"{labels[pair.first]} has the higher interquartile mean, but one of its seeds does better than a seed of "
            f"{labels[pair.second]} only with probability {_probability(pair)}."
        )
    return (
        f"a seed of {labels[pair.first]} does better than a seed of {labels[pair.second]} with probability "
        f"{_probability(pair)}, which may be chance."
    )


def _environments(across: Across) -> str:
    """Return up to three environments by name, otherwise their number."""
    names = [one.environment for one in across.environments]
    return join_words(names) if len(names) <= 3 else f"{len(names)} environments"


def _ends(ranked: Sequence[VariantScores], across: Across | None) -> list[str]:
    """Return the scores of the best six."""
    if not ranked:
        return []
    scores = "; ".join(
        f"{one.label} {decimal(one.iqm or 0.0)}"
        + (
            f" {interval_text(one.low, one.high)}, {_seeds(one, across)}"
            if one.low is not None
            else f" ({NO_INTERVAL})"
        )
        for one in ranked[:6]
    )
    if across is None:
        return [f"Score as interquartile mean over seeds [95 % interval]: {scores}."]
    return [f"Normalised score as interquartile mean over environments and seeds [95 % interval]: {scores}."]


def _seeds(one: VariantScores, across: Across | None) -> str:
    """Return its number of seeds, per environment."""
    if across is None:
        return f"{one.n} seeds"
    exactly = one.seeds * len(across.environments) == one.n
    return f"{one.seeds} seeds{'' if exactly else ' or more'} on each"


def _separated(better: Sequence[Pair], labels: dict[str, str]) -> list[str]:
    """Return a note about intervals of width 0, which do not mean certainty."""
    alike: dict[tuple[bool, str], list[Pair]] = {}
    for pair in better:
        if pair.has_no_width:
            alike.setdefault((pair.probability == 1, _share(pair.chance)), []).append(pair)
    return [
        f"{'Every' if always else 'Where they are not level, every'} seed of {labels[pairs[0].first]} did "
        f"better than every seed of {_some([labels[pair.second] for pair in pairs], MOST_IN_HEADLINE)}, so all "
        f"resamples agree and the interval has no width. By chance this happens in {share} of cases."
        for (always, share), pairs in alike.items()
    ]


def _share(chance: float) -> str:
    return f"{100 * chance:.2g} %" if chance >= 1e-4 else "less than 0.01 %"


def _advice(better: Sequence[Pair], undecided: Sequence[Pair], labels: dict[str, str], pairs: int) -> list[str]:
    """Return how many more seeds would help. An interval's width falls with the square root of their number."""
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
        return f"A statement {between} needs {LEAST_VERDICT_SEEDS} seeds of each; one has {fewest}."
    if _is_tied(pair):
        return (
            f"More seeds do not help {between} as long as all have the same score. Compare the steps to a threshold, "
            "or score the policy at the end of training."
        )
    if (pair.joint_low or 0.0) > 0.5:
        return (
            f"Between {labels[pair.first]} and {labels[pair.second]}, ranks this far apart occur by chance in "
            f"{_share(pair.chance)} of cases. Among {pairs} {'pair' if pairs == 1 else 'pairs'}, at most "
            f"{_share(_most_chance(pairs))} is allowed: train more seeds."
        )
    if _contradicts(pair):
        return (
            f"{between[0].upper()}{between[1:]} the two figures contradict each other: compare the seeds and the "
            "profiles, and decide which one matters to you."
        )
    if pair.probability < 0.5:
        return (
            f"{labels[pair.first]} has the higher interquartile mean, but {labels[pair.second]} more often has the "
            f"better seed ({_probability(pair)}): more seeds may change either."
        )
    if pair.probability == 0.5:
        return f"No number of seeds will show a difference {between} if the probability stays at {_probability(pair)}."
    more = _seeds_needed(pair, pairs) - max(pair.seeds_first, pair.seeds_second)
    if more > MOST_SEEDS_ADVISED:
        return f"It would take more than {MOST_SEEDS_ADVISED} more seeds of each to show a difference {between}."
    needed = "one more seed" if more <= 1 else f"about {more} more seeds"
    return (
        f"If the probability {between} stays at {_probability(pair)}, {needed} of each would show in four of five "
        "cases that the difference is not chance."
    )


def _seeds_needed(pair: Pair, pairs: int) -> int:
    """Return the seeds of each side for which the joint interval lies above one half with a power of 80 %, if the
    probability stays as found.

    The standard error, derived from the interval, falls with the square root of the number of seeds.
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
        f" With {pairs} pairs, each interval is computed for {100 * each:.4g} %, so that all together hold with 95 %."
        if pairs > 1
        else ""
    )
    what, on_each = ("variant", "") if across is None else ("method", " on each environment")
    averaged = "" if across is None else ", averaged over the environments,"
    normalised = "" if across is None else f" {describe_normalisation(across.environments)}"
    return Made(
        definition=f"One {what} is called better than another if both have at least {LEAST_VERDICT_SEEDS} "
        f"seeds{on_each}, the interval of the probability that one of its seeds does better{averaged} lies above "
        "one half, and ranks this far apart occur by chance in at most "
        f"{_share(_most_chance(pairs))} of cases (Mann-Whitney)."
        f"{together}{normalised}",
        n=sum(one.n for one in ranked),
        resamples=found.pairs[0].made.resamples if found.pairs else None,
        confidence=each if found.pairs else None,
        source=OUR_PAGE,
    )
