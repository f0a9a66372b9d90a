"""Hint: a finding about a run's curves with a suggestion, and the phrases that rules build hints from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
class Hint:
    """``metric`` between ``from_step`` and ``to_step`` shows the finding; ``learn`` is the section of the guide to
    read.

    ``looked_at`` is filled in by ``review``.
    """

    id: str
    severity: Severity
    title: str
    metric: str
    from_step: int
    to_step: int
    evidence: str
    suggestion: str
    learn: str = FAILURE_MODES
    looked_at: LookedAt | None = None


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


def change(case: Case, name: str, factor: float, *, low: float = 0.0, high: float = float("inf")) -> str | None:
    """For instance ``"lower learning_rate from 0.001 to 0.0003"``; None if it cannot be changed that way."""
    now = case.number(name)
    if now is None:
        return None
    wanted = min(max(now * factor, low), high)
    if isinstance(case.hyperparameters[name], int):
        wanted = round(wanted)
    return None if wanted == now else raise_or_lower(name, now, wanted)


def raise_or_lower(name: str, now: float, wanted: float) -> str:
    return f"{'raise' if wanted > now else 'lower'} {name} from {plain(now)} to {plain(wanted)}"


def sentence(*options: str | None) -> str:
    """The options that are not None, as one sentence: ``"Lower …, or raise …."``"""
    known = [option for option in options if option]
    text = ", or ".join(known)
    return f"{text[:1].upper()}{text[1:]}."
