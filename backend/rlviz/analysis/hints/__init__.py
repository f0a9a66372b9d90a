"""Hints: rules that read a run's curves and say what is known to go wrong, where, and what to try.

Each rule is a pure function of a Case that returns a Hint or None. Adding one: write it beside its kin, name it in
RULES, and give tests/unit/test_hints.py a curve on which it fires and one on which it does not.
"""

from __future__ import annotations

from collections.abc import Callable

from rlviz.analysis.hints.case import Case
from rlviz.analysis.hints.exploration import entropy_collapsed, epsilon_high
from rlviz.analysis.hints.hint import SEVERITIES, Hint
from rlviz.analysis.hints.losses import loss_diverging
from rlviz.analysis.hints.rewards import plateau, reward_collapsed, too_few_timesteps, unstable
from rlviz.analysis.hints.updates import clip_fraction_high, explained_variance_low, kl_spikes

Rule = Callable[[Case], Hint | None]

RETURN_RULES: tuple[Rule, ...] = (reward_collapsed, unstable, too_few_timesteps, plateau)
"""Of these only the first that fires is told: each says what the returns did, in another word."""

RULES: tuple[Rule, ...] = (
    loss_diverging,
    entropy_collapsed,
    kl_spikes,
    clip_fraction_high,
    explained_variance_low,
    epsilon_high,
)


def find_hints(case: Case) -> list[Hint]:
    """What the curves show, the gravest first."""
    story = next((hint for rule in RETURN_RULES if (hint := rule(case)) is not None), None)
    found = [*([story] if story else []), *(hint for rule in RULES if (hint := rule(case)) is not None)]
    return sorted(found, key=lambda hint: SEVERITIES.index(hint.severity))


__all__ = ["RETURN_RULES", "RULES", "Case", "Hint", "find_hints"]
