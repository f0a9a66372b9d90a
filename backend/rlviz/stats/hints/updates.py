"""Rules about the updates of on-policy algorithms: size of the policy change, quality of the value function."""

from __future__ import annotations

import numpy as np

from rlviz.stats.hints.hint import (
    Case,
    Hint,
    SuggestedChange,
    best_policy_sentence,
    drop_none,
    number_text,
    raise_or_lower,
    round_shown,
    suggest_change,
)

KL = "train/approx_kl"
CLIP_FRACTION = "train/clip_fraction"
EXPLAINED_VARIANCE = "train/explained_variance"

MIN_UPDATES = 10

LARGE_KL = 0.05
"""Two to three times the target_kl that PPO's authors use."""

LARGE_CLIP_FRACTION = 0.3
LOW_EXPLAINED_VARIANCE = 0.2


def kl_spikes(case: Case) -> Hint | None:
    """Single updates moved the policy much further than usual: at least three, or one by a lot."""
    curve = case.curve(KL)
    if len(curve) < MIN_UPDATES or case.holds:
        return None
    usual = float(np.median(curve.value))
    spikes = np.flatnonzero(curve.value > max(LARGE_KL, 5 * usual))
    highest = float(curve.value.max())
    if len(spikes) < 3 and highest <= 10 * max(LARGE_KL, usual):
        return None
    return Hint(
        id="kl-spikes",
        severity="problem" if highest > 20 * LARGE_KL and not case.reached else "warning",
        title="Some updates changed the policy too much",
        metric=KL,
        from_step=int(curve.step[spikes[0]]),
        to_step=int(curve.step[spikes[-1]]),
        evidence=(
            f"The median of approx_kl is {number_text(usual)}, but it is above "
            f"{number_text(max(LARGE_KL, 5 * usual))} in {len(spikes)} of {len(curve)} updates, "
            f"up to {number_text(highest)} at step {int(curve.step[curve.value.argmax()]):,}."
            f"{best_policy_sentence(case)}"
        ),
        advice=drop_none(_stop_at_kl(case), suggest_change(case, "learning_rate", 1 / 2)),
    )


def clip_fraction_high(case: Case) -> Hint | None:
    """Most updates of the second half reach the clip range."""
    curve = case.curve(CLIP_FRACTION)
    half = len(curve) // 2
    recent = curve.value[half:]
    if len(recent) < MIN_UPDATES or case.holds or float(np.median(recent)) <= LARGE_CLIP_FRACTION:
        return None
    share = float(np.mean(recent > LARGE_CLIP_FRACTION))
    return Hint(
        id="clip-fraction-high",
        severity="info" if case.reached else "warning",
        title="Most updates clip a large share of the samples",
        metric=CLIP_FRACTION,
        from_step=int(curve.step[half]),
        to_step=int(curve.step[-1]),
        evidence=(
            f"In the second half, clip_fraction is above {LARGE_CLIP_FRACTION:g} in {share:.0%} of the updates "
            f"(median {number_text(float(np.median(recent)))}).{best_policy_sentence(case)}"
        ),
        advice=drop_none(suggest_change(case, "learning_rate", 1 / 2), suggest_change(case, "n_epochs", 1 / 2, low=1)),
    )


def explained_variance_low(case: Case) -> Hint | None:
    """The value function does not predict the returns, long after the start, and the task is not solved."""
    curve = case.curve(EXPLAINED_VARIANCE)
    half = len(curve) // 2
    recent = curve.value[half:]
    if len(recent) < MIN_UPDATES or case.reached:
        return None
    usual = float(np.median(recent))
    if usual >= LOW_EXPLAINED_VARIANCE:
        return None
    worse = " (below 0 is worse than always guessing the mean)" if usual < 0 else ""
    return Hint(
        id="explained-variance-low",
        severity="warning",
        title="The value function does not predict the returns",
        metric=EXPLAINED_VARIANCE,
        from_step=int(curve.step[half]),
        to_step=int(curve.step[-1]),
        evidence=f"In the second half, the median of explained_variance is {number_text(usual)}{worse}; 1 is perfect.",
        advice=drop_none(
            suggest_change(case, "vf_coef", 2, high=10),
            suggest_change(case, "n_steps", 2),
            _wider(case),
        ),
    )


def _stop_at_kl(case: Case) -> SuggestedChange | None:
    if "target_kl" not in case.hyperparameters:
        return None
    now = case.number("target_kl")
    if now is None:
        words = "set target_kl, which is off, to 0.03, so that an update ends when it has changed the policy this much"
        return SuggestedChange(name="target_kl", value=0.03, words=words)
    return raise_or_lower("target_kl", now, round_shown(now / 2))


def _wider(case: Case) -> SuggestedChange | None:
    layers = case.hyperparameters.get("net_arch")
    if not isinstance(layers, list) or not layers:
        return None
    wider = [min(2 * int(units), 1024) for units in layers if isinstance(units, int)]
    return (
        None
        if wider == layers
        else SuggestedChange(name="net_arch", value=list(wider), words=f"give net_arch {wider} instead of {layers}")
    )
