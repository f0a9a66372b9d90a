"""Hints: rules that read a run's curves and say what is known to go wrong, where, and what to try.

What a rule finds is a pure function of a Case that returns a Hint or None. Adding one: write it beside its kin, enter
it in RULES with the least it has to have seen, and give tests/unit/test_hint_situations.py a situation in which it
speaks and one in which it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rlviz.analysis.hints.case import Case
from rlviz.analysis.hints.exploration import ENTROPY, EPSILON, entropy_collapsed, epsilon_high
from rlviz.analysis.hints.hint import SEVERITIES, Hint, LookedAt
from rlviz.analysis.hints.losses import LOSSES, loss_not_a_number, loss_runs_away
from rlviz.analysis.hints.returns import flat, plateau, reward_collapsed, too_few_timesteps, unstable
from rlviz.analysis.hints.rule import Finding, Minimum, Rule, RuleState, Unit, apply
from rlviz.analysis.hints.updates import (
    CLIP_FRACTION,
    EXPLAINED_VARIANCE,
    KL,
    clip_fraction_high,
    explained_variance_low,
    kl_spikes,
)
from rlviz.domain.records import EPISODE_REWARD

_RETURNS = (EPISODE_REWARD,)

RETURN_RULES: tuple[Rule, ...] = (
    Rule("reward-collapsed", "most of what was gained is lost", _RETURNS, Minimum(50, Unit.EPISODES, 0.2),
         reward_collapsed),
    Rule("unstable", "the return falls from near its best again and again", _RETURNS, Minimum(200, Unit.EPISODES, 0.2),
         unstable),
    Rule("too-few-timesteps", "the return was still rising at the end", _RETURNS,
         Minimum(50, Unit.EPISODES, ended=True), too_few_timesteps),
    Rule("reward-flat", "the return never rose", _RETURNS, Minimum(50, Unit.EPISODES, 0.4), flat),
    Rule("reward-plateau", "the return stopped rising", _RETURNS, Minimum(50, Unit.EPISODES, 0.4), plateau),
)  # fmt: skip
"""Of these only the first that fires is told: each says what the returns did, in another word."""

RULES: tuple[Rule, ...] = (
    Rule("loss-diverging", "the loss is no number any more", LOSSES, Minimum(1, Unit.ROWS), loss_not_a_number),
    Rule("loss-diverging", "the loss grows out of all proportion", LOSSES, Minimum(30, Unit.ROWS), loss_runs_away),
    Rule("entropy-collapsed", "the policy stops exploring early", (ENTROPY,), Minimum(10, Unit.UPDATES, 0.1),
         entropy_collapsed),
    Rule("kl-spikes", "single updates move the policy too far", (KL,), Minimum(10, Unit.UPDATES), kl_spikes),
    Rule("clip-fraction-high", "most updates run into the clip range", (CLIP_FRACTION,), Minimum(20, Unit.UPDATES),
         clip_fraction_high),
    Rule("explained-variance-low", "the value function does not predict the returns", (EXPLAINED_VARIANCE,),
         Minimum(20, Unit.UPDATES, 0.2), explained_variance_low),
    Rule("epsilon-high", "many actions are still random at the end", (EPSILON,),
         Minimum(1, Unit.ROWS, 0.5, ended=True), epsilon_high),
)  # fmt: skip


@dataclass(frozen=True)
class Review:
    """``hints``: the gravest first. ``findings``: what each rule came to."""

    hints: list[Hint]
    findings: list[Finding]


def review(case: Case) -> Review:
    """What the curves show, and what every rule had to go by."""
    returns = [apply(rule, case) for rule in RETURN_RULES]
    others = [apply(rule, case) for rule in RULES]
    story = next((finding for finding in returns if finding.hint), None)
    told = [*([story] if story else []), *(finding for finding in others if finding.hint)]
    hints = [hint for finding in told if (hint := _with_basis(finding, case)) is not None]
    return Review(sorted(hints, key=lambda hint: SEVERITIES.index(hint.severity)), [*returns, *others])


def find_hints(case: Case) -> list[Hint]:
    """What the curves show, the gravest first."""
    return review(case).hints


def _with_basis(finding: Finding, case: Case) -> Hint | None:
    """The hint with all that its rule looked at, of which the hint points at a part."""
    if finding.hint is None or finding.metric is None:
        return None
    series = case.series[finding.metric]
    seen = LookedAt(
        finding.metric, int(series.step[0]), int(series.step[-1]), finding.points, finding.rule.minimum.unit.value
    )
    return replace(finding.hint, looked_at=seen)


__all__ = ["RETURN_RULES", "RULES", "Case", "Finding", "Hint", "Review", "Rule", "RuleState", "find_hints", "review"]
