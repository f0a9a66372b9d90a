"""Several environments together: variants that train the same form one method, and scores are normalised.

As usual for comparisons on many tasks, 0 is the return of random actions on an environment, and 1 its threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field

from rlviz.domain.lazy_model import Frozen
from rlviz.stats.arrays import Floats
from rlviz.stats.experiments.trials import (
    GAP,
    Forest,
    Scale,
    SeedScore,
    Setting,
    Trial,
    VariantScores,
    count_policies,
    forest_plot,
    made_of_gap,
    made_of_scores,
    resamples_for,
    score_figures,
    score_sentence,
    scored_trials,
    with_ranks,
)
from rlviz.stats.number_text import join_words
from rlviz.stats.returns import best_first
from rlviz.stats.seeds import has_interval, optimality_gap

GOAL = 1.0
"""The threshold on the normalised scale."""


class NormalisedEnvironment(Frozen):
    environment: str = Field(description="Name of the environment, with its options.")
    random_return: float = Field(description="Mean return of random actions; becomes 0.")
    threshold: float = Field(description="Return from which it counts as solved; becomes 1.")


class Across(Frozen):
    """Methods over the environments on which all of them have scores that can be normalised."""

    environments: list[NormalisedEnvironment]
    left_out: list[str] = Field(description="Sentences: excluded environments and methods, and why.")
    methods: list[VariantScores] = Field(
        description="Variants that train the same on different environments, combined, in the order of the "
        "specification, with normalised scores."
    )
    forest: Forest

    @property
    def strata(self) -> dict[str, list[Floats]]:
        """Return the scores by method, best first: one array of shape (n,) per environment."""
        return {
            one.variant: [
                np.array([score.score for score in one.scores if score.environment == place.environment])
                for place in self.environments
            ]
            for one in best_first(self.methods, lambda one: one.rank)
        }


@dataclass(frozen=True)
class _Method:
    """A method. ``trials`` by environment; ``scored_trials``: those with a score, normalised if possible."""

    id: str
    label: str
    trials: Mapping[str, Sequence[Trial]]
    scored: Mapping[str, Sequence[Trial]]


def combine_environments(trials: Sequence[Trial], setting: Setting) -> Across | None:
    """Combine the environments; return None if all variants train on one."""
    if not setting.has_several_environments:
        return None
    methods = _methods(trials, setting)
    with_scores = [one for one in methods if any(one.scored.values())]
    environments = list(dict.fromkeys(setting.environments.values()))
    missing = {env: [one.label for one in with_scores if not one.scored.get(env)] for env in environments}
    shared = [env for env in environments if env in setting.scales and not missing[env]] if with_scores else []
    scales = [
        NormalisedEnvironment(
            environment=env, random_return=setting.scales[env].random, threshold=setting.scales[env].threshold
        )
        for env in shared
    ]
    drawn = resamples_for(sum(len(one.scored[env]) for one in with_scores for env in shared))
    summed_up = with_ranks([_summed_up(one, scales, setting, drawn) for one in with_scores]) if shared else []
    return Across(
        environments=scales,
        left_out=[
            *(_why_environment(env, missing[env], setting.scales) for env in environments if env not in shared),
            *(f"{one.label} has no score yet." for one in methods if one not in with_scores),
        ],
        methods=summed_up,
        forest=forest_plot(summed_up, GOAL),
    )


def describe_normalisation(environments: Iterable[NormalisedEnvironment]) -> str:
    """Return a sentence that explains normalised scores."""
    scales = [f"{one.random_return:g} and {one.threshold:g} on {one.environment}" for one in environments]
    return f"Scores are normalised: 0 is the mean return of random actions, 1 the threshold, {join_words(scales)}."


def _methods(trials: Sequence[Trial], setting: Setting) -> list[_Method]:
    variants: dict[str, dict[str, str]] = {}
    for variant in setting.variants:
        label = setting.methods.get(variant, setting.variants[variant])
        variants.setdefault(label, {})[setting.environments[variant]] = variant
    return [
        _Method(
            id=f"m{place}",
            label=label,
            trials={env: [one for one in trials if one.variant == variant] for env, variant in ours.items()},
            scored={
                env: _normalised(scored_trials(trials, variant), setting.scales.get(env))
                for env, variant in ours.items()
            },
        )
        for place, (label, ours) in enumerate(variants.items())
    ]


def _normalised(trials: Sequence[Trial], scale: Scale | None) -> list[Trial]:
    if scale is None:
        return list(trials)
    return [replace(one, score=scale.normalised(one.score or 0.0)) for one in trials]


def _why_environment(environment: str, missing: Sequence[str], scales: Mapping[str, Scale]) -> str:
    if environment not in scales:
        return (
            f"{environment} is left out: it has no threshold, or the return of random actions is unknown, so "
            "its scores cannot be normalised."
        )
    if not missing:
        return f"{environment} is left out: nothing has a score there yet."
    have = "has" if len(missing) == 1 else "have"
    return f"{environment} is left out: {join_words(list(missing))} {have} no score there."


def _summed_up(
    method: _Method, scales: Sequence[NormalisedEnvironment], setting: Setting, resamples: int
) -> VariantScores:
    environments = [one.environment for one in scales]
    ours = [(env, one) for env in environments for one in method.scored[env]]
    strata = [np.array([one.score for one in method.scored[env]], dtype=np.float64) for env in environments]
    every = [one for env in environments for one in method.trials[env]]
    policies = count_policies([one for _, one in ours])
    sentence = f"{score_sentence(setting, policies)} {describe_normalisation(scales)}"
    made = made_of_scores(len(ours), resamples if has_interval(strata) else None, sentence, is_of_several=True)
    return VariantScores(
        variant=method.id,
        label=method.label,
        environment=join_words(environments),
        trials=len(every),
        n=len(ours),
        seeds=min(map(len, strata)),
        failed=sum(one.failed for one in every),
        rank=None,
        **score_figures(strata, resamples),
        optimality_gap=float(optimality_gap(GOAL)(strata)),
        scores=[SeedScore.from_trial(one, env) for env, one in ours],
        policies=policies,
        made={**made, GAP: made_of_gap(GOAL, len(ours), sentence)},
    )
