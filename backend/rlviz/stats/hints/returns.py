"""Rules about the course of the return: collapse, instability, still rising, flat, or plateau."""

from __future__ import annotations

import numpy as np

from rlviz.domain.metrics import EPISODE_REWARD, EVAL_REWARD
from rlviz.stats.arrays import Floats
from rlviz.stats.hints.hint import (
    KNOBS,
    Advice,
    Case,
    Hint,
    Stretches,
    SuggestedChange,
    best_policy_sentence,
    drop_none,
    number_text,
    raise_or_lower,
    round_shown,
    suggest_change,
)
from rlviz.stats.return_curve import WINDOW

CLEAR = 3.0
"""Standard errors by which two stretches must differ."""

APART = 6.0
"""By chance, the highest and lowest of ten equal means are more than 4.5 standard errors apart once in 20 times."""

CHANCE = 8.0
"""Standard deviations beyond which means of unchanged returns do not go by chance."""

MAX_PARTS = 100


def reward_collapsed(case: Case) -> Hint | None:
    """The returns lost more than half of what they had gained, and did not recover."""
    parts = case.stretches
    if parts is None or case.holds or _evaluations_hold(case):
        return None
    best = int(np.argmax(parts.mean))
    low = int(np.argmin(parts.mean[: best + 1]))
    gained, lost = parts.mean[best] - parts.mean[low], parts.mean[best] - parts.mean[-2:].max()
    if best >= len(parts.mean) - 2 or gained < APART * parts.noise or lost <= max(gained / 2, CLEAR * parts.noise):
        return None
    start, top, end = (round_shown(parts.mean[index]) for index in (low, best, -1))
    share = min((top - end) / (top - start), 9.99)
    return Hint(
        id="reward-collapsed",
        severity="warning" if case.reached else "problem",
        title="The policy forgot what it had learned",
        metric=EPISODE_REWARD,
        from_step=int(parts.edge[best]),
        to_step=case.step,
        evidence=(
            f"The mean return rose from {number_text(start)} around step {_middle(parts, low):,} to "
            f"{number_text(top)} around step {_middle(parts, best):,} and is {number_text(end)} at the end: "
            f"{number_text(top - end)} of the {number_text(top - start)} gained are lost "
            f"({share:.0%}).{best_policy_sentence(case)}"
        ),
        advice=drop_none(
            _gentler(case), None if case.best else "evaluate during training, which keeps the best policy"
        ),
    )


def unstable(case: Case) -> Hint | None:
    """The mean return fell from near its best to far below and recovered, at least twice."""
    count = min(MAX_PARTS, len(case.returns) // WINDOW)
    if count < 10 or case.holds:
        return None
    parts = np.array_split(case.returns.value, count)
    means = np.array([part.mean() for part in parts])
    best, worst = float(means.max()), float(means[: int(means.argmax()) + 1].min())
    span = best - worst
    if span < CHANCE * _spread_by_chance(case, len(parts[0])):
        return None
    high, low = worst + 0.75 * span, worst + 0.4 * span
    falls = _falls(means, high=high, low=low)
    if len(falls) < 2:
        return None
    first = int(case.returns.step[sum(map(len, parts[: falls[0]]))])
    return Hint(
        id="unstable",
        severity="info" if case.reached else "warning",
        title="The return swings up and down",
        metric=EPISODE_REWARD,
        from_step=first,
        to_step=case.step,
        evidence=(
            f"The mean return of {len(parts[0])} episodes fell {len(falls)} times from above {number_text(high)} to "
            f"below {number_text(low)}, first at step {first:,}.{best_policy_sentence(case)}"
        ),
        advice=drop_none(_gentler(case), suggest_change(case, "batch_size", 2, high=8_192)),
    )


def too_few_timesteps(case: Case) -> Hint | None:
    """Training is over, and the returns, or those in evaluations, were still rising."""
    parts = case.stretches
    if parts is None or case.reached or not case.over:
        return None
    if _stands_still(parts) and (late := case.evaluated_rise) is not None:
        return Hint(
            id="too-few-timesteps",
            severity="warning",
            title="It was still learning when training ended",
            metric=EVAL_REWARD,
            from_step=late.from_step,
            to_step=case.step,
            evidence=(
                f"The mean return in {_evaluations(case)} rose from {number_text(late.before)} to "
                f"{number_text(late.after)} over the last "
                f"40 % of the steps, while the return in training did not rise.{_goal(case)}"
            ),
            advice=drop_none(_longer(case)),
            learn=KNOBS,
        )
    rise = float(parts.mean[-1] - parts.mean[-4])
    steady = parts.mean[-1] > parts.mean[-2] > parts.mean[-4]
    if not steady or rise < max(0.15 * parts.span, CLEAR * parts.noise):
        return None
    if case.threshold is not None and parts.mean[-1] >= case.threshold:
        return None
    goal = f", short of the {number_text(case.threshold)} to reach" if case.threshold is not None else ""
    return Hint(
        id="too-few-timesteps",
        severity="warning",
        title="It was still learning when training ended",
        metric=EPISODE_REWARD,
        from_step=int(parts.edge[-5]),
        to_step=case.step,
        evidence=(
            f"The mean return rose from {number_text(parts.mean[-4])} around step {_middle(parts, -4):,} to "
            f"{number_text(parts.mean[-1])} in the last tenth of the steps{goal}."
        ),
        advice=drop_none(_longer(case)),
        learn=KNOBS,
    )


def flat(case: Case) -> Hint | None:
    """The returns are where they started, and so are those in evaluations."""
    parts = case.stretches
    if parts is None or case.reached or case.evaluated_rise or not _stands_still(parts) or _learned(case, parts):
        return None
    return Hint(
        id="reward-flat",
        severity="warning",
        title="Nothing was learned yet",
        metric=EPISODE_REWARD,
        from_step=0,
        to_step=case.step,
        evidence=(
            f"The mean return was {number_text(_beginning(case))} over the first {_first(case)} episodes and is "
            f"{number_text(float(parts.mean[-2:].mean()))} over the last fifth of the steps.{_goal(case)}"
        ),
        advice=drop_none(*_bolder(case)),
    )


def plateau(case: Case) -> Hint | None:
    """The returns did not change over the last 40 % of the steps, below the threshold, and neither did those in
    evaluations."""
    parts = case.stretches
    if parts is None or case.reached or case.evaluated_rise or not _stands_still(parts) or not _learned(case, parts):
        return None
    before, after = float(parts.mean[-4:-2].mean()), float(parts.mean[-2:].mean())
    return Hint(
        id="reward-plateau",
        severity="info" if case.threshold is None else "warning",
        title="The return has stopped rising",
        metric=EPISODE_REWARD,
        from_step=int(parts.edge[-5]),
        to_step=case.step,
        evidence=(
            f"The mean return was {number_text(before)} over the second to last fifth of the steps, and is "
            f"{number_text(after)} over the last.{_goal(case)}"
        ),
        advice=drop_none(*_bolder(case)),
    )


def _stands_still(parts: Stretches) -> bool:
    before, after = parts.mean[-4:-2].mean(), parts.mean[-2:].mean()
    return bool(abs(after - before) <= max(0.05 * parts.span, 2 * parts.noise))


def _learned(case: Case, parts: Stretches) -> bool:
    """Whether the returns, or those in evaluations, rose clearly above their beginning."""
    early = case.returns.value[: _first(case)]
    error = max(parts.noise, float(np.std(early) / np.sqrt(len(early))))
    rise = float(parts.mean[-4:].mean()) - _beginning(case)
    evaluated = case.evaluations.value
    if case.best is not None and case.best.mean_return > _beginning(case) + APART * error:
        return True
    if len(evaluated) >= 2 and evaluated[-2:].min() > evaluated[0] + max(CLEAR * error, 0.1 * abs(evaluated[0])):
        return True
    return rise > 0 and rise >= CLEAR * error


def _first(case: Case) -> int:
    """Return the episodes that count as the beginning: WINDOW, but at most a twentieth of all."""
    return max(Stretches.EPISODES, min(WINDOW, len(case.returns) // 20))


def _beginning(case: Case) -> float:
    return float(case.returns.value[: _first(case)].mean())


def _evaluations_hold(case: Case) -> bool:
    """Whether evaluations show that the policy is still good although training returns fell."""
    evaluated = case.evaluations.value
    if len(evaluated) < 3 or case.evaluations.step[-1] < 0.8 * case.step:
        return False
    gained = evaluated.max() - evaluated.min()
    return bool(gained > 0 and evaluated[-2:].min() >= evaluated.max() - gained / 4)


def _evaluations(case: Case) -> str:
    return "greedy evaluations" if case.deterministic else "evaluations with sampled actions"


def _goal(case: Case) -> str:
    return f" The threshold is {number_text(case.threshold)}." if case.threshold is not None else ""


def _spread_by_chance(case: Case, episodes: int) -> float:
    """Return the standard deviation of a mean over ``episodes`` returns that the noise of single returns explains."""
    between = np.diff(case.returns.value)  # differences of neighbours, which share the trend
    return float(between.std() / np.sqrt(2 * episodes))


def _falls(means: Floats, *, high: float, low: float) -> list[int]:
    """Return where the curve first falls below ``low`` after each time above ``high``."""
    state = np.where(means > high, 1, np.where(means < low, -1, 0))
    known = np.flatnonzero(state)
    turns = np.flatnonzero(np.diff(state[known]) == -2)
    return [int(known[turn + 1]) for turn in turns]


def _middle(parts: Stretches, index: int) -> int:
    index %= len(parts.mean)
    return int((parts.edge[index] + parts.edge[index + 1]) / 2)


def _gentler(case: Case) -> SuggestedChange | None:
    if case.hyperparameters.get("learning_rate_schedule") == "constant":
        rate = case.number("learning_rate")
        now = f" from {number_text(rate)}" if rate is not None else ""
        words = f"set learning_rate_schedule to linear, so that the learning rate falls{now} to 0"
        return SuggestedChange(name="learning_rate_schedule", value="linear", words=words)
    return suggest_change(case, "learning_rate", 1 / 3)


def _longer(case: Case) -> str:
    if case.ended and case.progress < 0.9:
        return f"train for all {case.total_timesteps:,} timesteps; it ended after {case.step:,}"
    return f"train for {2 * case.total_timesteps:,} timesteps instead of {case.total_timesteps:,}"


def _bolder(case: Case) -> list[Advice | None]:
    """Return suggestions for more exploration, depending on the algorithm; then another learning rate."""
    entropy, fraction = case.number("ent_coef"), case.number("exploration_fraction")
    if entropy is not None:
        wanted = max(0.01, min(3 * entropy, 1.0))
        return [
            raise_or_lower("ent_coef", entropy, round_shown(wanted)),
            suggest_change(case, "learning_rate", 1 / 3),
        ]
    if fraction is not None and fraction < 0.5:
        wanted = min(2 * fraction, 0.5)
        explore = raise_or_lower("exploration_fraction", fraction, wanted, ", so that it explores for longer")
        return [explore, suggest_change(case, "learning_rate", 1 / 3)]
    return [suggest_change(case, "learning_rate", 1 / 3), _longer(case)]
