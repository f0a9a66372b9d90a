"""Rules about exploration: entropy of a policy, epsilon of a value-based algorithm."""

from __future__ import annotations

import math

import numpy as np

from rlviz.stats.hints.hint import (
    Advice,
    Case,
    Hint,
    SuggestedChange,
    drop_none,
    number_text,
    raise_or_lower,
    suggest_change,
)

ENTROPY = "train/entropy_loss"
EPSILON = "rollout/exploration_rate"

COLLAPSED_ENTROPY = 0.1
"""Share of the maximum entropy below which a policy hardly explores."""

HIGH_EPSILON = 0.15


def entropy_collapsed(case: Case) -> Hint | None:
    """The policy became almost certain in the first half of training, stayed so, and the task is not solved."""
    curve = case.curve(ENTROPY)
    if case.actions is None or case.actions < 2 or case.reached:
        return None
    share = -curve.value / math.log(case.actions)
    above = np.flatnonzero(share >= COLLAPSED_ENTROPY)
    first = int(above[-1]) + 1 if len(above) else 0
    if first > len(share) - 5 or curve.step[first] > case.total_timesteps / 2:
        return None
    begin = int(curve.step[first])
    if case.threshold is None and _still_improves(case, begin):
        return None
    return Hint(
        id="entropy-collapsed",
        severity="problem",
        title="The policy stopped exploring early",
        metric=ENTROPY,
        from_step=begin,
        to_step=int(curve.step[-1]),
        evidence=(
            f"From step {begin:,} on, {begin / case.total_timesteps:.0%} into training, entropy stays below "
            f"{COLLAPSED_ENTROPY:.0%} of that of a random choice among {case.actions} actions "
            f"({number_text(-float(curve.value[-1]))} of {number_text(math.log(case.actions))} nats at the end)."
        ),
        advice=drop_none(more_entropy(case), suggest_change(case, "learning_rate", 1 / 3)),
    )


def epsilon_high(case: Case) -> Hint | None:
    """Training is over, and the agent still takes many random actions."""
    curve = case.curve(EPSILON)
    if len(curve) == 0 or case.reached:
        return None
    last, floor = float(curve.value[-1]), case.number("exploration_final_eps") or 0.0
    if last <= HIGH_EPSILON:
        return None
    return Hint(
        id="epsilon-high",
        severity="warning",
        title="Epsilon is still high at the end",
        metric=EPSILON,
        from_step=int(curve.step[np.flatnonzero(curve.value > HIGH_EPSILON)[0]]),
        to_step=int(curve.step[-1]),
        evidence=(
            f"At step {int(curve.step[-1]):,}, {last:.0%} of the actions are still random, which also lowers the "
            "returns in training."
        ),
        advice=_less_epsilon(case, floor),
    )


def _still_improves(case: Case, since: int) -> bool:
    before = case.averages[case.returns.step <= since]
    return len(before) > 0 and case.final is not None and case.final > before[-1] + 0.1 * abs(before[-1])


def more_entropy(case: Case) -> SuggestedChange | None:
    """Return advice to raise the bonus for entropy; None if the algorithm has none."""
    now = case.number("ent_coef")
    return None if now is None else raise_or_lower("ent_coef", now, max(0.01, min(3 * now, 1.0)))


def _less_epsilon(case: Case, floor: float) -> tuple[Advice, ...]:
    if floor > HIGH_EPSILON:
        return drop_none(raise_or_lower("exploration_final_eps", floor, 0.05))
    fraction = case.number("exploration_fraction")
    if fraction is None:
        return ("let epsilon fall faster",)
    wanted = round(min(fraction, case.progress, 1.0) / 2, 3)
    longer = None
    if case.progress < 0.9:
        longer = f"train for all {case.total_timesteps:,} timesteps; it ended after {case.step:,}"
    return drop_none(raise_or_lower("exploration_fraction", fraction, wanted), longer)
