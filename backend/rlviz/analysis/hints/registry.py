"""The registry of hint rules. A rule whose hint is to be shown is entered here."""

from __future__ import annotations

from rlviz.analysis.hints.exploration import ENTROPY, EPSILON, entropy_collapsed, epsilon_high
from rlviz.analysis.hints.losses import LOSSES, loss_not_a_number, loss_runs_away
from rlviz.analysis.hints.returns import flat, plateau, reward_collapsed, too_few_timesteps, unstable
from rlviz.analysis.hints.rule import Minimum, Rule, Unit
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
"""Rules about the course of the return. They overlap, so only the first one that finds something gives a hint."""

RULES: tuple[Rule, ...] = (
    Rule("loss-diverging", "the loss is no number any more", LOSSES, Minimum(1, Unit.ROWS), loss_not_a_number,
         always=True),
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
"""All other rules. Each one that finds something gives a hint."""
