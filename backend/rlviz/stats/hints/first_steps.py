"""First steps that come before changes of hyperparameters.

Training curves say little about a policy while its preset is unfinished, or while its policy has not been
evaluated, because training returns include exploration. Whatever the rules find then, the advice is to finish or
evaluate first, with unchanged hyperparameters.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from rlviz.stats.hints.hint import Case, Hint

ENOUGH = 0.9
"""Share of the timesteps from which on a run counts as finished."""


class FirstStep(StrEnum):
    """What to do first. *none*: the hint applies as it is. *wait*: the run still trains, and it is too early for a
    hint."""

    NONE = "none"
    WAIT = "wait"
    FINISH = "finish"
    EVALUATE = "evaluate"


def first_step(case: Case, hint: Hint) -> FirstStep:
    """Return what to do before following the advice of ``hint``."""
    if case.changed_preset and hint.about_updates:  # the user's own values, which no preset has tried
        return FirstStep.EVALUATE if case.ended and not case.is_evaluated else FirstStep.NONE
    if case.ended:
        if case.step < ENOUGH * case.wanted_timesteps:
            return FirstStep.FINISH
        return FirstStep.NONE if case.is_evaluated else FirstStep.EVALUATE
    is_early = case.preset_timesteps is not None and case.step < ENOUGH * case.preset_timesteps
    return FirstStep.WAIT if is_early or not case.is_evaluated else FirstStep.NONE


def as_first_step(case: Case, hint: Hint, step: FirstStep) -> Hint:
    """Return ``hint`` as a reason to finish the run or evaluate its policy: it keeps its evidence and loses its
    advice."""
    if step is FirstStep.FINISH:
        wanted = case.wanted_timesteps
        owner = "preset" if wanted == case.preset_timesteps else "run"
        return replace(
            hint,
            id="unfinished",
            severity="info",
            title=f"Train for the {owner}'s full length first",
            evidence=f"The {owner} is meant for {wanted:,} timesteps, but training ended after {case.step:,}. "
            f"{hint.evidence}",
            advice=(f"train for all {wanted:,} timesteps before you change hyperparameters",),
        )
    return replace(
        hint,
        id="not-evaluated",
        severity="info",
        title="Evaluate the policy first",
        evidence=f"{_not_evaluated(case)} {hint.evidence}",
        advice=(
            "evaluate the policy before you change hyperparameters",
            "evaluate the next run during training",
        ),
    )


def _not_evaluated(case: Case) -> str:
    if case.deterministic:
        return "The policy has no greedy evaluation, and returns in training include exploration."
    return "The policy has no evaluation with sampled actions, and returns in training come from many policies."
