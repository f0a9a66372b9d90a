"""Hint: a finding about a run's curves with a suggestion, and the phrases that rules build hints from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from rlviz.analysis.hints.case import Case

Severity = Literal["info", "warning", "problem"]
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "info")

FAILURE_MODES = "failure-modes"
KNOBS = "knobs"


@dataclass(frozen=True)
class LookedAt:
    """The data a rule was applied to: ``points`` values of ``metric`` between two steps; ``unit``: what a point is."""

    metric: str
    from_step: int
    to_step: int
    points: int
    unit: str


@dataclass(frozen=True)
class SuggestedChange:
    """Advice to give hyperparameter ``name`` another ``value``; ``words`` say so as a part of a sentence."""

    name: str
    value: JsonValue
    words: str


Advice = str | SuggestedChange


@dataclass(frozen=True)
class Hint:
    """``metric`` between ``from_step`` and ``to_step`` shows the finding; ``learn`` is the section of the guide to
    read. ``advice``: what to try, one or the other.

    ``looked_at`` is filled in by ``review``.
    """

    id: str
    severity: Severity
    title: str
    metric: str
    from_step: int
    to_step: int
    evidence: str
    advice: tuple[Advice, ...]
    learn: str = FAILURE_MODES
    looked_at: LookedAt | None = None

    @property
    def about_updates(self) -> bool:
        """Whether it is seen in the updates themselves, whatever the policy earns."""
        return self.metric.startswith("train/")

    @property
    def suggestion(self) -> str:
        """The advice as one sentence: ``"Lower …, or raise …."``"""
        text = ", or ".join(one if isinstance(one, str) else one.words for one in self.advice)
        return f"{text[:1].upper()}{text[1:]}."

    @property
    def changes(self) -> list[SuggestedChange]:
        """The advice that is a change of a hyperparameter."""
        return [one for one in self.advice if isinstance(one, SuggestedChange)]


def plain(value: float) -> str:
    """Three digits, no exponent where people write none: 0.000333, 12,300, 1.2e-07."""
    if value != 0 and abs(value) < 1e-4:
        return f"{value:.2g}"
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{float(f'{value:.3g}'):.10g}"


def shown(value: float) -> float:
    """``value`` as rounded for display, so that numbers computed from it agree with what the reader computes."""
    return float(plain(value).replace(",", ""))


def change(
    case: Case, name: str, factor: float, *, low: float = 0.0, high: float = float("inf")
) -> SuggestedChange | None:
    """For instance ``"lower learning_rate from 0.001 to 0.000333"``; None if it cannot be changed that way."""
    now = case.number(name)
    if now is None:
        return None
    wanted = min(max(now * factor, low), high)
    wanted = round(wanted) if isinstance(case.hyperparameters[name], int) else shown(wanted)
    return None if wanted == now else raise_or_lower(name, now, wanted)


def raise_or_lower(name: str, now: float, wanted: float, purpose: str = "") -> SuggestedChange:
    words = f"{'raise' if wanted > now else 'lower'} {name} from {plain(now)} to {plain(wanted)}{purpose}"
    return SuggestedChange(name, wanted, words)


def known(*options: Advice | None) -> tuple[Advice, ...]:
    """The options that are not None."""
    return tuple(option for option in options if option is not None)


def about_best(case: Case) -> str:
    """A sentence about the best policy, if one was kept."""
    if case.best is None:
        return ""
    return f" The best policy, of step {case.best.step:,}, is kept: {plain(case.best.mean_return)} on fresh episodes."
