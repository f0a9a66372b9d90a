"""Rules about the loss of the value function."""

from __future__ import annotations

import numpy as np

from rlviz.stats.hints.hint import Case, Hint, drop_none, number_text, round_shown, suggest_change

LOSSES = ("train/critic_loss", "train/value_loss", "train/loss")
"""Names of the value loss by algorithm; the first logged one is used."""

POLICY_GRADIENT_LOSS = "train/policy_gradient_loss"
DIVERGED = 20.0
"""Factor by which a loss must exceed its early size, beyond what larger returns explain."""

CHUNKS = 10


def loss_not_a_number(case: Case) -> Hint | None:
    """The value loss is NaN or infinite."""
    metric = _metric(case)
    series = case.series[metric]
    broken = np.flatnonzero(~np.isfinite(series.value))
    if len(broken) == 0:
        return None
    return Hint(
        id="loss-diverging",
        severity="problem",
        title="The loss became NaN or infinite",
        metric=metric,
        from_step=int(series.step[broken[0]]),
        to_step=int(series.step[-1]),
        evidence=(
            f"{len(broken)} of {len(series)} values are NaN or infinite, from step {int(series.step[broken[0]]):,} on."
        ),
        advice=drop_none(suggest_change(case, "learning_rate", 1 / 10), suggest_change(case, "max_grad_norm", 1 / 2)),
    )


def loss_runs_away(case: Case) -> Hint | None:
    """The value loss grew far beyond its early size and still grows, and the policy does not solve the task."""
    metric = _metric(case)
    curve = case.curve(metric)
    if case.holds or len(curve) < 3 * CHUNKS or (metric == "train/loss" and POLICY_GRADIENT_LOSS in case.series):
        return None  # The total loss of a policy gradient algorithm has no meaningful scale.
    medians = np.array([np.median(chunk) for chunk in np.array_split(curve.value, CHUNKS)])
    early, late = float(np.median(medians[1:4])), float(medians[-1])
    grows = bool(np.all(np.diff(medians[-4:]) > 0))
    explained = _growth_of_returns(case) ** 2
    if early <= 0 or not grows or late < DIVERGED * explained * early:
        return None
    begin = int(curve.step[len(curve) * int(np.argmax(medians > 3 * early)) // CHUNKS])
    return Hint(
        id="loss-diverging",
        severity="problem",
        title="The value loss diverges",
        metric=metric,
        from_step=begin,
        to_step=int(curve.step[-1]),
        evidence=(
            f"It grew from {number_text(early)} at the start to {number_text(late)}, "
            f"{number_text(round_shown(late) / round_shown(early))} times as much, "
            f"and still grows. Larger returns explain a factor of at most {number_text(explained)}."
        ),
        advice=drop_none(
            suggest_change(case, "learning_rate", 1 / 3),
            suggest_change(case, "target_update_interval", 4, high=1_000_000),
            suggest_change(case, "tau", 1 / 2) if "target_update_interval" not in case.hyperparameters else None,
        ),
    )


def _metric(case: Case) -> str:
    return next(name for name in LOSSES if len(case.series.get(name, ())))


def _growth_of_returns(case: Case) -> float:
    """Return the factor by which returns grew since the beginning, at least 1. A loss grows by its square."""
    sizes = np.abs(case.averages)
    if len(sizes) < CHUNKS:
        return 1.0
    early = float(np.median(sizes[: max(1, len(sizes) * 4 // CHUNKS)]))
    return max(1.0, float(sizes[-1]) / max(early, 1e-9)) if early > 0 else 1.0
