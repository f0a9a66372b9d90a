"""Registry of the hint rules, and ``review``, which applies all of them to a run."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rlviz.domain.metrics import EPISODE_REWARD, EXPLORED_CELLS, EXPLORED_TOTAL, TAPS
from rlviz.domain.reward_components import REWARD
from rlviz.stats.hints.components import component_farmed
from rlviz.stats.hints.exploration import ENTROPY, EPSILON, entropy_collapsed, epsilon_high
from rlviz.stats.hints.first_steps import FirstStep, as_first_step, first_step
from rlviz.stats.hints.hint import (
    SEVERITIES,
    Case,
    Finding,
    Hint,
    LookedAt,
    Rule,
    RuleState,
    Unit,
    apply_rule,
    at_least,
)
from rlviz.stats.hints.losses import LOSSES, loss_not_a_number, loss_runs_away
from rlviz.stats.hints.returns import flat, plateau, reward_collapsed, too_few_timesteps, unstable
from rlviz.stats.hints.updates import (
    CLIP_FRACTION,
    EXPLAINED_VARIANCE,
    KL,
    clip_fraction_high,
    explained_variance_low,
    kl_spikes,
)
from rlviz.stats.hints.world import exploration_ended, stuck_in_a_cell, tap_never_changes

log = logging.getLogger(__name__)


_RETURNS = (EPISODE_REWARD,)

RETURN_RULES: tuple[Rule, ...] = (
    Rule("reward-collapsed", "most of what was gained is lost", _RETURNS, at_least(50, Unit.EPISODES, 0.2),
         reward_collapsed),
    Rule("unstable", "the return falls from near its best again and again", _RETURNS, at_least(200, Unit.EPISODES, 0.2),
         unstable),
    Rule("too-few-timesteps", "the return was still rising at the end", _RETURNS,
         at_least(50, Unit.EPISODES, ended=True), too_few_timesteps),
    Rule("reward-flat", "the return never rose", _RETURNS, at_least(50, Unit.EPISODES, 0.4), flat),
    Rule("reward-plateau", "the return stopped rising", _RETURNS, at_least(50, Unit.EPISODES, 0.4), plateau),
)  # fmt: skip
"""Rules about the course of the return. They overlap, so only the first finding gives a hint."""

RULES: tuple[Rule, ...] = (
    Rule("loss-diverging", "the loss became NaN or infinite", LOSSES, at_least(1, Unit.ROWS), loss_not_a_number,
         always=True),
    Rule("loss-diverging", "the loss grows much more than the returns", LOSSES, at_least(30, Unit.ROWS),
         loss_runs_away),
    Rule("entropy-collapsed", "the policy stops exploring early", (ENTROPY,), at_least(10, Unit.UPDATES, 0.1),
         entropy_collapsed),
    Rule("kl-spikes", "single updates move the policy too far", (KL,), at_least(10, Unit.UPDATES), kl_spikes),
    Rule("clip-fraction-high", "most updates clip a large share of the samples", (CLIP_FRACTION,),
         at_least(20, Unit.UPDATES), clip_fraction_high),
    Rule("explained-variance-low", "the value function does not predict the returns", (EXPLAINED_VARIANCE,),
         at_least(20, Unit.UPDATES, 0.2), explained_variance_low),
    Rule("component-farmed", "one component of the reward is farmed", (REWARD,), at_least(50, Unit.EPISODES, 0.4),
         component_farmed),
    Rule("tap-never-changes", "a variable of a game never changes", (TAPS,), at_least(20, Unit.EPISODES),
         tap_never_changes, always=True),
    Rule("stuck-in-a-cell", "the agent does not leave its first cell", (EXPLORED_CELLS,),
         at_least(50, Unit.EPISODES, 0.2), stuck_in_a_cell),
    Rule("exploration-ended", "training finds no new cells, and the return does not grow", (EXPLORED_TOTAL,),
         at_least(50, Unit.EPISODES, 0.4), exploration_ended),
    Rule("epsilon-high", "many actions are still random at the end", (EPSILON,),
         at_least(1, Unit.ROWS, 0.5, ended=True), epsilon_high),
)  # fmt: skip
"""All other rules. Each finding gives a hint."""


@dataclass(frozen=True)
class Review:
    """Result of all rules. ``hints``: most severe first. ``findings``: one per rule, with or without a hint."""

    hints: list[Hint]
    findings: list[Finding]


def review(case: Case) -> Review:
    """Apply every rule to the run.

    If something else should come before changes of hyperparameters, the most severe finding becomes the only hint,
    and says so. A rule that fails gives no finding and does not affect others.
    """
    returns = list(_findings(RETURN_RULES, case))
    others = list(_findings(RULES, case))
    story = next((finding for finding in returns if finding.hint), None)
    told = [*([story] if story else []), *(finding for finding in others if finding.hint)]
    hints: list[Hint] = []
    first: Hint | None = None
    waiting: list[Finding] = []
    for finding, hint in sorted(_with_hints(told, case), key=lambda one: SEVERITIES.index(one[1].severity)):
        step = FirstStep.NONE if finding.rule.always else first_step(case, hint)
        if step is FirstStep.NONE:
            hints.append(hint)
            continue
        waiting.append(finding)
        if first is None and step is not FirstStep.WAIT:
            first = as_first_step(case, hint, step)
    findings = [_waiting(one) if one in waiting else one for one in (*returns, *others)]
    return Review([*hints, *([first] if first is not None else [])], findings)


def _with_hints(found: Iterable[Finding], case: Case) -> list[tuple[Finding, Hint]]:
    return [(one, hint) for one in found if (hint := _with_basis(one, case)) is not None]


def _waiting(finding: Finding) -> Finding:
    return replace(finding, state=RuleState.WAITING, hint=None)


def _findings(rules: Iterable[Rule], case: Case) -> Iterator[Finding]:
    for rule in rules:
        try:
            yield apply_rule(rule, case)
        except Exception:
            log.exception("The hint rule %s failed", rule.id)


def find_hints(case: Case) -> list[Hint]:
    """Return the hints for the run, most severe first."""
    return review(case).hints


def _with_basis(finding: Finding, case: Case) -> Hint | None:
    """Return the finding's hint with ``looked_at``: all steps that the rule read, not only the marked ones."""
    if finding.hint is None or finding.metric is None:
        return None
    series = case.series[finding.metric]
    seen = LookedAt(
        metric=finding.metric,
        from_step=int(series.step[0]),
        to_step=int(series.step[-1]),
        points=finding.points,
        unit=finding.rule.minimum.unit,
    )
    return replace(finding.hint, looked_at=seen)
